/** Where in its trace something belongs (W3C Trace Context): lower-case hexadecimal digits. */
export interface TraceIds {
  traceId: string;
  spanId: string;
}

/** Who waits for work that several may share. */
export interface Traced {
  /** What `currentTrace` told when it began to wait. */
  readonly trace: unknown;
}

/** What src/observability/tracing puts here once it runs; nothing of OpenTelemetry is known to anybody else. */
export interface TraceCarrier {
  /** Of the request that is being served; undefined beside requests. */
  ids(): TraceIds | undefined;
  current(): unknown;
  share<Waiting extends Traced, Of, T>(
    waiting: readonly Waiting[],
    run: (waiting: readonly Waiting[], of: Of) => T,
    of: Of,
  ): T;
}

let carrier: TraceCarrier | undefined;

export function carryTraces(by: TraceCarrier | undefined): void {
  carrier = by;
}

/**
 * For a log line that is written while a request is being served: `log.warn({ ...currentTraceIds(), err }, …)`.
 * Undefined while tracing is off. What is logged once a request has ended uses `requestContext.trace`, which is the same: by
 * then this may speak of another request on the connection.
 */
export function currentTraceIds(): TraceIds | undefined {
  return carrier?.ids();
}

/** The trace of the request that is being served, for `inTraceOf`. Undefined while tracing is off. */
export function currentTrace(): unknown {
  return carrier?.current();
}

/**
 * Runs what several requests wait for. Whoever happens to be served when it begins, it belongs to the trace of the first
 * of them, and is linked with those of the others. Costs nothing while tracing is off, so it makes no closures: what else
 * `run` needs is handed to it as `of`.
 */
export function inTraceOf<Waiting extends Traced, Of, T>(
  waiting: readonly Waiting[],
  run: (waiting: readonly Waiting[], of: Of) => T,
  of: Of,
): T {
  return carrier === undefined ? run(waiting, of) : carrier.share(waiting, run, of);
}
