import type { RequestHandler } from 'express';
import { exchangeOf } from '../http/exchange.js';
import type { ApiError } from '../lib/errors.js';
import { errorExtensions } from './format-error.js';
import { contentTypeOf, mediaTypeOf, PLAIN_JSON } from './media-type.js';

/** Marks the request as GraphQL's, so that whatever the shared steps refuse is said in GraphQL's form. */
export const speakGraphQL: RequestHandler = (req, res, next) => {
  exchangeOf(res).renderError = (error: ApiError, requestId: string) => ({
    contentType: contentTypeOf(mediaTypeOf(req) ?? PLAIN_JSON),
    body: JSON.stringify({
      errors: [{ message: error.message, extensions: { ...errorExtensions(error), requestId } }],
    }),
  });
  next();
};
