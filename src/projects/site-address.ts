import type { Project } from './project.js';

/** One label below the platform's host. */
export function slugUnder(platformHost: string, host: string): string | undefined {
  const suffix = `.${platformHost}`;
  if (!host.endsWith(suffix)) return undefined;
  const slug = host.slice(0, -suffix.length);
  return /^[a-z0-9-]{1,63}$/.test(slug) ? slug : undefined;
}

/** The host of a project's site; a customer's CNAME points at it as well. */
export function siteHost(slug: string, platformHost: string): string {
  return `${slug}.${platformHost}`;
}

/**
 * The address of a project's site on the platform's host, as an origin: with the scheme and port of the operator's own
 * address, since both come to the same gateway. Undefined where nothing is published.
 */
export function siteOriginOf(
  { slug }: Pick<Project, 'slug'>,
  { platformHost, publicUrl }: { platformHost: string | undefined; publicUrl: string | undefined },
): string | undefined {
  if (slug === undefined || platformHost === undefined || publicUrl === undefined) return undefined;
  const url = new URL(publicUrl);
  url.hostname = siteHost(slug, platformHost);
  return url.origin;
}
