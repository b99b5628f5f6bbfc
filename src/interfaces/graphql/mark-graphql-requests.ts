import type { RequestHandler } from 'express';
import { pathOf, requestContextOf } from '../../http/steps/request-context.js';
import { contentTypeOf, mediaTypeOf, PLAIN_JSON } from './answer.js';
import { formatRefusal, ofRequest } from './format-error.js';

/** Marks a request at or below /graphql as GraphQL, so that errors of the shared steps have the form of GraphQL. */
export const markGraphQLRequests: RequestHandler = (req, res, next) => {
  if (/^\/graphql(\/|$)/.test(pathOf(req))) {
    const context = requestContextOf(res);
    context.interface = 'graphql';
    // At a published site, /graphql is also part of the API, and charged.
    context.area = undefined;
    context.renderError = (error) => ({
      contentType: contentTypeOf(mediaTypeOf(req) ?? PLAIN_JSON),
      body: JSON.stringify({ errors: [ofRequest(formatRefusal(error), context)] }),
    });
  }
  next();
};
