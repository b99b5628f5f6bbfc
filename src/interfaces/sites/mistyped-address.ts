import type { RequestHandler } from 'express';
import { pathOf } from '../../http/steps/request-context.js';
import { isForVisitor, PAGE_NOT_FOUND, sendVisitorPage } from './visitor-page.js';

/** At and below these paths, nobody learns without a key what exists. */
const NEEDS_KEY = /^\/(?:v1|graphql|deploys|imports|metrics)(?:\/|$)/;
const PAGE = {
  ...PAGE_NOT_FOUND,
  advice: 'The home page links to the dashboard, the API reference, the GraphQL editor and the docs.',
};

/**
 * Answers 404 with a page when a browser opens an address of the gateway's own host that is none. A client that sends an
 * Authorization header or prefers JSON passes on, and so does every path of the API. Mount it behind all pages.
 */
export const answerMistypedAddress: RequestHandler = (req, res, next) => {
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  const isByBrowser = isRead && req.headers.authorization === undefined && isForVisitor(req);
  if (isByBrowser && !NEEDS_KEY.test(pathOf(req))) sendVisitorPage(res, 404, PAGE);
  else next();
};
