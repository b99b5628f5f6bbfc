import { AggregatorRegistry, type Registry } from 'prom-client';

/** In the first process: the metrics of all workers, added up. @throws Error when one does not answer within 5 s */
export function gatherMetrics(): Promise<string> {
  return new AggregatorRegistry().clusterMetrics();
}

/** In a worker: what it tells when the first process gathers. */
export function tellMetrics(registry: Registry): void {
  AggregatorRegistry.setRegistries(registry);
  // Made for its listener.
  new AggregatorRegistry();
}
