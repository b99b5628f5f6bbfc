import type { Request, RequestHandler, Response } from 'express';
import { originAt } from '../../lib/origin.js';
import { hostOf } from '../../http/server/host-of.js';
import { misdirected } from './host-routing.js';
import { entranceOf } from '../../http/server/entrance.js';
import { siteOf } from '../../http/steps/request-context.js';
import type { SiteAddress } from '../../features/publishing/sites/site-at-host.js';

/** As visitors name them; undefined where the gateway has none. */
export interface VisitorPorts {
  publicHttpPort: number | undefined;
  publicHttpsPort: number | undefined;
}

/** A redirect may be kept, but is asked about each time: it ends when it is taken away. */
const REVALIDATE = 'public, max-age=0, must-revalidate';

/**
 * Sends visitors where the project sends them (specification 1.1 item 4), else from HTTP to HTTPS once that works. To
 * pages of other hosts than the primary one it adds which that is (RFC 6596).
 * @throws ApiError misdirected_request over HTTPS for a host without a certificate: the connection was another's
 */
export function redirectVisitors(ports: VisitorPorts): RequestHandler {
  const toHttps = redirectToHttps(ports, (_req, res) => siteOf(res).hasCertificate);
  return (req, res, next) => {
    const { redirect, hasCertificate, canonical } = siteOf(res);
    if (entranceOf(req) === 'https' && !hasCertificate) throw misdirected();
    if (redirect !== undefined) {
      send(req, res, redirect.status, originOf(redirect.to, req, ports));
      return;
    }
    if (canonical !== undefined)
      res.setHeader('Link', `<${originOf(canonical, req, ports)}${targetOf(req)}>; rel="canonical"`);
    toHttps(req, res, next);
  };
}

/** From HTTP_PORT alone: at PORT, and behind a proxy that is trusted to say so, TLS may have ended before us. */
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
  // Whatever is in front of PORT leads there for the other host too. Express would pass on any X-Forwarded-Proto of a
  // trusted proxy as `req.protocol`; `req.secure` knows `https` alone.
  return `${req.secure ? 'https' : 'http'}://${host}${/:[0-9]{1,5}$/.exec(req.headers.host ?? '')?.[0] ?? ''}`;
}

function send(req: Request, res: Response, status: number, origin: string): void {
  res.setHeader('Location', origin + targetOf(req));
  res.setHeader('Cache-Control', REVALIDATE);
  res.setHeader('Content-Length', 0);
  res.status(status).end();
}

/** Path and query as they were sent; `*` has none. */
function targetOf({ originalUrl }: Request): string {
  return originalUrl.startsWith('/') ? originalUrl : '/';
}
