import { originAt } from '../../lib/origin.js';
import type { Project } from './project.js';

/** The slug, which is one label below the platform host; undefined for any other host. */
export function slugUnder(platformHost: string, host: string): string | undefined {
  const suffix = `.${platformHost}`;
  if (!host.endsWith(suffix)) return undefined;
  const slug = host.slice(0, -suffix.length);
  return /^[a-z0-9-]{1,63}$/.test(slug) ? slug : undefined;
}

/** The host of a project's site. Customers' CNAME records point to it too. */
export function siteHost(slug: string, platformHost: string): string {
  return `${slug}.${platformHost}`;
}

/** The settings that define where visitors reach the gateway. */
export interface Addresses {
  platformHost: string | undefined;
  publicUrl: string | undefined;
  publicHttpPort: number | undefined;
  publicHttpsPort: number | undefined;
}

/**
 * The origin of a project's site at its platform host. If the gateway does not serve HTTPS itself, the site has the
 * scheme and port of PUBLIC_URL, because both addresses lead to the same gateway. Undefined if sites are not published.
 */
export function siteOriginOf(
  { slug }: Pick<Project, 'slug'>,
  { platformHost, publicUrl, publicHttpPort, publicHttpsPort }: Addresses,
  hasCertificate: boolean,
): string | undefined {
  if (platformHost === undefined || publicUrl === undefined) return undefined;
  const host = siteHost(slug, platformHost);
  if (publicHttpsPort !== undefined && hasCertificate) return originAt('https', host, publicHttpsPort);
  if (publicHttpsPort !== undefined && publicHttpPort !== undefined)
    return originAt('http', host, publicHttpPort);
  const url = new URL(publicUrl);
  url.hostname = host;
  return url.origin;
}
