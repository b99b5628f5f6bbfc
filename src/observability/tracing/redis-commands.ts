import { tracingChannel } from 'node:diagnostics_channel';
import type { Span, Tracer } from '@opentelemetry/api';
import { startCommand } from './command-span.js';
import { fail } from './contexts.js';

/**
 * The fields of an ioredis command that are used here (its CommandTraceContext). `args` is not used, because it
 * contains keys.
 */
interface RedisCommand {
  command: string;
  database: number;
  serverAddress: string;
  serverPort: number | undefined;
  /** Set by the channel if the command failed. */
  error?: unknown;
}

/** The first word of a Redis error: `ERR`, `READONLY`, `NOSCRIPT`. */
const ERROR_PREFIX = /^[A-Z]+\b/;

/**
 * Creates spans from the diagnostics channel of ioredis. Returns a function that unsubscribes.
 * https://opentelemetry.io/docs/specs/semconv/db/redis/
 */
export function subscribeToRedis(tracer: Tracer): () => void {
  const spans = new WeakMap<RedisCommand, Span>();
  const channel = tracingChannel<unknown, RedisCommand>('ioredis:command');
  const subscribers = {
    start(message: RedisCommand) {
      const { command, database, serverAddress, serverPort } = message;
      const name = command.toUpperCase();
      const span = startCommand(tracer, name, {
        'db.system.name': 'redis',
        'db.namespace': String(database),
        'db.operation.name': name,
        'server.address': serverAddress,
        ...(serverPort !== undefined && { 'server.port': serverPort }),
      });
      if (span !== undefined) spans.set(message, span);
    },
    end: () => undefined,
    asyncStart: () => undefined,
    asyncEnd: (message: RedisCommand) => spans.get(message)?.end(),
    error(message: RedisCommand) {
      const span = spans.get(message);
      if (span !== undefined) markRefused(span, message.error);
    },
  };
  channel.subscribe(subscribers);
  return () => channel.unsubscribe(subscribers);
}

function markRefused(span: Span, error: unknown): void {
  const { name, message } = error instanceof Error ? error : new Error();
  const prefix = name === 'ReplyError' ? ERROR_PREFIX.exec(message)?.[0] : undefined;
  if (prefix !== undefined) span.setAttribute('db.response.status_code', prefix);
  fail(span, prefix ?? name);
}
