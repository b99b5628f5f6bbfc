import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { serviceUnavailable } from '../../lib/errors.js';
import type { RateLimitHeaders } from '../answers/rate-limit-headers.js';
import { sendOutsideApp, setHeadersOutsideApp } from '../answers/send-outside-app.js';
import { gatewayUrlOf } from './gateway-url.js';

/** A waiting request costs its headers and a connection. */
const MOST_WAITING = 1000;

export interface Starting {
  listener: RequestListener;
  /** Hands the requests that wait to `listener`, in the order of their arrival. */
  begin: (listener: RequestListener) => void;
}

/**
 * Answers while the gateway starts: 200 for /health/live and 503 for /health/ready. Other requests wait for the start,
 * at most `waitMs` and a thousand at once, and then get 503. A proxy without health checks sends requests to a
 * gateway as soon as it listens, so a restart would otherwise be visible to clients.
 */
export function createStarting(
  rateHeadersOf: (req: IncomingMessage) => RateLimitHeaders,
  waitMs: number,
  publicUrl: string | undefined,
): Starting {
  const waiting = new Map<ServerResponse, () => void>();
  let started: RequestListener | undefined;

  function wait(req: IncomingMessage, res: ServerResponse): void {
    const timer = setTimeout(() => {
      waiting.delete(res);
      answerStarting(req, res, rateHeadersOf(req), publicUrl);
    }, waitMs);
    const forget = () => {
      clearTimeout(timer);
      waiting.delete(res);
    };
    res.once('close', forget);
    waiting.set(res, () => {
      forget();
      res.off('close', forget);
      started?.(req, res);
    });
  }

  return {
    listener: (req, res) => {
      if (req.url?.startsWith('/health/') || waiting.size >= MOST_WAITING)
        answerStarting(req, res, rateHeadersOf(req), publicUrl);
      else wait(req, res);
    },
    begin: (listener) => {
      started = listener;
      for (const serve of [...waiting.values()]) serve();
    },
  };
}

function answerStarting(
  req: IncomingMessage,
  res: ServerResponse,
  rateHeaders: RateLimitHeaders,
  publicUrl: string | undefined,
): void {
  if (req.url === '/health/live') {
    setHeadersOutsideApp(res, randomUUID(), rateHeaders);
    res.end('{"status":"live"}');
    return;
  }
  sendOutsideApp(
    res,
    serviceUnavailable('The gateway is starting.'),
    rateHeaders,
    gatewayUrlOf(req, 'http', publicUrl),
  );
}
