import type { Connection, mongo } from 'mongoose';
import { DAY_MS, MINUTE_MS } from '../../lib/clock.js';
import { randomBase62 } from '../../lib/random-id.js';
import { currentTrace, inTraceOf, type Traced } from '../../lib/trace-context.js';
import { withTimeout } from '../../lib/with-timeout.js';
import { wantedIndex, type CollectionShape } from '../../platform/mongo/collection-shape.js';
import { isDuplicateKey } from '../../platform/mongo/error-codes.js';
import type { Meter, WindowLimit, WindowName } from '../plans/window.js';
import { createEarlierCounts, type EarlierCounts } from './mongo-earlier-counts.js';
import { ask, countOf, SAME_WINDOW_MS, type Counts, type QuotaStore } from './quota-store.js';

export const QUOTAS_COLLECTION = 'quotas';
/** MongoDB removes a key's counts once its day has ended. */
export const quotasCollection: CollectionShape = {
  name: QUOTAS_COLLECTION,
  indexes: [wantedIndex({ x: 1 }, { expireAfterSeconds: 0 })],
};

/** The names are short because each charge writes the document. */
export interface QuotaDocument {
  /** The key's id. */
  _id: string;
  m?: WindowCounts;
  d?: WindowCounts;
  /** The time of the last change, by MongoDB's clock. */
  t: Date;
  /** When MongoDB may remove the document. */
  x: Date;
  /** The last change of each process that changed it lately. */
  by?: Outcome[];
}

interface WindowCounts {
  /** When the window ends. */
  e: Date;
  /** Units used. */
  u: number;
  /** The epoch: a reset raises it. */
  p: number;
}

/** What a process changed. */
interface Outcome {
  /** The process. */
  p: string;
  /** The number of its batch. */
  b: number;
  /** Units that all windows had left before the change. */
  f: number;
  /** The time of the change. */
  t: Date;
}

const FIELDS = { minute: 'm', day: 'd' } as const satisfies Record<WindowName, keyof QuotaDocument>;
/**
 * The processes whose last change a document remembers, and for how long, milliseconds. A process reads its outcome
 * right after it wrote it, so this many others would have to charge the same key in between to hide it.
 */
const MAX_PROCESSES = 256;
const REMEMBERED_MS = 10 * MINUTE_MS;
/** Keys in one batch. */
const MAX_BATCH = 500;
/** How long the next batch waits for one that MongoDB does not answer, milliseconds. */
const MAX_WAIT_MS = 2000;
/** How long MongoDB waits for the other members before it says that a write may be lost, milliseconds. */
const WRITE_TIMEOUT_MS = 5000;
const KEPT_LONGER_MS = 60 * MINUTE_MS;
const MAX_TRIES = 5;

type Expression = unknown;
/** The stored window that counts now, or the one to start. */
type WindowsNow = Record<string, Expression>;

/** A change of one document that waits for its turn. */
interface Change extends Traced {
  id: string;
  /** The update. `batch` tells MongoDB whether it has already made it. */
  pipeline: (batch: number) => mongo.Document[];
  resolve: (after: QuotaDocument) => void;
  reject: (error: unknown) => void;
}

/**
 * Counts in MongoDB: one document for each key. An update with an aggregation pipeline reads MongoDB's clock, starts
 * windows that have ended, and counts exactly what fits in all of them. Changes of many keys go out as one batch; those
 * that arrive while a batch is in progress form the next one. A change alone goes out at once, in one round trip.
 *
 * A batch does not return documents. So a change stores its outcome under the id of this process with the number of its
 * batch, and one query reads the outcomes of a batch. A change whose batch number is not higher than the stored one was
 * made before, or comes too late: it does nothing. So the driver and this store may repeat a change.
 *
 * Changes are on the journals of a majority of the replica set before they count as made.
 *
 * @param now MongoDB's clock; tests pass their own
 */
