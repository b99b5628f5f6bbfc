/** A position in a trace (W3C Trace Context), in lower-case hexadecimal digits. */
export interface TraceIds {
  traceId: string;
  spanId: string;
}

/** A request that waits for work shared by several requests. */
export interface Traced {
  /** The result of `currentTrace` when the wait began. */
  readonly trace: unknown;
}

/** Set by src/observability/tracing when tracing starts. No other code depends on OpenTelemetry. */
export interface TraceCarrier {
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

/** The trace of the request in progress, for `inTraceOf`. Undefined while tracing is off. */
export function currentTrace(): unknown {
  return carrier?.current();
}

/**
 * Runs work that several requests wait for, in the trace of the first of them and linked with the traces of the others,
 * whichever request is in progress when the work begins. Costs nothing while tracing is off: to avoid closures, `run`
 * receives everything else it needs as `of`.
 */
export function inTraceOf<Waiting extends Traced, Of, T>(
  waiting: readonly Waiting[],
  run: (waiting: readonly Waiting[], of: Of) => T,
  of: Of,
): T {
  return carrier === undefined ? run(waiting, of) : carrier.share(waiting, run, of);
}
