const USUAL_PORTS = { http: 80, https: 443 };

/** Scheme, host and port as browsers write an origin: without the port that the scheme has anyway. */
export function originAt(scheme: 'http' | 'https', host: string, port: number): string {
  return `${scheme}://${host}${port === USUAL_PORTS[scheme] ? '' : `:${port}`}`;
}
