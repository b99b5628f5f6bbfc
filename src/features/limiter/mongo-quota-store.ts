import { mongo, type Connection } from 'mongoose';
import { MINUTE_MS } from '../../lib/clock.js';
import { randomBase62 } from '../../lib/random-id.js';
import { currentTrace, inTraceOf, type Traced } from '../../lib/trace-context.js';
import { withTimeout } from '../../lib/with-timeout.js';
import { wantedIndex, type CollectionShape } from '../../platform/mongo/collection-shape.js';
import { isDuplicateKey } from '../../platform/mongo/error-codes.js';
import { onceMoreAfterFailover, type RejectedUpdate } from '../../platform/mongo/repeat-command.js';
import {
  LONGEST_WINDOW,
  WINDOWS,
  type Meter,
  type WindowField,
  type WindowLimit,
  type WindowName,
  type WindowRule,
} from '../plans/window.js';
import { ask, countOf, SAME_WINDOW_MS, type Counts, type QuotaStore } from './quota-store.js';

export const QUOTAS_COLLECTION = 'quotas';
/** MongoDB removes a key's counts once its longest window has ended. */
export const quotasCollection: CollectionShape = {
  name: QUOTAS_COLLECTION,
  indexes: [wantedIndex({ x: 1 }, { expireAfterSeconds: 0 })],
};

