import type { Request } from 'express';
import { ApiError } from '../../lib/errors.js';
import { isLoopback } from '../../lib/loopback.js';
import { hostOf } from '../server/host-of.js';

/** The address of the dashboard as the browser names it. */
export interface DashboardAddress {
  origin: string;
  /** False on this machine itself, where no network can be read along and usually no certificate exists. */
  isSecure: boolean;
}

/**
 * Returns PUBLIC_URL if it is HTTPS. Without PUBLIC_URL, or if it names this machine, returns the loopback address that
 * the request names. Returns undefined if a key and a cookie would cross a network unencrypted: the dashboard does not
 * work there.
 */
export function dashboardAddressOf(
  req: Request,
  publicUrl: string | undefined,
): DashboardAddress | undefined {
  if (publicUrl?.startsWith('https:') === true) return { origin: publicUrl, isSecure: true };
  const isLocalGateway = publicUrl === undefined || isLoopback(new URL(publicUrl).hostname);
  if (isLocalGateway && isLoopback(hostOf(req) ?? ''))
    return { origin: `http://${String(req.headers.host).toLowerCase()}`, isSecure: false };
  return undefined;
}

/** As dashboardAddressOf. @throws ApiError forbidden if there is no such address */
export function requireDashboardAddress(req: Request, publicUrl: string | undefined): DashboardAddress {
  const address = dashboardAddressOf(req, publicUrl);
  if (address !== undefined) return address;
  throw new ApiError(
    'forbidden',
    "The dashboard needs HTTPS here: set PUBLIC_URL to the gateway's https:// address. Without PUBLIC_URL it works on the gateway's own machine alone, at http://localhost or http://127.0.0.1.",
  );
}

/**
 * Requires that a page of the dashboard sends the request. The browser reports the origin truthfully (Fetch standard,
 * "append a request Origin header").
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
 * As requireOrigin, for a read. Browsers send no Origin with a read from the same origin. If the browser sends
 * Sec-Fetch-Site, it must be `same-origin` (Fetch Metadata, "Sec-Fetch-Site").
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
