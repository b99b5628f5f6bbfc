import type { ErrorRequestHandler, NextFunction, RequestHandler } from 'express';

/**
 * Combines handlers that every request passes into one handler that runs them in order. Express would match the path of
 * each handler on every request. A thrown error or a rejected promise stops the chain, as in Express.
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
 * Sends errors of `handler` straight to `renderError`, and to Express only if `renderError` fails too. Express would
 * ask each later route whether it handles errors.
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
