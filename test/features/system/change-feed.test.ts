import { setInterval as every } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Connection } from 'mongoose';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { followChanges, type ChangeFeed } from '../../../src/features/system/mongo-change-feed.js';
import {
  CHANGES_COLLECTION,
  createChangeNotices,
} from '../../../src/features/system/mongo-change-notices.js';
import { PROJECTS_COLLECTION } from '../../../src/features/projects/mongo-projects-store.js';
import { freshDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';
import { startWire, type SilentWire } from '../../support/wire.js';

const database = freshDatabase();
let wire: SilentWire;
let near: Connection;
let far: Connection;
let watch: ChangeFeed;
/** The reported changes, in order, each with whether everything before it counted as known. */
const received: { id: string; healthy: boolean }[] = [];
const writing = new AbortController();
let written = 0;

const connectTo = (uri: string) =>
  connectMongo({ uri, defaultDatabase: 'unused', databaseSuffix: '', selectionTimeoutMs: 10_000 });

beforeAll(async () => {
  wire = await startWire(database.uri);
  [near, far] = await Promise.all([connectTo(database.uri), connectTo(wire.uri)]);
  watch = followChanges(far, {
    onChange: ({ id }) => received.push({ id, healthy: watch.healthy() }),
    onBegin: () => undefined,
    onError: () => undefined,
  });
  void write();
});
afterAll(async () => {
  writing.abort();
  await watch.close();
  await Promise.all([near.close(), far.close(true)]);
  wire.close();
  await database.drop();
});

/** Changes without a pause, so that the stream is never silent. */
async function write(): Promise<void> {
  const projects = near.collection<{ _id: string }>(PROJECTS_COLLECTION);
  try {
    for await (const _ of every(50, undefined, { signal: writing.signal }))
      await projects.insertOne({ _id: `proj_${++written}` });
  } catch (error) {
    if (!writing.signal.aborted) throw error;
  }
}

/** The next reports about what is written from now on. */
async function changesAfter(count: number) {
  const first = `proj_${written + 1}`;
  const begin = await until(`${first} to arrive`, () => {
    const at = received.findIndex(({ id }) => id === first);
    return Promise.resolve(at !== -1 && { at });
  });
  // What an event says counts from the next one on.
  await until('more to arrive', () => Promise.resolve(received.length > begin.at + count));
  return received.slice(begin.at + 1, begin.at + 1 + count);
}

test('a busy change stream is healthy while it delivers soon, and unhealthy when it is late', async () => {
  await until('a healthy stream', () => Promise.resolve(watch.healthy()));
  await until('a change that arrives soon', async () =>
    (await changesAfter(5)).some(({ healthy }) => healthy),
  );

  wire.delay(2500);
  const late = await changesAfter(20);
  expect(late.filter(({ healthy }) => healthy)).toEqual([]);

  wire.delay(0);
  await until('a healthy stream', () => Promise.resolve(watch.healthy()));
});

interface Follower {
  feed: ChangeFeed;
  connection: Connection;
  changes: string[];
  /** How often changes may have been missed. */
  begins: number;
}

describe('when the process that publishes the changes', () => {
  let followers: Follower[];
  /** Of each test: MongoDB keeps the cursors of a client that was cut off for minutes. */
  let shared: ReturnType<typeof freshDatabase>;

  async function beginFollower(uri = shared.uri): Promise<Follower> {
    const connection = await connectTo(uri);
    const follower = { connection, changes: [] as string[], begins: 0 };
    const feed = followChanges(connection, {
      onChange: ({ id }) => follower.changes.push(id),
      onBegin: () => (follower.begins += 1),
      onError: () => undefined,
    });
    const started = Object.assign(follower, { feed });
    followers.push(started);
    await until('the feed to begin', () => Promise.resolve(follower.begins > 0));
    return started;
  }
  async function startFollower(uri?: string): Promise<Follower> {
    const follower = await beginFollower(uri);
    await until('a healthy feed', () => Promise.resolve(follower.feed.healthy()));
    return follower;
  }
  beforeEach(() => {
    [followers, shared] = [[], freshDatabase()];
  });
  afterEach(async () => {
    for (const { feed, connection } of followers) {
      await feed.close();
      await connection.close(true);
    }
    await shared.drop();
  });

  test.each([
    ['ends', ({ feed }: Follower) => feed.close()],
    ['is cut off', ({ connection }: Follower) => connection.close(true)],
  ])('%s, another continues where it stopped', async (_how, stop) => {
    const [publisher, follower] = [await startFollower(), await startFollower()];
    const { begins } = follower;
    const projects = near.getClient().db(shared.dbName).collection<{ _id: string }>(PROJECTS_COLLECTION);
    const [before, after, later] = ['proj_before', 'proj_after', 'proj_later'];
    await projects.insertOne({ _id: before });
    await until('the first change', () => Promise.resolve(follower.changes.includes(before)));
    await stop(publisher);
    await projects.insertOne({ _id: after });
    await until('the change made without a publisher', () =>
      Promise.resolve(follower.changes.includes(after)),
    );
    await until('a healthy feed', () => Promise.resolve(follower.feed.healthy()));
    await projects.insertOne({ _id: later });
    await until('the next change', () => Promise.resolve(follower.changes.includes(later)));
    // It forgot nothing that it had, because it missed nothing.
    expect(follower.begins).toBe(begins);
  });

  test('ends amid twenty followers, one of them continues', async () => {
    const publisher = await startFollower();
    // Not each of them healthy: on a busy machine, twenty in one process cannot all be prompt at the same time.
    const others: Follower[] = [];
    while (others.length < 20) others.push(await beginFollower());
    await untilOnePublishes(shared);
    const begins = others.map((follower) => follower.begins);
    await publisher.feed.close();
    const projects = near.getClient().db(shared.dbName).collection<{ _id: string }>(PROJECTS_COLLECTION);
    await projects.insertOne({ _id: 'proj_of_twenty' });
    await until('all to hear', () =>
      Promise.resolve(others.every(({ changes }) => changes.includes('proj_of_twenty'))),
    );
    await untilOnePublishes(shared);
    expect(others.map((follower) => follower.begins)).toEqual(begins);
  });

  test('cannot continue where the last one stopped, all learn that they may have missed something', async () => {
    const [publisher, follower] = [await startFollower(), await startFollower()];
    await untilOnePublishes(shared);
    const before = [publisher.begins, follower.begins];
    // As if a third process had published, and MongoDB had lost the changes since then. Its id is the lowest.
    const notices = createChangeNotices(near.useDb(shared.dbName));
    let quiet = 0;
    await until('the third process to be the only one', async () => {
      const position = { upTo: new Date(), resumeToken: { _data: '00' } };
      await notices.write({ by: '!', kind: 'publishes', position });
      quiet = (await publishersOf(shared)).length === 0 ? quiet + 1 : 0;
      return quiet === 10;
    });
    await until('both to report the gap', () =>
      Promise.resolve([publisher, follower].every(({ begins }, i) => begins > (before[i] ?? 0))),
    );
    await until('a healthy feed', () => Promise.resolve(follower.feed.healthy()));
  });

  test('is too fast for a follower, the follower learns that it may have missed something', async () => {
    const slowWire = await startWire(shared.uri);
    await startFollower();
    const slow = await startFollower(slowWire.uri);
    const { begins } = slow;
    slowWire.hold();
    const notices = near.getClient().db(shared.dbName).collection(CHANGES_COLLECTION);
    const large = { by: '~', kind: 'follows', padding: 'x'.repeat(10_000) };
    for (let i = 0; i < 4; i++) await notices.insertMany(Array.from({ length: 50 }, () => ({ ...large })));
    slowWire.release();
    await until('the gap to be reported', () => Promise.resolve(slow.begins > begins));
    await until('a healthy feed', () => Promise.resolve(slow.feed.healthy()));
    await slow.feed.close();
    await slow.connection.close(true);
    slowWire.close();
  });
});

async function untilOnePublishes(database: { dbName: string }): Promise<void> {
  let streams: unknown[] = [];
  await until(
    () => `one publisher. Open change streams: ${inspect(streams, { depth: 3 })}`,
    async () => {
      streams = await publishersOf(database);
      return streams.length === 1;
    },
  );
}

/** The change streams that processes have open on a database, each with what MongoDB knows of it. */
async function publishersOf({ dbName }: { dbName: string }): Promise<unknown[]> {
  const open = await near
    .getClient()
    .db('admin')
    .aggregate<{ cursor: { cursorId: bigint } }>([
      { $currentOp: { idleCursors: true, allUsers: true } },
      // The first name while a process waits for changes, the second one in between.
      { $match: { 'cursor.tailable': true, ns: { $in: [`${dbName}.$cmd`, `${dbName}.$cmd.aggregate`] } } },
      { $project: { type: 1, client: 1, secs_running: 1, killPending: 1, cursor: 1 } },
    ])
    .toArray();
  return [...new Map(open.map((stream) => [stream.cursor.cursorId, stream])).values()];
}
