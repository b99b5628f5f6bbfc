import { Registry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import type { RequestHandler } from 'express';
import { ApiError, serviceUnavailable } from '../../lib/errors.js';
import { createInstruments, type Instruments } from './instruments.js';
import { callerOf } from '../../http/steps/request-context.js';

/** The metrics of one process, as prom-client returns them as JSON. */
export type ReportedMetrics = MetricObjectWithValues<MetricValue<string>>[];

export interface Metrics extends Instruments {
  ofProcess: Registry;
  /** Every process would report the same values, so only one reports them. */
  ofDatabase: Registry;
  contentType: string;
  /**
   * Returns the metrics of all processes of the gateway, in the text format of Prometheus.
   * @throws ApiError service_unavailable if a process does not answer: sums without it would look like a restart
   */
  expose(): Promise<string>;
}

/** @param gather combines the metrics of this process, `ofDatabase` included, with those of the other processes */
export function createMetrics(gather: (own: () => Promise<string>) => Promise<string>): Metrics {
  const ofProcess = new Registry();
  const ofDatabase = new Registry();
  return {
    ...createInstruments(ofProcess),
    ofProcess,
    ofDatabase,
    contentType: ofProcess.contentType,
    expose: () =>
      gather(() => Registry.merge([ofProcess, ofDatabase]).metrics()).catch((error: unknown) => {
        throw serviceUnavailable('A worker process did not report its metrics.', error);
      }),
  };
}

/** `GET /metrics` for admin keys, at no cost. @throws ApiError forbidden, service_unavailable */
export function answerMetrics(metrics: Metrics): RequestHandler {
  return async (_req, res) => {
    if (callerOf(res).key.role !== 'admin')
      throw new ApiError(
        'forbidden',
        'Only admin keys can read the metrics here; METRICS_PORT serves them without a key.',
      );
    const text = await metrics.expose();
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Type', metrics.contentType);
    res.end(text);
  };
}
