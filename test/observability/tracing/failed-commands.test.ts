import { ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { createLogger } from '../../../src/lib/logger.js';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { connectRedis } from '../../../src/platform/redis/redis-connection.js';
import { within } from '../../../src/observability/tracing/contexts.js';
import { mongoCommandSpans } from '../../../src/observability/tracing/mongo-commands.js';
import { subscribeToRedis } from '../../../src/observability/tracing/redis-commands.js';
import { freshDatabase } from '../../support/database.js';
import { startRedisServer } from '../../support/redis-server.js';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer('test');
const database = freshDatabase();
afterAll(() => database.drop());

/** The span of the command that a request sent in vain. */
async function spanOfFailure(send: () => Promise<unknown>): Promise<ReadableSpan> {
  exporter.reset();
  const request = tracer.startSpan('request');
  await expect(within(trace.setSpan(ROOT_CONTEXT, request), send)).rejects.toThrow();
  const [command] = exporter.getFinishedSpans();
  if (command === undefined) throw new Error('no span');
  return command;
}

/** The collection behind a client whose commands are traced. */
async function tracedPets() {
  const connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: 'pets',
    databaseSuffix: '',
    selectionTimeoutMs: 3000,
    monitorCommands: true,
  });
  mongoCommandSpans(tracer, connection.getClient());
  const pets = connection.getClient().db(database.dbName).collection<{ _id: number }>('pets');
  return { pets, close: () => connection.close() };
}

test('a command that MongoDB refuses is marked with its code, and says nothing of what was asked', async () => {
  const { pets, close } = await tracedPets();
  const span = await spanOfFailure(() => pets.findOne({ $of: 'a value' }));
  await close();
  expect(span.name).toBe('find pets');
  expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
  expect(span.attributes).toMatchObject({ 'error.type': 'BadValue', 'db.response.status_code': '2' });
  expect(span.events).toEqual([]);
  expect(JSON.stringify(span.attributes)).not.toContain('a value');
});

test('an upsert that finds its unique key taken is no failed command: its caller continues', async () => {
  const { pets, close } = await tracedPets();
  await pets.insertOne({ _id: 1 });
  const span = await spanOfFailure(() =>
    pets.findOneAndUpdate({ _id: 1, name: 'another' }, { $set: { name: 'a value' } }, { upsert: true }),
  );
  await close();
  expect(span.status).toEqual({ code: SpanStatusCode.UNSET });
  expect(span.attributes).toMatchObject({ 'db.response.status_code': '11000' });
  expect(span.attributes).not.toHaveProperty('error.type');
  expect(JSON.stringify(span.attributes)).not.toContain('a value');
});

test('a command that Redis refuses is marked with the word that the answer begins with', async () => {
  const redis = await startRedisServer();
  const { client, close } = await connectRedis(redis.url, createLogger({ level: 'silent', pretty: false }));
  const unsubscribe = subscribeToRedis(tracer);
  await client.set('a-key', 'a value');
  const span = await spanOfFailure(() => client.hget('a-key', 'a-field'));
  unsubscribe();
  await close();
  await redis.close();
  expect(span.name).toBe('HGET');
  expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
  expect(span.attributes).toMatchObject({
    'error.type': 'WRONGTYPE',
    'db.response.status_code': 'WRONGTYPE',
  });
  expect(JSON.stringify(span.attributes)).not.toMatch(/a-key|a-field|a value/);
});
