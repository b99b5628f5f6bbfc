const USUAL_PORTS = { http: 80, https: 443 };

/** Scheme, host and port as browsers write an origin: without the default port of the scheme. */
export function originAt(scheme: 'http' | 'https', host: string, port: number): string {
  return `${scheme}://${host}${port === USUAL_PORTS[scheme] ? '' : `:${port}`}`;
}
