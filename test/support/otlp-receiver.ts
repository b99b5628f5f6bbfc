import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { bytesOf, hexOf, integerOf, messagesOf, textOf, type Fields } from './protobuf.js';

export type AttributeValue = string | boolean | bigint | number | AttributeValue[];
export type Attributes = Record<string, AttributeValue | undefined>;

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty: the first of its trace. */
  parentSpanId: string;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'other';
  /** Unix nanoseconds. */
  startNs: bigint;
  attributes: Attributes;
  links: { traceId: string; spanId: string }[];
  events: number;
  status: { code: 'unset' | 'ok' | 'error'; message: string };
  resource: Attributes;
}

export interface OtlpReceiver {
  url: string;
  /** Everything that was received until now. */
  spans: () => ReceivedSpan[];
  /** As it came over the wire. */
  bytes: () => Buffer;
  headers: () => IncomingHttpHeaders[];
  close: () => Promise<void>;
}

/** A trace as lines, each span beneath its parent and further in, in the order of their beginnings. */
export function treeOf(spans: readonly ReceivedSpan[], traceId: string): string[] {
  const ofTrace = spans
    .filter((span) => span.traceId === traceId)
    .toSorted((a, b) => Number(a.startNs - b.startNs));
  const known = new Set(ofTrace.map(({ spanId }) => spanId));
  const linesOf = (span: ReceivedSpan, indent: string): string[] => [
    indent + span.name,
    ...ofTrace
      .filter(({ parentSpanId }) => parentSpanId === span.spanId)
      .flatMap((child) => linesOf(child, `${indent}  `)),
  ];
  return ofTrace.filter(({ parentSpanId }) => !known.has(parentSpanId)).flatMap((root) => linesOf(root, ''));
}

/**
 * The other end of OTLP/HTTP with protobuf, as a collector has it: reads opentelemetry.proto.collector.trace.v1 by the
 * numbers of its fields.
 */
export async function startOtlpReceiver(port = 0): Promise<OtlpReceiver> {
  const bodies: Buffer[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((req, res) => {
    void buffer(req).then((body) => {
      const isTraces = req.method === 'POST' && req.url === '/v1/traces';
      if (isTraces) {
        bodies.push(body);
        headers.push(req.headers);
      }
      res.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap(spansOf),
    bytes: () => Buffer.concat(bodies),
    headers: () => headers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const KINDS: Readonly<Record<string, ReceivedSpan['kind']>> = { 1: 'internal', 2: 'server', 3: 'client' };
const CODES: Readonly<Record<string, ReceivedSpan['status']['code']>> = { 1: 'ok', 2: 'error' };

function spansOf(body: Buffer): ReceivedSpan[] {
  const [request] = messagesOf(new Map([[1, [body]]]), 1);
  if (request === undefined) return [];
  return messagesOf(request, 1).flatMap((ofResource) => {
    const resource = attributesOf(messagesOf(ofResource, 1)[0], 1);
    return messagesOf(ofResource, 2)
      .flatMap((ofScope) => messagesOf(ofScope, 2))
      .map((span) => toSpan(span, resource));
  });
}

function toSpan(span: Fields, resource: Attributes): ReceivedSpan {
  const [status] = messagesOf(span, 15);
  return {
    traceId: hexOf(span, 1),
    spanId: hexOf(span, 2),
    parentSpanId: hexOf(span, 4),
    name: textOf(span, 5),
    kind: KINDS[String(integerOf(span, 6))] ?? 'other',
    startNs: bytesOf(span, 7)[0]?.readBigUInt64LE() ?? 0n,
    attributes: attributesOf(span, 9),
    links: messagesOf(span, 13).map((link) => ({ traceId: hexOf(link, 1), spanId: hexOf(link, 2) })),
    events: bytesOf(span, 11).length,
    status: {
      code: CODES[String(status && integerOf(status, 3))] ?? 'unset',
      message: status === undefined ? '' : textOf(status, 2),
    },
    resource,
  };
}

function attributesOf(owner: Fields | undefined, number: number): Attributes {
  if (owner === undefined) return {};
  return Object.fromEntries(
    messagesOf(owner, number).map((attribute) => [
      textOf(attribute, 1),
      valueOf(messagesOf(attribute, 2)[0]),
    ]),
  );
}

function valueOf(value: Fields | undefined): AttributeValue {
  if (value === undefined) return '';
  if (value.has(1)) return textOf(value, 1);
  if (value.has(2)) return integerOf(value, 2) === 1n;
  if (value.has(3)) return integerOf(value, 3) ?? 0n;
  if (value.has(4)) return bytesOf(value, 4)[0]?.readDoubleLE() ?? 0;
  return messagesOf(value, 5).flatMap((array) => messagesOf(array, 1).map(valueOf));
}