export function createMongoQuotaStore(
  connection: Connection,
  now: () => Date | '$$NOW' = () => '$$NOW',
): QuotaStore {
  const db = connection.getClient().db(connection.name, {
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: WRITE_TIMEOUT_MS },
    readPreference: 'primary',
  });
  const collection = db.collection<QuotaDocument>(QUOTAS_COLLECTION);
  const earlier = createEarlierCounts(db);
  const processId = randomBase62(8);
  const fields = {
    projection: { m: 1, d: 1, t: 1, by: { $elemMatch: { p: processId } } },
  } as const;
  let batchNumber = 0;
  let waiting: Change[] = [];
  let isSending = false;

  const change = (id: string, pipeline: Change['pipeline']): Promise<QuotaDocument> =>
    new Promise((resolve, reject) => {
      waiting.push({ id, pipeline, trace: currentTrace(), resolve, reject });
      if (!isSending) void sendAll();
    });

  async function sendAll(): Promise<void> {
    isSending = true;
    // What is asked for in the same turn of the event loop goes out together.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    while (waiting.length > 0) {
      await withTimeout(inTraceOf(takeBatch(), send, undefined), MAX_WAIT_MS).catch(() => undefined);
      // The requests that the last batch answered, and those that have arrived, join the next one.
      if (waiting.length > 0) await new Promise(setImmediate);
    }
    isSending = false;
  }

  /** One change for each document: a document stores one outcome of this process. */
  function takeBatch(): Change[] {
    const batch = new Map<string, Change>();
    waiting = waiting.filter((one) => {
      if (batch.has(one.id) || batch.size === MAX_BATCH) return true;
      batch.set(one.id, one);
      return false;
    });
    return [...batch.values()];
  }

  async function send(changes: readonly Change[]): Promise<void> {
    batchNumber += 1;
    const number = batchNumber;
    try {
      const found = await repeated(() =>
        changes.length === 1 ? sendAlone(changes, number) : sendTogether(changes, number),
      );
      const outcomes = new Map(found.map((document) => [document._id, document]));
      for (const { id, resolve, reject } of changes) {
        const outcome = outcomes.get(id);
        if (outcome?.by?.[0]?.b === number) resolve(outcome);
        // A later change of this process overtook it, or too many other processes hid it.
        else reject(new Error('the outcome was overwritten'));
      }
    } catch (error) {
      for (const { reject } of changes) reject(error);
    }
  }

  async function sendAlone(changes: readonly Change[], number: number): Promise<QuotaDocument[]> {
    const [one] = changes;
    if (one === undefined) return [];
    const options = { upsert: true, returnDocument: 'after', ...fields } as const;
    const document = await collection.findOneAndUpdate({ _id: one.id }, one.pipeline(number), options);
    return document === null ? [] : [document];
  }

  async function sendTogether(changes: readonly Change[], number: number): Promise<QuotaDocument[]> {
    await collection.bulkWrite(
      changes.map(({ id, pipeline }) => ({
        updateOne: { filter: { _id: id }, update: pipeline(number), upsert: true },
      })),
      { ordered: false },
    );
    return collection.find({ _id: { $in: changes.map(({ id }) => id) } }, fields).toArray();
  }

  async function readDocuments(ids: readonly string[]): Promise<Map<string, QuotaDocument>> {
    const at = now();
    const found = await collection
      .find(
        { _id: { $in: [...ids] } },
        { projection: { m: 1, d: 1, t: at === '$$NOW' ? at : { $literal: at } } },
      )
      .toArray();
    return new Map(found.map((document) => [document._id, document]));
  }

  return {
    decide: (meter, costs, known = []) =>
      ask(async () => {
        const isKnown = meter.windows.every((_window, i) => (known[i]?.msBeforeNext ?? 0) > 0);
        const before = isKnown ? undefined : await earlier.of([meter]);
        const document = await change(meter.id, (batch) =>
          pipelineOf(meter, now(), { processId, batch }, before?.get(meter.id), (free) =>
            unitsAdmitted(costs, free),
          ),
        );
        const windows = countsOf(meter, document, before?.get(meter.id));
        return { free: document.by?.[0]?.f ?? 0, windows };
      }),
    add: (meter, units, leftMs) =>
      ask(async () => {
        const document = await change(meter.id, (batch) =>
          addition(meter, now(), { processId, batch }, units, leftMs),
        );
        return countsOf(meter, document);
      }),
    read: (meters) =>
      ask(async () => {
        if (meters.length === 0) return [];
        const [found, before] = await Promise.all([
          readDocuments(meters.map(({ id }) => id)),
          earlier.of(meters),
        ]);
        return meters.map((meter) => countsOf(meter, found.get(meter.id), before.get(meter.id)));
      }),
    async remove(keys) {
      await ask(() => collection.deleteMany({ _id: { $in: keys.map(({ id }) => id) } }));
    },
  };
}

