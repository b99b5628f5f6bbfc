import type { Attributes, Span, Tracer } from '@opentelemetry/api';
import type { mongo } from 'mongoose';
import { isDuplicateKey } from '../../platform/mongo/error-codes.js';
import { startCommand } from './command-span.js';
import { fail } from './contexts.js';

/** A client created with `monitorCommands`. */
export type MongoCommands = Pick<mongo.MongoClient, 'on'>;

/**
 * Commands whose first value names a collection. In other commands the first value may be anything, such as a user's
 * name.
 */
const ABOUT_A_COLLECTION: ReadonlySet<string> = new Set([
  'aggregate',
  'count',
  'createIndexes',
  'delete',
  'distinct',
  'find',
  'findAndModify',
  'insert',
  'killCursors',
  'update',
]);
/** The field that holds the writes of a command, which may be several. */
const WRITES: Readonly<Record<string, string>> = {
  delete: 'deletes',
  insert: 'documents',
  update: 'updates',
};

/**
 * Creates spans from the driver's own events. They contain the command and its outcome, never a filter, document or
 * reply.
 * https://opentelemetry.io/docs/specs/semconv/db/mongodb/
 */
export function mongoCommandSpans(tracer: Tracer, commands: MongoCommands): void {
  const spans = new Map<number, Span>();

  function take(requestId: number): Span | undefined {
    const span = spans.get(requestId);
    spans.delete(requestId);
    return span;
  }

  commands.on('commandStarted', (event) => {
    const collection = collectionOf(event);
    const target = collection === undefined ? '' : ` ${collection}`;
    const span = startCommand(tracer, event.commandName + target, attributesOf(event, collection));
    if (span !== undefined) spans.set(event.requestId, span);
  });
  commands.on('commandSucceeded', ({ requestId }) => take(requestId)?.end());
  commands.on('commandFailed', ({ requestId, failure }) => {
    const span = take(requestId);
    if (span === undefined) return;
    const { code, codeName } = failure as mongo.MongoServerError;
    if (code !== undefined) span.setAttribute('db.response.status_code', String(code));
    // A duplicate key is not a failure of the command: the caller expects it and goes on, or fails with an error of its
    // own. For example, it makes way for a new counter when the old one is used up.
    if (!isDuplicateKey(failure)) fail(span, codeName ?? failure.name);
    span.end();
  });
}

function attributesOf(
  { commandName, command, databaseName, address }: mongo.CommandStartedEvent,
  collection: string | undefined,
): Attributes {
  const [, host = address, port] = /^(.*):(\d+)$/.exec(address) ?? [];
  const writes: unknown = command[WRITES[commandName] ?? ''];
  return {
    'db.system.name': 'mongodb',
    'db.namespace': databaseName,
    'db.operation.name': commandName,
    ...(collection !== undefined && { 'db.collection.name': collection }),
    ...(Array.isArray(writes) && writes.length > 1 && { 'db.operation.batch.size': writes.length }),
    'server.address': host,
    ...(port !== undefined && { 'server.port': Number(port) }),
  };
}

function collectionOf({ commandName, command }: mongo.CommandStartedEvent): string | undefined {
  const name: unknown =
    commandName === 'getMore'
      ? command['collection']
      : ABOUT_A_COLLECTION.has(commandName)
        ? command[commandName]
        : undefined;
  return typeof name === 'string' ? name : undefined;
}
