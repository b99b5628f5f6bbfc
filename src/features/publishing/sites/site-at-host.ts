/** The project whose site is at a host, and how it is served there. */
export interface SiteAtHost {
  projectId: string;
  /** Whether HTTPS works. */
  hasCertificate: boolean;
  /** Where visitors are redirected. */
  redirect: { to: SiteAddress; status: number } | undefined;
  /** The project's primary host, if it is a different host. */
  canonical: SiteAddress | undefined;
}

export interface SiteAddress {
  host: string;
  hasCertificate: boolean;
}
