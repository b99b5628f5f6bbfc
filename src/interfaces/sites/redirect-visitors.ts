import type { Request, RequestHandler, Response } from 'express';
import { originAt } from '../../lib/origin.js';
import { hostOf } from '../../http/server/host-of.js';
import { misdirected } from './host-routing.js';
import { entranceOf } from '../../http/server/entrance.js';
import { siteOf } from '../../http/steps/request-context.js';
import type { SiteAddress } from '../../features/publishing/sites/site-at-host.js';

/** The public ports that visitors use; undefined if the gateway has no such port. */
export interface VisitorPorts {
  publicHttpPort: number | undefined;
  publicHttpsPort: number | undefined;
}

/** Caches may keep a redirect, but must revalidate it each time, so that a removed redirect ends at once. */
const REVALIDATE = 'public, max-age=0, must-revalidate';

/**
 * Redirects visitors as the project configures it, otherwise from HTTP to HTTPS once the host has a certificate.
 * @throws ApiError misdirected_request over HTTPS for a host without a certificate: the connection was for another host
 */
export function redirectVisitors(ports: VisitorPorts): RequestHandler {
  const toHttps = redirectToHttps(ports, (_req, res) => siteOf(res).hasCertificate);
  return (req, res, next) => {
    const { redirect, hasCertificate } = siteOf(res);
    if (entranceOf(req) === 'https' && !hasCertificate) throw misdirected();
    if (redirect !== undefined) {
      send(req, res, redirect.status, originOf(redirect.to, req, ports));
      return;
    }
    toHttps(req, res, next);
  };
}

/** Returns a function that links the same page at the project's primary host, if that is another one (RFC 6596). */
export function linkPrimary(ports: VisitorPorts): (req: Request, res: Response) => void {
  return (req, res) => {
    const { canonical } = siteOf(res);
    if (canonical !== undefined)
      res.setHeader('Link', `<${originOf(canonical, req, ports)}${pageOf(req)}>; rel="canonical"`);
  };
}

/**
 * Redirects requests to HTTP_PORT only. For PORT, and behind a trusted proxy that reports HTTPS, TLS may have ended
 * before the gateway.
 */
export function redirectToHttps(
  ports: VisitorPorts,
  hasCertificate: (req: Request, res: Response) => boolean,
): RequestHandler {
  return (req, res, next) => {
    if (
      entranceOf(req) !== 'http' ||
      req.secure ||
      ports.publicHttpsPort === undefined ||
      !hasCertificate(req, res)
    ) {
      next();
      return;
    }
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    send(
      req,
      res,
      isRead ? 301 : 308,
      originOf({ host: hostOf(req) ?? '', hasCertificate: true }, req, ports),
    );
  };
}

function originOf(
  { host, hasCertificate }: SiteAddress,
  req: Request,
  { publicHttpPort, publicHttpsPort }: VisitorPorts,
) {
  if (hasCertificate && publicHttpsPort !== undefined) return originAt('https', host, publicHttpsPort);
  if (entranceOf(req) !== 'main') return originAt('http', host, publicHttpPort ?? 80);
  // The proxy in front of PORT also forwards the other host. Express would return any X-Forwarded-Proto of a trusted
  // proxy as `req.protocol`; `req.secure` accepts only `https`.
  return `${req.secure ? 'https' : 'http'}://${host}${/:[0-9]{1,5}$/.exec(req.headers.host ?? '')?.[0] ?? ''}`;
}

function send(req: Request, res: Response, status: number, origin: string): void {
  res.setHeader('Location', origin + targetOf(req));
  res.setHeader('Cache-Control', REVALIDATE);
  res.setHeader('Content-Length', 0);
  res.status(status).end();
}

/** The target, without `index.html`: the folder's address shows the same page. */
function pageOf(req: Request): string {
  return targetOf(req).replace(/^([^?]*\/)index\.html(?=\?|$)/, '$1');
}

/** Path and query as sent; `/` for the target `*`. */
function targetOf({ originalUrl }: Request): string {
  return originalUrl.startsWith('/') ? originalUrl : '/';
}
