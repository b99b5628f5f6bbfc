import { Registry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { serviceUnavailable } from '../lib/errors.js';
import { createInstruments, type Instruments } from './instruments.js';

/** What a process has to tell, as prom-client makes JSON of it. */
export type ToldMetrics = MetricObjectWithValues<MetricValue<string>>[];

export interface Metrics extends Instruments {
  /** Of this process. */
  registry: Registry;
  contentType: string;
  /**
   * What all processes of the gateway have to tell, in the text format of Prometheus.
   * @throws ApiError service_unavailable when one of them does not answer: sums without it would look like a restart
   */
  expose(): Promise<string>;
}

/** @param gather puts what this process tells together with what the others do */
export function createMetrics(gather: (own: () => Promise<string>) => Promise<string>): Metrics {
  const registry = new Registry();
  return {
    ...createInstruments(registry),
    registry,
    contentType: registry.contentType,
    expose: () =>
      gather(() => registry.metrics()).catch((error: unknown) => {
        throw serviceUnavailable('A process of the gateway did not tell its metrics.', error);
      }),
  };
}
