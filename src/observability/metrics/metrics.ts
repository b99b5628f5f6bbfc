import { Registry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { serviceUnavailable } from '../../lib/errors.js';
import { createInstruments, type Instruments } from './instruments.js';

/** What a process has to tell, as prom-client makes JSON of it. */
export type ToldMetrics = MetricObjectWithValues<MetricValue<string>>[];

export interface Metrics extends Instruments {
  ofProcess: Registry;
  /** The same whichever process tells it, so that one does. */
  ofDatabase: Registry;
  contentType: string;
  /**
   * What all processes of the gateway have to tell, in the text format of Prometheus.
   * @throws ApiError service_unavailable when one of them does not answer: sums without it would look like a restart
   */
  expose(): Promise<string>;
}

/** @param gather puts what this process tells, `ofDatabase` included, together with what the others do */
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
        throw serviceUnavailable('A process of the gateway did not tell its metrics.', error);
      }),
  };
}
