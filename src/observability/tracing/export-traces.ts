import { randomUUID } from 'node:crypto';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { carryTraces } from '../../lib/trace-context.js';
import type { Logger } from '../../lib/logger.js';
import { withTimeout } from '../../lib/with-timeout.js';
import { VERSION } from '../../lib/version.js';
import { carrier } from './carrier.js';
import { mongoCommandSpans } from './mongo-commands.js';
import { executionSpans } from './execution-spans.js';
import { subscribeToRedis } from './redis-commands.js';
import { requestSpans } from './request-spans.js';
import { chargeSpans, storeSpans } from './store-spans.js';
import type { Tracing } from './tracing.js';

export interface ExportSettings {
  /** Maximum duration of one export, retries included, milliseconds. */
  timeoutMs: number;
  environment: string;
  adminApiKey: string | undefined;
}

const SERVICE = 'pets-gateway';

/**
 * Exports the spans of this process in batches, in the background. The SDK itself reads sampler, limits, headers and
 * other settings.
 */
export function exportTraces({ timeoutMs, environment, adminApiKey }: ExportSettings, log: Logger): Tracing {
  const provider = logSdkMessages(log, () => {
    const exporter = logLosses(new OTLPTraceExporter({ timeoutMillis: timeoutMs }), log);
    return new BasicTracerProvider({
      resource: resourceOf(environment),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
  });
  const tracer = provider.getTracer(SERVICE, VERSION);
  carryTraces(carrier);
  const unsubscribe = subscribeToRedis(tracer);
  return {
    ...requestSpans(tracer, adminApiKey),
    execution: (run) => executionSpans(tracer, run),
    pets: (store) => storeSpans(tracer, 'pets', store),
    keys: (store) => storeSpans(tracer, 'keys', store),
    limiter: (limiter) => chargeSpans(tracer, limiter),
    mongo: (commands) => mongoCommandSpans(tracer, commands),
    async stop() {
      unsubscribe();
      carryTraces(undefined);
      // Export failures have been logged already.
      await withTimeout(provider.shutdown(), timeoutMs).catch(() => undefined);
    },
  };
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override these attributes. */
function resourceOf(environment: string): Resource {
  return defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': SERVICE,
        'service.version': VERSION,
        'service.instance.id': randomUUID(),
        'deployment.environment.name': environment,
        'process.pid': process.pid,
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
}

/**
 * Logs the SDK's messages about its settings. Later messages are dropped, because they would repeat with each export.
 */
function logSdkMessages<T>(log: Logger, build: () => T): T {
  const warn = (message: string) => log.warn(`OpenTelemetry: ${message}`);
  const silent = () => undefined;
  diag.setLogger(
    { error: warn, warn, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  try {
    return build();
  } finally {
    diag.disable();
  }
}

/** Returns the same exporter. Logs one line when exports start to fail, and one when they succeed again. */
function logLosses(exporter: SpanExporter, log: Logger): SpanExporter {
  let lostSpans = 0;

  function note({ code, error }: ExportResult, spans: number): void {
    if (code === ExportResultCode.SUCCESS) {
      if (lostSpans > 0) log.info({ lostSpans }, 'Exporting traces works again');
      lostSpans = 0;
      return;
    }
    if (lostSpans === 0)
      log.warn(
        { reason: reasonOf(error) },
        'Could not export traces; the gateway drops them and serves requests as usual',
      );
    lostSpans += spans;
  }

  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        note(result, spans.length);
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

/**
 * Sends an empty export the way that spans are sent. Resolves to undefined if the collector accepts it, otherwise to
 * the reason.
 */
export async function tryExport(timeoutMs: number): Promise<string | undefined> {
  const exporter = new OTLPTraceExporter({ timeoutMillis: timeoutMs });
  try {
    const { code, error } = await new Promise<ExportResult>((resolve) => exporter.export([], resolve));
    return code === ExportResultCode.SUCCESS ? undefined : reasonOf(error);
  } finally {
    await exporter.shutdown();
  }
}

/**
 * Why an export failed. If several addresses failed, Node's error has a code and no message. If the collector answered,
 * the code is its HTTP status.
 */
function reasonOf(error: (Error & { code?: string | number }) | undefined): string {
  if (error === undefined) return 'the collector gave no reason';
  const { code = '', message } = error;
  return message.includes(String(code)) ? message : `${code} ${message}`.trim();
}
