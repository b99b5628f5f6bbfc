import { originAt } from '../../lib/origin.js';
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

/** The settings that say where visitors come in. */
export interface Addresses {
  platformHost: string | undefined;
  publicUrl: string | undefined;
  publicHttpPort: number | undefined;
  publicHttpsPort: number | undefined;
}

/**
 * The address of a project's site on the platform's host, as an origin. Where the gateway has no HTTPS of its own, it
 * has the scheme and port of the operator's own address, since both come to the same gateway. Undefined where nothing
 * is published.
 */
export function siteOriginOf(
  { slug }: Pick<Project, 'slug'>,
  { platformHost, publicUrl, publicHttpPort, publicHttpsPort }: Addresses,
  hasCertificate: boolean,
): string | undefined {
  if (slug === undefined || platformHost === undefined || publicUrl === undefined) return undefined;
  const host = siteHost(slug, platformHost);
  if (publicHttpsPort !== undefined && hasCertificate) return originAt('https', host, publicHttpsPort);
  if (publicHttpsPort !== undefined && publicHttpPort !== undefined)
    return originAt('http', host, publicHttpPort);
  const url = new URL(publicUrl);
  url.hostname = host;
  return url.origin;
}
