/** The path to which a deploy's archive is uploaded. The only group is the deploy's id. */
export const UPLOAD_PATH = /^\/deploys\/([0-9A-Za-z_]{1,64})\/archive$/;
