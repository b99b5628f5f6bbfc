import {
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  type Attributes,
  type Context,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { FinishedRequest } from '../../http/steps/finished-request.js';
import { pathOf, requestContextOf } from '../../http/steps/request-context.js';
import { showPath } from '../../http/steps/shown-path.js';
import type { TraceIds } from '../../lib/trace-context.js';
import { CLIENT_GONE } from '../../features/usage/usage.js';
import { beginRecorded, fail, within } from './contexts.js';
import type { Tracing } from './tracing.js';
import { REST_OPERATIONS } from '../../http/versioning/rest-operations.js';

/** Paths that programs request every few seconds: their spans would outnumber all others. */
const PROBES: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/metrics']);

/**
 * Creates a server span for each request, in the trace that its `traceparent` names, or in a new trace.
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 * @param adminApiKey the configured admin key, which no span contains
 */
export function requestSpans(
  tracer: Tracer,
  adminApiKey: string | undefined,
): Pick<Tracing, 'beginRequest' | 'endRequest' | 'resuming'> {
  const shown = showPath(adminApiKey);
  const propagator = new W3CTraceContextPropagator();
  /** Of recorded requests, by the ids in the request context: no other module handles OpenTelemetry contexts. */
  const recorded = new WeakMap<TraceIds, { context: Context; end: () => void }>();

  const begin: RequestHandler = (req, res, next) => {
    if (PROBES.has(pathOf(req))) {
      next();
      return;
    }
    const parent = propagator.extract(ROOT_CONTEXT, req.headers, defaultTextMapGetter);
    const span = tracer.startSpan(methodOf(req), { kind: SpanKind.SERVER, attributes: asked(req) }, parent);
    const { traceId, spanId } = span.spanContext();
    const ids = { traceId, spanId };
    requestContextOf(res).trace = ids;
    if (span.isRecording()) recorded.set(ids, { context: trace.setSpan(parent, span), end: beginRecorded() });
    within(contextOf(res), next);
  };

  function contextOf(res: Response): Context | undefined {
    const ids = requestContextOf(res).trace;
    return ids && recorded.get(ids)?.context;
  }

  return {
    beginRequest: [begin],
    endRequest(request) {
      const { context, end } = (request.trace && recorded.get(request.trace)) ?? {};
      const span = context && trace.getSpan(context);
      if (span === undefined) return;
      const route = routeOf(request);
      if (route !== undefined) span.updateName(`${methodOf(request)} ${route}`);
      span.setAttributes({
        ...answered(request),
        'url.path': shown(request.path),
        ...(route !== undefined && { 'http.route': route }),
      });
      // Errors of the client leave the span's status unset, as the conventions require for servers.
      if (request.status >= 500) fail(span, request.error?.code ?? String(request.status));
      else if (request.status === CLIENT_GONE) span.setAttribute('error.type', 'client_gone');
      span.end();
      end?.();
    },
    resuming: (step) => (req, res, next) => {
      const context = contextOf(res);
      const resume: NextFunction = (error?: unknown) => within(context, () => next(error));
      return step(req, res, resume);
    },
  };
}

function asked(req: Request): Attributes {
  return {
    'http.request.method': methodOf(req),
    'url.scheme': req.secure ? 'https' : 'http',
    'network.protocol.version': req.httpVersion,
  };
}

function answered({
  requestId,
  status,
  interface: apiInterface,
  area,
  operation,
  caller,
  isBySession,
  cost,
  error,
}: FinishedRequest) {
  const known: Attributes = {
    'pets_gateway.request_id': requestId,
    'pets_gateway.interface': area ?? apiInterface,
    'pets_gateway.operation': operation,
    // Without a response there is no status.
    'http.response.status_code': status === CLIENT_GONE ? undefined : status,
    'pets_gateway.key_id': caller?.key.id,
    'pets_gateway.project_id': caller?.project?.id,
    'pets_gateway.plan': caller?.project?.plan,
    'pets_gateway.by_session': isBySession || undefined,
    'pets_gateway.cost': cost,
    'pets_gateway.error_code': error?.code,
  };
  return known;
}

/** The paths of operations, as in schema/openapi.yaml. */
const ROUTES: ReadonlyMap<string, string> = new Map(
  Object.entries(REST_OPERATIONS).map(([id, { path }]) => [id, path]),
);

/** `http.route`; undefined if there is no operation at the path, as for files of sites. */
function routeOf({
  interface: apiInterface,
  operation,
}: Pick<FinishedRequest, 'interface' | 'operation'>): string | undefined {
  return apiInterface === 'graphql' ? '/graphql' : ROUTES.get(operation);
}

/** The methods that the conventions know. Clients may invent others. */
const METHODS: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

function methodOf({ method }: { method: string }): string {
  return METHODS.has(method) ? method : '_OTHER';
}
