import type { Request, RequestHandler, Response } from 'express';
import { preferredType } from '../../http/answers/accepts.js';
import { pathOf, siteOf } from '../../http/steps/request-context.js';
import { inTime } from '../../lib/in-time.js';
import { ApiError } from '../../lib/errors.js';
import { lookUp, type Published } from '../../features/publishing/sites/look-up.js';
import { sendPlainPage } from './plain-page.js';
import type { PublishedSites } from '../../features/publishing/sites/published-sites.js';
import { REVALIDATE, sendFile, sendNotFoundPage } from './send-file.js';

const ALLOW = 'GET, HEAD';
/** At and below these paths a response is for programs, whatever they accept. */
const API_PATH = /^\/(?:v1|graphql)(?:\/|$)/;

/**
 * Serves the files of the requested site. Each response comes from one deploy, the one that is live when the request
 * arrives.
 * @throws ApiError not_found, method_not_allowed, service_unavailable
 */
export function serveFiles(sites: Pick<PublishedSites, 'siteOf' | 'blob' | 'evict'>): RequestHandler {
  return async (req, res) => {
    if (API_PATH.test(pathOf(req))) throw nothingHere();
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', ALLOW);
      throw new ApiError('method_not_allowed', `${req.method} is not supported here, only GET.`);
    }
    answer(req, res, await inTime(lookUp(sites, siteOf(res).projectId, pathOf(req))));
  };
}

function answer(req: Request, res: Response, published: Published): void {
  switch (published.kind) {
    case 'file':
      sendFile(req, res, published.file, published.blob);
      return;
    case 'elsewhere':
      res.setHeader('Cache-Control', REVALIDATE);
      res.setHeader('Location', published.path + queryOf(req));
      res.status(308).end();
      return;
    case 'nothing':
      if (
        published.page !== undefined &&
        preferredType(req, ['text/html', 'application/json']) === 'text/html'
      )
        sendNotFoundPage(req, res, published.page.file, published.page.blob);
      else answerWithoutPage(req, res, 'There is nothing at this address.');
      return;
    case 'no deploy':
      answerWithoutPage(req, res, 'Nothing is published here yet.');
  }
}

/**
 * For a site without a 404 page: sends the gateway's plain page to people. @throws ApiError not_found for other clients
 */
function answerWithoutPage(req: Request, res: Response, message: string): void {
  if (preferredType(req, ['application/json', 'text/html']) !== 'text/html') throw nothingHere();
  sendPlainPage(res, 404, message);
}

function queryOf(req: Request): string {
  const start = req.originalUrl.indexOf('?');
  return start === -1 ? '' : req.originalUrl.slice(start);
}

function nothingHere(): ApiError {
  return new ApiError('not_found', 'There is nothing at this path.');
}
