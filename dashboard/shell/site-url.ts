/** Of a site on the platform, which the same listener serves as this page. */
export function siteUrlOf(host: string): string {
  const { protocol, port } = location;
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}/`;
}