/** Two processes that make a document at the same time: one of them is rejected, and finds it when it tries again. */
async function repeated<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await run();
    } catch (error) {
      if (!isDuplicateKey(error) || tries === MAX_TRIES) throw error;
    }
}

interface Asking {
  processId: string;
  batch: number;
}

function pipelineOf(
  { windows }: Meter,
  now: Date | '$$NOW',
  { processId, batch }: Asking,
  earlier: EarlierCounts | undefined,
  unitsOf: (free: Expression) => Expression,
): mongo.Document[] {
  const current: WindowsNow = {};
  for (const window of windows) current[FIELDS[window.name]] = windowNow(window, now, earlier?.[window.name]);
  const left = windows.map(({ name, limit }) => ({ $subtract: [limit, `$$${FIELDS[name]}.u`] }));
  const counted: Record<string, Expression> = {};
  for (const { name } of windows) {
    const field = FIELDS[name];
    const after = { e: `$$${field}.e`, u: { $add: [`$$${field}.u`, '$$units'] }, p: `$$${field}.p` };
    // A window starts with the first unit that it counts.
    counted[field] = { $cond: [{ $gt: ['$$units', 0] }, after, `$${field}`] };
  }
  return replaceUnlessMade({ processId, batch, free: '$$free' }, now, counted, (fields) =>
    within(
      current,
      within(
        { free: { $max: [0, ...(left.length === 1 ? left : [{ $min: left }])] } },
        within({ units: unitsOf('$$free') }, fields),
      ),
    ),
  );
}

/** See QuotaStore.add. */
function addition(
  { windows }: Meter,
  now: Date | '$$NOW',
  { processId, batch }: Asking,
  units: readonly number[],
  leftMs: readonly number[],
): mongo.Document[] {
  const counted: Record<string, Expression> = {};
  for (const [i, { name, epoch }] of windows.entries()) {
    const field = FIELDS[name];
    const [added = 0, endsInMs = 0] = [units[i], leftMs[i]];
    const end = { $add: [now, Math.round(endsInMs)] };
    const after = { e: `$${field}.e`, u: { $max: [0, { $add: [`$${field}.u`, added] }] }, p: `$${field}.p` };
    const started =
      added > 0 && endsInMs > 0
        ? { e: { $min: [end, endOfNew(name, now)] }, u: added, p: epoch }
        : `$${field}`;
    const isSame = { $lte: [{ $abs: { $subtract: [`$${field}.e`, end] } }, SAME_WINDOW_MS] };
    counted[field] = {
      $switch: {
        branches: [
          // Reset since then.
          { case: { $gt: [`$${field}.p`, epoch] }, then: `$${field}` },
          {
            case: { $and: [{ $eq: [`$${field}.p`, epoch] }, { $gt: [`$${field}.e`, now] }] },
            then: endsInMs <= 0 ? `$${field}` : added > 0 ? after : { $cond: [isSame, after, `$${field}`] },
          },
        ],
        default: started,
      },
    };
  }
  return replaceUnlessMade({ processId, batch, free: 0 }, now, counted, (fields) => fields);
}

