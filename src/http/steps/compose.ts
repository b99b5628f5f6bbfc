import type { ErrorRequestHandler, NextFunction, RequestHandler } from 'express';

/**
 * Handlers that every request passes, one after the other, as one: Express itself would look at each of them whether
 * its path matches, for every request. What a handler throws, or rejects with, ends the pass as it does in Express.
 */
export function compose(...handlers: readonly RequestHandler[]): RequestHandler {
  return (req, res, done) => {
    let index = 0;
    const next: NextFunction = (error?: unknown) => {
      const handler = handlers[index++];
      if (error !== undefined || handler === undefined) {
        done(error);
        return;
      }
      try {
        const result: unknown = handler(req, res, next);
        if (result instanceof Promise) result.catch(done);
      } catch (thrown) {
        done(thrown);
      }
    };
    next();
  };
}

/**
 * Errors of `handler` go straight to `renderError`, and to Express only when that fails too: Express would ask each
 * route behind it whether it takes errors.
 */
export function withErrorsTo(renderError: ErrorRequestHandler, handler: RequestHandler): RequestHandler {
  return (req, res, done) =>
    handler(req, res, (error?: unknown) => {
      if (error === undefined) {
        done();
        return;
      }
      const rendered: unknown = renderError(error, req, res, done);
      if (rendered instanceof Promise) rendered.catch(done);
    });
}
