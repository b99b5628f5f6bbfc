import type { Request } from 'express';
import { ApiError } from '../../lib/errors.js';
import { hostOfHeader } from '../../lib/host-name.js';
import { isLoopback } from '../../lib/loopback.js';
import { hostOf } from '../server/host-of.js';

/** Where people use the dashboard, as their browser names it. */
export interface DashboardAddress {
  origin: string;
  /** Not on this machine itself, where there is no network to read along, and as a rule no certificate either. */
  isSecure: boolean;
}

/**
 * PUBLIC_URL where that is HTTPS; without it, or with one on this machine, whatever loopback address the request names.
 * Undefined where a key and a cookie would cross a network in clear: the dashboard is not used there.
 */
export function dashboardAddressOf(
  req: Request,
  publicUrl: string | undefined,
): DashboardAddress | undefined {
  if (publicUrl?.startsWith('https:') === true) return { origin: publicUrl, isSecure: true };
  const isLocalGateway = publicUrl === undefined || isLoopback(hostOfHeader(new URL(publicUrl).host) ?? '');
  if (isLocalGateway && isLoopback(hostOf(req) ?? ''))
    return { origin: `http://${(req.headers.host ?? '').toLowerCase()}`, isSecure: false };
  return undefined;
}

/** @throws ApiError forbidden where there is none */
export function requireDashboardAddress(req: Request, publicUrl: string | undefined): DashboardAddress {
  const address = dashboardAddressOf(req, publicUrl);
  if (address !== undefined) return address;
  throw new ApiError(
    'forbidden',
    "The dashboard needs HTTPS here: set PUBLIC_URL to the gateway's https:// address. Without PUBLIC_URL it works on the gateway's own machine alone, at http://localhost or http://127.0.0.1.",
  );
}

/**
 * That a page of ours asks, as the browser says truthfully (Fetch standard, "append a request Origin header").
 * @throws ApiError forbidden
 */
export function requireOrigin(req: Request, { origin }: DashboardAddress): void {
  const given = req.headersDistinct['origin'] ?? [];
  if (given.length === 1 && given[0] === origin) return;
  throw new ApiError(
    'forbidden',
    given.length === 0 ? `The Origin header is missing: here it has to be ${origin}.` : onlyPagesOf(origin),
  );
}

/**
 * As requireOrigin, for a read: with one of their own origin browsers send no Origin. Where they say what the page is
 * that asks, it has to be of this origin (Fetch Metadata, "Sec-Fetch-Site").
 * @throws ApiError forbidden
 */
export function requireOriginOfRead(req: Request, address: DashboardAddress): void {
  if (req.headersDistinct['origin'] !== undefined) requireOrigin(req, address);
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin')
    throw new ApiError('forbidden', onlyPagesOf(address.origin));
}

function onlyPagesOf(origin: string): string {
  return `Only pages of ${origin} may ask this: open the dashboard there.`;
}
