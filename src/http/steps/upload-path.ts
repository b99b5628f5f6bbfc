/** Where the archive of a deploy is sent: its only group is the deploy's id. */
export const UPLOAD_PATH = /^\/deploys\/([0-9A-Za-z_]{1,64})\/archive$/;
