/** Where in its trace something belongs (W3C Trace Context): lower-case hexadecimal digits. */
export interface TraceIds {
  traceId: string;
  spanId: string;
}

/** What src/tracing puts here once it runs; nothing of OpenTelemetry is known to anybody else. */
export interface TraceCarrier {
  /** Of the request that is being served; undefined beside requests. */
  ids(): TraceIds | undefined;
}

let carrier: TraceCarrier | undefined;

export function carryTraces(by: TraceCarrier | undefined): void {
  carrier = by;
}

/**
 * For a log line that is written while a request is being served: `log.warn({ ...currentTraceIds(), err }, …)`.
 * Undefined while tracing is off. What is logged once a request has ended uses `exchange.trace`, which is the same: by
 * then this may speak of another request on the connection.
 */
export function currentTraceIds(): TraceIds | undefined {
  return carrier?.ids();
}
