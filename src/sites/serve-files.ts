import type { Request, RequestHandler, Response } from 'express';
import { pathOf, siteOf } from '../http/exchange.js';
import { inTime } from '../http/in-time.js';
import { ApiError } from '../lib/errors.js';
import { findFile } from './find-file.js';
import { BlobGone, type PublishedSite, type PublishedSites } from './published-sites.js';
import { REVALIDATE, sendFile, sendNotFoundPage } from './send-file.js';
import { sendPlainPage } from './plain-page.js';

const ALLOW = 'GET, HEAD';
const NOT_FOUND_PAGE = '404.html';
/** Below these an answer is for programs, whatever they say they accept. */
const API_PATH = /^\/(?:v1|graphql)(?:\/|$)/;

type Sites = Pick<PublishedSites, 'siteOf' | 'blob' | 'evict'>;

/**
 * The files of the site that was asked for. Each request is answered from one deploy, whichever is live when it comes.
 * @throws ApiError not_found, method_not_allowed
 */
export function serveFiles(sites: Sites): RequestHandler {
  return async (req, res) => {
    if (API_PATH.test(pathOf(req))) throw nothingHere();
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', ALLOW);
      throw new ApiError('method_not_allowed', `${req.method} is not supported here, only GET.`);
    }
    await inTime(answerTwice(sites, req, res));
  };
}

/** A deploy may end being kept while it is still remembered as the live one: then the live one is another. */
async function answerTwice(sites: Sites, req: Request, res: Response): Promise<void> {
  try {
    await answer(sites, req, res);
  } catch (error) {
    if (!(error instanceof BlobGone)) throw error;
    sites.evict({ projectId: siteOf(res).projectId });
    await answer(sites, req, res);
  }
}

async function answer(sites: Sites, req: Request, res: Response): Promise<void> {
  const site = await sites.siteOf(siteOf(res).projectId);
  if (site === undefined) {
    answerWithout(req, res, 'Nothing is published here yet.');
    return;
  }
  const found = findFile(site.files, pathOf(req));
  switch (found.kind) {
    case 'file':
      sendFile(req, res, found.file, await sites.blob(found.file.sha256));
      return;
    case 'elsewhere':
      res.setHeader('Cache-Control', REVALIDATE);
      res.setHeader('Location', found.path + queryOf(req));
      res.status(308).end();
      return;
    case 'nothing':
      await answerNothing(sites, site, req, res);
  }
}

async function answerNothing(sites: Sites, site: PublishedSite, req: Request, res: Response): Promise<void> {
  const page = site.files.get(NOT_FOUND_PAGE);
  if (page !== undefined && req.accepts(['text/html', 'application/json']) === 'text/html')
    sendNotFoundPage(req, res, page, await sites.blob(page.sha256));
  else answerWithout(req, res, 'There is nothing at this address.');
}

/** Where the site has no page for it: ours for people, the Error object for everybody else. */
function answerWithout(req: Request, res: Response, message: string): void {
  if (req.accepts(['application/json', 'text/html']) !== 'text/html') throw nothingHere();
  sendPlainPage(res, 404, message);
}

function queryOf(req: Request): string {
  const start = req.originalUrl.indexOf('?');
  return start === -1 ? '' : req.originalUrl.slice(start);
}

function nothingHere(): ApiError {
  return new ApiError('not_found', 'There is nothing at this path.');
}
