import type { RequestHandler } from 'express';
import { ApiError } from '../../lib/errors.js';
import type { Metrics } from './metrics.js';
import { callerOf } from '../../http/steps/request-context.js';

/** `GET /metrics` for admin keys, at no cost. @throws ApiError forbidden, service_unavailable */
export function answerMetrics(metrics: Metrics): RequestHandler {
  return async (_req, res) => {
    if (callerOf(res).key.role !== 'admin')
      throw new ApiError('forbidden', 'The metrics are for admin keys, or for METRICS_PORT.');
    const text = await metrics.expose();
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Type', metrics.contentType);
    res.end(text);
  };
}
