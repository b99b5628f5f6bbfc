/** Whose site is at a host, and how it is served there. */
export interface SiteAtHost {
  projectId: string;
  /** Whether HTTPS works. */
  hasCertificate: boolean;
  /** Where visitors are sent instead. */
  redirect: { to: SiteAddress; status: number } | undefined;
  /** The project's primary host, where this is another one. */
  canonical: SiteAddress | undefined;
}

export interface SiteAddress {
  host: string;
  hasCertificate: boolean;
}
