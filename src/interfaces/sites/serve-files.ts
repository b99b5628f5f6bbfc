import type { Request, RequestHandler, Response } from 'express';
import { preferredType } from '../../http/answers/accepts.js';
import { pathOf, siteOf } from '../../http/steps/request-context.js';
import { whenKnown } from '../../lib/awaitable.js';
import { inTime } from '../../lib/in-time.js';
import { ApiError } from '../../lib/errors.js';
import { findPublished, type Published } from '../../features/publishing/sites/find-published.js';
import type { PublishedSites } from '../../features/publishing/sites/published-sites.js';
import { REVALIDATE, sendFile, sendNotFoundPage } from './send-file.js';
import {
  isForPrograms,
  isForVisitor,
  PAGE_NOT_FOUND,
  sendVisitorPage,
  VISITOR_PAGES,
  type VisitorPage,
} from './visitor-page.js';

const ALLOW = 'GET, HEAD';
/** The headers that decide which response a path without a file has. */
const DECIDED_BY = 'Accept, Sec-Fetch-Mode';

/**
 * Serves the files of the requested site. Each response comes from one deploy, the one that is live when the request
 * arrives.
 * @param linkPrimary called for each file, but not for a missing one, which no host has
 * @throws ApiError not_found, method_not_allowed, service_unavailable
 */
export function serveFiles(
  sites: Pick<PublishedSites, 'siteOf' | 'blob' | 'evict'>,
  linkPrimary: (req: Request, res: Response) => void,
): RequestHandler {
  return (req, res) => {
    if (isForPrograms(req)) throw nothingHere();
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', ALLOW);
      throw new ApiError('method_not_allowed', `${req.method} is not supported here, only GET.`);
    }
    return whenKnown(
      inTime(findPublished(sites, siteOf(res).projectId, pathOf(req), isNavigation(req))),
      (published) => {
        if (published.kind === 'file' || published.kind === 'app') linkPrimary(req, res);
        answer(req, res, published);
      },
    );
  };
}

function answer(req: Request, res: Response, published: Published): void {
  switch (published.kind) {
    case 'file':
      sendFile(req, res, published.file, published.blob);
      return;
    case 'app':
      sendFile(req, res, published.file, published.blob, `${DECIDED_BY}, Accept-Encoding`);
      return;
    case 'elsewhere':
      res.setHeader('Cache-Control', REVALIDATE);
      res.setHeader('Location', published.path + queryOf(req));
      res.status(308).end();
      return;
    case 'nothing':
      res.setHeader('Vary', DECIDED_BY);
      if (published.page !== undefined && takesPage(req))
        sendNotFoundPage(req, res, published.page.file, published.page.blob, DECIDED_BY);
      else answerWithoutPage(req, res, PAGE_NOT_FOUND);
      return;
    case 'no deploy':
      answerWithoutPage(req, res, VISITOR_PAGES.unpublished);
  }
}

/** For a site without a 404 page: sends the gateway's page to visitors. @throws ApiError not_found for other clients */
function answerWithoutPage(req: Request, res: Response, page: VisitorPage): void {
  if (!isForVisitor(req)) throw nothingHere();
  sendVisitorPage(res, 404, page);
}

/**
 * Whether the site's own 404 page is the answer for a missing path. A program that takes anything, such as curl, gets the
 * page. A part of a page, such as a script or a picture, also takes anything, but its Sec-Fetch-Mode says what it is.
 */
function takesPage(req: Request): boolean {
  const { accept, 'sec-fetch-mode': mode } = req.headers;
  const isPart = mode !== undefined && mode !== 'navigate' && accept?.includes('text/html') !== true;
  return !isPart && preferredType(req, ['text/html', 'application/json']) === 'text/html';
}

/** Whether a browser asks for a page to show: scripts and pictures accept any type, or say that they are none. */
function isNavigation({ headers: { accept, 'sec-fetch-mode': mode } }: Request): boolean {
  return (mode === undefined || mode === 'navigate') && accept?.includes('text/html') === true;
}

function queryOf(req: Request): string {
  const start = req.originalUrl.indexOf('?');
  return start === -1 ? '' : req.originalUrl.slice(start);
}

/** The error for a path without a file. */
export function nothingHere(): ApiError {
  return new ApiError('not_found', 'There is nothing at this path.');
}