/** The names are short because each charge writes the document. */
export interface QuotaDocument extends Partial<Record<WindowField, WindowCounts>> {
  /** The key's id. */
  _id: string;
  /** The time of the last change, by MongoDB's clock. */
  t: Date;
  /** When MongoDB may remove the document. */
  x: Date;
  /** The last change of each process that changed it lately, by process. */
  o?: Record<string, BatchResult>;
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
interface BatchResult {
  /** The number of its batch. */
  b: number;
  /** Units that all windows had left before the change. */
  f: number;
  /** The time of the change. */
  t: Date;
}

const fieldOf = (name: WindowName): WindowField => WINDOWS[name].field;
const ALL_FIELDS = Object.fromEntries(Object.values(WINDOWS).map(({ field }) => [field, 1 as const]));
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
/** `wtimeout`: how long MongoDB waits for the other members before it says that a write may be lost, milliseconds. */
const DURABLE = { w: 'majority', j: true, wtimeout: 5000 } as const;
const NEVER = new Date(0);
const KEPT_LONGER_MS = 60 * MINUTE_MS;
const MAX_TRIES = 5;

type Expression = unknown;
type Pipeline = (batch: number) => mongo.Document[];
/** The stored window that counts now, or the one to start. */
type WindowsNow = Record<string, Expression>;

/** A change of one document that waits for its turn. */
interface Change extends Traced {
  id: string;
  /** The update. `batch` tells MongoDB whether it has already made it. */
  pipeline: Pipeline;
  /** A smaller update for the usual case, which does nothing in the others. */
  usual: Pipeline | undefined;
  resolve: (after: QuotaDocument) => void;
  reject: (error: unknown) => void;
}

/** One update of an update command. */
interface Update {
  q: { _id: string };
  u: mongo.Document[];
  upsert: boolean;
}

interface Made {
  documents: readonly QuotaDocument[];
  /** Why MongoDB rejected the change of a key. */
  failed: ReadonlyMap<string, unknown>;
}

/**
 * Counts in MongoDB: one document for each key. An update with an aggregation pipeline reads MongoDB's clock, starts
 * windows that have ended, and counts exactly what fits in all of them. Changes of many keys go out as one batch; those
 * that arrive while a batch is in progress form the next one. A change alone goes out at once, in one round trip.
 *
 * A batch does not return documents. So a change stores its outcome under the id of this process with the number of its
 * batch, and one query reads the outcomes of a batch. A change whose batch number is not higher than the stored one was
 * made before, or comes too late: it does nothing. So this store may repeat a change, and sends plain commands: for a
 * retryable write of the driver, MongoDB stores a record of its own with each change.
 *
 * Most changes meet windows that run and have enough left. For these, the store sends a small update first, which does
 * nothing in any other case; then the full update follows.
 *
 * Changes are on the journals of a majority of the replica set before they count as made.
 *
 * @param now MongoDB's clock; tests pass their own
 */
export function createMongoQuotaStore(
  connection: Connection,
  now: () => Date | '$$NOW' = () => '$$NOW',
): QuotaStore {
  const db = connection.getClient().db(connection.name, { writeConcern: DURABLE, readPreference: 'primary' });
  const collection = db.collection<QuotaDocument>(QUOTAS_COLLECTION);
  // A field name in expressions: not a number.
  const processId = `p${randomBase62(8)}`;
  const projection = { ...ALL_FIELDS, t: 1, [`o.${processId}`]: 1 };
  let batchNumber = 0;
  let waiting: Change[] = [];
  let isSending = false;

  const change = (id: string, pipeline: Pipeline, usual?: Pipeline): Promise<QuotaDocument> =>
    new Promise((resolve, reject) => {
      waiting.push({ id, pipeline, usual, trace: currentTrace(), resolve, reject });
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
      const left = await make(changes, number, true);
      if (left.length > 0) await make(left, number, false);
    } catch (error) {
      for (const { reject } of changes) reject(error);
    }
  }

  /** @returns the changes that are not usual, with `asUsual`; each of the others is resolved or rejected */
  async function make(changes: readonly Change[], number: number, asUsual: boolean): Promise<Change[]> {
    const updates = changes.map(({ id, usual, pipeline }): Update =>
      asUsual && usual !== undefined
        ? { q: { _id: id }, u: usual(number), upsert: false }
        : { q: { _id: id }, u: pipeline(number), upsert: true },
    );
    const { documents, failed } = await (updates.length === 1 ? sendAlone(updates) : sendTogether(updates));
    const outcomes = new Map(documents.map((document) => [document._id, document]));
    return changes.filter(({ id, usual, resolve, reject }) => {
      const outcome = outcomes.get(id);
      if (failed.has(id)) reject(failed.get(id));
      else if (outcome?.o?.[processId]?.b === number) resolve(outcome);
      else if (asUsual && usual !== undefined) return true;
      // A later change of this process overtook it, or too many other processes hid it.
      else reject(new Error('the outcome was overwritten'));
      return false;
    });
  }

  async function sendAlone([update]: readonly Update[]): Promise<Made> {
    const { q: query, u, upsert } = update ?? { q: { _id: '' }, u: [], upsert: false };
    const asked = {
      findAndModify: QUOTAS_COLLECTION,
      query,
      update: u,
      upsert,
      new: true,
      fields: projection,
    };
    const { value } = await repeated(() => command({ ...asked, writeConcern: DURABLE }));
    return { documents: value === null ? [] : [value as QuotaDocument], failed: new Map() };
  }

  /** A change that fails does not keep the others out. */
  async function sendTogether(updates: readonly Update[]): Promise<Made> {
    const failed = new Map<string, unknown>();
    let asked = updates;
    for (let tries = 1; asked.length > 0; tries++) {
      const batch = { update: QUOTAS_COLLECTION, updates: asked, ordered: false, writeConcern: DURABLE };
      const { writeErrors = [] } = (await command(batch)) as { writeErrors?: RejectedUpdate[] };
      const again: Update[] = [];
      for (const error of writeErrors) {
        const update = asked[error.index];
        if (update === undefined) continue;
        if (isDuplicateKey(error) && tries < MAX_TRIES) again.push(update);
        else failed.set(update.q._id, new mongo.MongoServerError(error));
      }
      asked = again;
    }
    const documents = await collection
      .find({ _id: { $in: updates.map(({ q }) => q._id) } }, { projection })
      .toArray();
    return { documents, failed };
  }

  const command = (asked: mongo.Document): Promise<mongo.Document> =>
    onceMoreAfterFailover(() => db.command(asked));

  async function readDocuments(ids: readonly string[]): Promise<Map<string, QuotaDocument>> {
    const at = now();
    const found = await collection
      .find(
        { _id: { $in: [...ids] } },
        { projection: { ...ALL_FIELDS, t: at === '$$NOW' ? at : { $literal: at } } },
      )
      .toArray();
    return new Map(found.map((document) => [document._id, document]));
  }

  return {
    decide: (meter, costs, known = []) =>
      ask(async () => {
        const isKnown = meter.windows.every((_window, i) => (known[i]?.msBeforeNext ?? 0) > 0);
        const units = costs.reduce((sum, cost) => sum + cost, 0);
        const isUsual = isKnown && known.every(({ remainingPoints }) => units <= remainingPoints);
        const document = await change(
          meter.id,
          (batch) => pipelineOf(meter, now(), { processId, batch }, (free) => unitsAdmitted(costs, free)),
          isUsual ? (batch) => usualPipeline(meter, now(), { processId, batch }, units) : undefined,
        );
        const windows = countsOf(meter, document);
        return { free: document.o?.[processId]?.f ?? 0, windows };
      }),
    add: (meter, units, leftMs, _known, follows = false) =>
      ask(async () => {
        const document = await change(meter.id, (batch) =>
          addition(meter, now(), { processId, batch }, { units, leftMs, follows }),
        );
        return countsOf(meter, document);
      }),
    read: (meters) =>
      ask(async () => {
        if (meters.length === 0) return [];
        const found = await readDocuments(meters.map(({ id }) => id));
        return meters.map((meter) => countsOf(meter, found.get(meter.id)));
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
  unitsOf: (free: Expression) => Expression,
): mongo.Document[] {
  const current: WindowsNow = {};
  for (const window of windows) current[fieldOf(window.name)] = windowNow(window, now);
  const left = windows.map(({ name, limit }) => ({ $subtract: [limit, `$$${fieldOf(name)}.u`] }));
  const counted: Record<string, Expression> = {};
  for (const { name } of windows) {
    const field = fieldOf(name);
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

/**
 * The same where all windows run, have these units left, and this process has changed the document before. Otherwise
 * it does nothing. MongoDB parses each update of a batch for itself, so its size is most of its cost.
 */
function usualPipeline(
  { windows }: Meter,
  now: Date | '$$NOW',
  { processId, batch }: Asking,
  units: number,
): mongo.Document[] {
  const made = `$o.${processId}.b`;
  const conditions: Expression[] = [{ $gt: [made, 0] }, { $lt: [made, batch] }];
  const counted: Record<string, Expression> = {};
  for (const { name, limit, epoch } of windows) {
    const field = fieldOf(name);
    conditions.push(
      { $eq: [`$${field}.p`, epoch] },
      { $gt: [`$${field}.e`, now] },
      // Not the end of tomorrow either: see windowNow.
      { $lte: [`$${field}.e`, { $add: [now, WINDOWS[name].lengthMs] }] },
      { $lte: [`$${field}.u`, limit - units] },
    );
    counted[field] = { e: `$${field}.e`, u: { $add: [`$${field}.u`, units] }, p: epoch };
  }
  const o = { $mergeObjects: ['$o', { [processId]: { b: batch, f: units, t: now } }] };
  const after = { $mergeObjects: ['$$ROOT', { ...counted, t: now, o }] };
  return [{ $replaceWith: { $cond: [{ $and: conditions }, after, '$$ROOT'] } }];
}

/** See QuotaStore.add. */
function addition(
  { windows }: Meter,
  now: Date | '$$NOW',
  { processId, batch }: Asking,
  { units, leftMs, follows }: { units: readonly number[]; leftMs: readonly number[]; follows: boolean },
): mongo.Document[] {
  const counted: Record<string, Expression> = {};
  for (const [i, { name, epoch }] of windows.entries()) {
    const field = fieldOf(name);
    const [added = 0, endsInMs = 0] = [units[i], leftMs[i]];
    const end = { $add: [now, Math.round(endsInMs)] };
    const endOfTheirs = { $min: [end, endOfNew(WINDOWS[name], now)] };
    const after = {
      e: follows && added > 0 ? { $max: [`$${field}.e`, endOfTheirs] } : `$${field}.e`,
      u: { $max: [0, { $add: [`$${field}.u`, added] }] },
      p: `$${field}.p`,
    };
    const apartMs = { $abs: { $subtract: [{ $ifNull: [`$${field}.e`, NEVER] }, end] } };
    const isSame = { $and: [{ $eq: [`$${field}.p`, epoch] }, { $lte: [apartMs, SAME_WINDOW_MS] }] };
    // Theirs may be the one that has just ended here.
    // A change that waited long could take them from the window after theirs: that began after this process's last change.
    const beganMs = { $subtract: [`$${field}.e`, WINDOWS[name].lengthMs] };
    const isTheirs = { $and: [isSame, { $lte: [beganMs, `$o.${processId}.t`] }] };
    const started =
      added > 0 && endsInMs > 0
        ? { $cond: [isSame, `$${field}`, { e: endOfTheirs, u: added, p: epoch }] }
        : `$${field}`;
    counted[field] = {
      $switch: {
        branches: [
          // Reset since then.
          { case: { $gt: [`$${field}.p`, epoch] }, then: `$${field}` },
          {
            case: { $and: [{ $eq: [`$${field}.p`, epoch] }, { $gt: [`$${field}.e`, now] }] },
            then: endsInMs <= 0 ? `$${field}` : added > 0 ? after : { $cond: [isTheirs, after, `$${field}`] },
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
  const outcomes = { $objectToArray: { $ifNull: ['$o', {}] } };
  const isRemembered = { $gt: ['$$this.v.t', { $subtract: [now, REMEMBERED_MS] }] };
  const isOther = { $and: [{ $ne: ['$$this.k', processId] }, isRemembered] };
  const others = { $filter: { input: outcomes, as: 'this', cond: isOther } };
  const own = { k: processId, v: { b: batch, f: free, t: now } };
  const fields = {
    ...windows,
    t: now,
    x: { $add: [endOfNew(LONGEST_WINDOW, now), KEPT_LONGER_MS] },
    o: { $arrayToObject: { $slice: [{ $concatArrays: [others, [own]] }, -MAX_PROCESSES] } },
  };
  const made = { $gte: [`$o.${processId}.b`, batch] };
  return [{ $replaceWith: { $cond: [made, '$$ROOT', around({ $mergeObjects: ['$$ROOT', fields] })] } }];
}

const within = (vars: Record<string, Expression>, expression: Expression): Expression => ({
  $let: { vars, in: expression },
});

/** The window that runs, otherwise a new one. */
function windowNow({ name, epoch }: WindowLimit, now: Date | '$$NOW'): Expression {
  const field = fieldOf(name);
  const end = endOfNew(WINDOWS[name], now);
  // It ends no later than one that starts now: after an election, the clock of the new primary may be behind.
  const running = { e: { $min: [`$${field}.e`, end] }, u: `$${field}.u`, p: `$${field}.p` };
  const started = { e: end, u: 0, p: epoch };
  const isRunning = { $and: [{ $gt: [`$${field}.e`, now] }, { $gte: [`$${field}.p`, epoch] }] };
  return { $cond: [isRunning, running, started] };
}

function endOfNew({ lengthMs, isAligned }: WindowRule, now: Date | '$$NOW'): Expression {
  if (!isAligned) return { $add: [now, lengthMs] };
  return { $add: [now, { $subtract: [lengthMs, { $mod: [{ $toLong: now }, lengthMs] }] }] };
}

/** As `admittedOf`, in MongoDB. */
function unitsAdmitted(costs: readonly number[], free: Expression): Expression {
  if (costs.every((cost) => cost === 1)) return { $min: [costs.length, free] };
  const sum = { $add: ['$$value', '$$this'] };
  const next = { $cond: [{ $lte: [sum, free] }, sum, '$$value'] };
  return { $reduce: { input: [...costs], initialValue: 0, in: next } };
}

function countsOf({ windows }: Meter, document: QuotaDocument | undefined): Counts {
  return windows.map((window) => {
    const stored = document?.[fieldOf(window.name)];
    const nowMs = document?.t.getTime() ?? 0;
    const ends = stored !== undefined && stored.p >= window.epoch ? stored.e.getTime() : 0;
    if (stored !== undefined && ends > nowMs)
      return countOf(window, stored.u, Math.min(ends - nowMs, WINDOWS[window.name].lengthMs));
    return countOf(window, 0, 0);
  });
}
