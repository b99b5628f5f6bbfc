import type { RequestHandler } from 'express';
import { requestContextOf, pathOf } from '../../http/steps/request-context.js';
import type { ApiError } from '../../lib/errors.js';
import { errorExtensions } from './format-error.js';
import { contentTypeOf, mediaTypeOf, PLAIN_JSON } from './media-type.js';

/** Marks a request at or below /graphql as GraphQL's, so that whatever the shared steps refuse is said in GraphQL's form. */
export const speakGraphQL: RequestHandler = (req, res, next) => {
  if (/^\/graphql(\/|$)/.test(pathOf(req))) {
    const context = requestContextOf(res);
    context.interface = 'graphql';
    // At a published site too it is the API, and charged.
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
