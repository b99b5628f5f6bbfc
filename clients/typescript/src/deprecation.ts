/** An operation that will be removed, as the API announces it. */
export interface Deprecation {
  /** The method of this client. */
  method: string;
  /** The time since which the operation is deprecated (RFC 9745). */
  deprecatedAt: Date;
  /** The time from which the API returns 410 (RFC 8594); undefined if it is not decided. */
  sunset: Date | undefined;
  /** The address of the documentation. */
  documentation: string | undefined;
}

export function deprecationOf(
  { headers }: Response,
  method: string,
  baseUrl: string,
): Deprecation | undefined {
  const seconds = /^@(\d{1,12})$/.exec(headers.get('Deprecation') ?? '')?.[1];
  if (seconds === undefined) return undefined;
  const sunset = new Date(headers.get('Sunset') ?? NaN);
  return {
    method,
    deprecatedAt: new Date(Number(seconds) * 1000),
    sunset: Number.isNaN(sunset.getTime()) ? undefined : sunset,
    documentation: linkOf(headers, 'deprecation', baseUrl)?.href,
  };
}

export function warnOfDeprecation({ method, sunset, documentation }: Deprecation): void {
  const end = sunset === undefined ? '' : ` and ends on ${sunset.toISOString().slice(0, 10)}`;
  console.warn(
    `pets-gateway-client: ${method}() is deprecated${end}: ${documentation ?? 'see the API reference'}`,
  );
}

/** The target of the link with this relation (RFC 8288). */
export function linkOf(headers: Headers, relation: string, baseUrl: string): URL | undefined {
  const links = Array.from((headers.get('Link') ?? '').matchAll(/<([^<>]*)>([^,]*)/g));
  const link = links.find(([, , parameters = '']) => /;\s*rel="?([^";]*)/.exec(parameters)?.[1] === relation);
  return link?.[1] === undefined ? undefined : new URL(link[1], baseUrl);
}
