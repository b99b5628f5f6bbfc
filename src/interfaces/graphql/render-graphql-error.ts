import type { RequestHandler } from 'express';
import { requestContextOf, pathOf } from '../../http/steps/request-context.js';
import type { ApiError } from '../../lib/errors.js';
import { errorExtensions } from './format-error.js';
import { contentTypeOf, mediaTypeOf, PLAIN_JSON } from './media-type.js';

/** Marks a request at or below /graphql as GraphQL, so that errors of the shared steps have the form of GraphQL. */
export const speakGraphQL: RequestHandler = (req, res, next) => {
  if (/^\/graphql(\/|$)/.test(pathOf(req))) {
    const context = requestContextOf(res);
    context.interface = 'graphql';
    // At a published site, /graphql is also part of the API, and charged.
    context.place = undefined;
    context.renderError = (error: ApiError, requestId: string) => ({
      contentType: contentTypeOf(mediaTypeOf(req) ?? PLAIN_JSON),
      body: JSON.stringify({
        errors: [{ message: error.message, extensions: { ...errorExtensions(error), requestId } }],
      }),
    });
  }
  next();
};