/** The new document with these windows and the outcome, unless this process has already made this change or a later one. */
function replaceUnlessMade(
  { processId, batch, free }: Asking & { free: Expression },
  now: Date | '$$NOW',
  windows: Record<string, Expression>,
  around: (fields: Expression) => Expression,
): mongo.Document[] {
  const by = { $ifNull: ['$by', []] };
  const isMade = { $and: [{ $eq: ['$$this.p', processId] }, { $gte: ['$$this.b', batch] }] };
  const isRemembered = { $gt: ['$$this.t', { $subtract: [now, REMEMBERED_MS] }] };
  const isOther = { $and: [{ $ne: ['$$this.p', processId] }, isRemembered] };
  const others = { $filter: { input: by, as: 'this', cond: isOther } };
  const fields = {
    ...windows,
    t: now,
    x: { $add: [endOfNew('day', now), KEPT_LONGER_MS] },
    by: {
      $slice: [{ $concatArrays: [others, [{ p: processId, b: batch, f: free, t: now }]] }, -MAX_PROCESSES],
    },
  };
  const made = { $anyElementTrue: [{ $map: { input: by, as: 'this', in: isMade } }] };
  return [{ $replaceWith: { $cond: [made, '$$ROOT', around({ $mergeObjects: ['$$ROOT', fields] })] } }];
}

const within = (vars: Record<string, Expression>, expression: Expression): Expression => ({
  $let: { vars, in: expression },
});

/** The window that runs, otherwise a new one. */
function windowNow(
  { name, epoch }: WindowLimit,
  now: Date | '$$NOW',
  earlier: EarlierCounts[WindowName],
): Expression {
  const field = FIELDS[name];
  const end = endOfNew(name, now);
  // It ends no later than one that starts now: after an election, the clock of the new primary may be behind.
  const running = { e: { $min: [`$${field}.e`, end] }, u: `$${field}.u`, p: `$${field}.p` };
  const started = { e: end, u: 0, p: epoch };
  const isRunning = { $and: [{ $gt: [`$${field}.e`, now] }, { $gte: [`$${field}.p`, epoch] }] };
  const fresh =
    earlier === undefined
      ? started
      : {
          $cond: [
            { $gt: [earlier.end, now] },
            { e: { $min: [earlier.end, end] }, u: earlier.units, p: epoch },
            started,
          ],
        };
  return { $cond: [isRunning, running, fresh] };
}

function endOfNew(name: WindowName, now: Date | '$$NOW'): Expression {
  if (name === 'minute') return { $add: [now, MINUTE_MS] };
  return { $add: [now, { $subtract: [DAY_MS, { $mod: [{ $toLong: now }, DAY_MS] }] }] };
}

/** As `admittedOf`, in MongoDB. */
function unitsAdmitted(costs: readonly number[], free: Expression): Expression {
  if (costs.every((cost) => cost === 1)) return { $min: [costs.length, free] };
  const sum = { $add: ['$$value', '$$this'] };
  const next = { $cond: [{ $lte: [sum, free] }, sum, '$$value'] };
  return { $reduce: { input: [...costs], initialValue: 0, in: next } };
}

function countsOf({ windows }: Meter, document: QuotaDocument | undefined, earlier?: EarlierCounts): Counts {
  return windows.map((window) => {
    const stored = document?.[FIELDS[window.name]];
    const nowMs = document?.t.getTime() ?? Date.now();
    const ends = stored !== undefined && stored.p >= window.epoch ? stored.e.getTime() : 0;
    if (stored !== undefined && ends > nowMs)
      return countOf(window, stored.u, Math.min(ends - nowMs, longestMs(window.name)));
    const before = earlier?.[window.name];
    if (before !== undefined) return countOf(window, before.units, before.end.getTime() - nowMs);
    return countOf(window, 0, 0);
  });
}

const longestMs = (name: WindowName) => (name === 'minute' ? MINUTE_MS : DAY_MS);
