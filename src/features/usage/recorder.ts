import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import { DAY_MS, SECOND_MS, utcDay } from '../../lib/clock.js';
import type { ApiError } from '../../lib/errors.js';
import { randomBase62 } from '../../lib/random-id.js';
import type { ApiKey } from '../keys/api-key.js';
import type { ApiKeysStore, KeyUse } from '../keys/api-keys-store.js';
import type { WindowState } from '../plans/window.js';
import { nameOf } from './groups.js';
import { countStatus, groupOf, startOf, type PeriodTraffic, type TrafficSource } from './traffic.js';
import type { TrafficStore } from './traffic-store.js';
import { MAX_REFUSALS, type Refusal, type UsageGroup } from './usage.js';
import type { KeyDay, UsageStore } from './usage-store.js';
import { createWriteBuffer, LONG_WAIT_MS, type HowMuch } from './write-buffer.js';

/** How often counts are written. Traffic and the uses of keys are complete up to this time. */
export const WRITE_INTERVAL_MS = 5000;
/** How long a count of usage waits at most. A killed process loses the counts of at most this time. */
export const USAGE_WRITTEN_WITHIN_MS = WRITE_INTERVAL_MS + LONG_WAIT_MS;

/** The maximum numbers of rows that wait, see WriteBufferParts. Usage has a row for each key and day. */
const MAX_KEY_DAYS = 20_000;
/** A small row for each key. */
const MAX_KEYS_USED = 100_000;
/** The minutes of two days. */
const MAX_MINUTES = 2880;

/** How many rows of usage are written at each interval: each costs MongoDB two documents. */
const KEY_DAYS_PER_INTERVAL = 500;

/** A key counts as near a limit from this share of the limit. */
const NEAR_LIMIT = 0.8;
/** Keeps one rejection per reason and key within this time, because repetitions add no information. */
const REFUSAL_INTERVAL_MS = SECOND_MS;
const MAX_REFUSED = 50_000;
/** Keys whose marks of the day this process remembers to have written. A forgotten mark is written again. */
const MAX_MARKED = 50_000;

/** The result of a request. */
export interface CountedRequest extends Omit<UsageGroup, 'requests'> {
  source: TrafficSource;
  /** The error of a 429 response. */
  refusal?: ApiError | undefined;
}

type CountedKey = Pick<ApiKey, 'id' | 'projectId'>;

/**
 * Records in memory what requests do, and writes it every WRITE_INTERVAL_MS: the usage of each key and day, the traffic
 * of each minute, and the last use of each key.
 */
export interface Recorder {
  /** Records that the key was used. */
  noteUse(keyId: string, atMs: number): void;
  /** Records the state of the key's windows after a charge. */
  noteWindows(key: Pick<ApiKey, 'id' | 'epochs'>, windows: readonly WindowState[], atMs: number): void;
  /** Counts a finished request. Requests without a valid key count in the traffic only. */
  countRequest(key: CountedKey | undefined, request: CountedRequest, atMs: number): void;
  /** Counts a ban when it starts. */
  countBan(key: CountedKey, atMs: number): void;
  /** Starts to write at each interval. */
  start(): void;
  /** Writes everything, after any write in progress. Never rejects. */
  flush(): Promise<void>;
  /** Stops the timer and flushes. */
  close(): Promise<void>;
  /** Stops the timer and writes nothing more, because the store is lost. */
  abandon(): void;
}

export interface RecorderStores {
  apiKeys: Pick<ApiKeysStore, 'recordUse'>;
  traffic: Pick<TrafficStore, 'add'>;
  usage: Pick<UsageStore, 'add'>;
}

interface KeyDayRow extends Omit<KeyDay, 'groups'> {
  groups: Map<string, UsageGroup>;
  refusals: Refusal[];
}

interface UseRow extends Omit<KeyUse, 'lastUsedAt'> {
  lastUsedMs: number;
}

export function createRecorder(
  stores: RecorderStores,
  log: { warn: (fields: object, message: string) => void },
  intervalMs = WRITE_INTERVAL_MS,
): Recorder {
  const writer = randomBase62(8);
  const toLog = (what: string, full: string) => ({
    writer,
    onError: (err: unknown) => log.warn({ err }, `Could not save ${what}; the gateway will retry`),
    onLost: (lost: number) => log.warn({ lost }, full),
  });

  /** By day. */
  const usage = createWriteBuffer<KeyDayRow>({
    ...toLog('usage', 'Too many keys have unsaved usage; their requests are missing from usage reports'),
    maxRows: MAX_KEY_DAYS,
    rowsPerInterval: KEY_DAYS_PER_INTERVAL,
    newRow: (day, keyId) => ({
      keyId,
      projectId: undefined,
      day: utcDay(day * DAY_MS),
      groups: new Map(),
      bans: 0,
      refusals: [],
    }),
    add: (rows, batch) => stores.usage.add({ ...batch, keyDays: rows.map(toKeyDay) }),
  });
  /** By minute. */
  const traffic = createWriteBuffer<PeriodTraffic>({
    ...toLog('traffic', 'Two days of traffic are unsaved; later requests are missing from traffic reports'),
    maxRows: MAX_MINUTES,
    rowsPerInterval: Infinity,
    newRow: (startMs) => ({ startMs, groups: [], bans: 0 }),
    add: (minutes, batch) => stores.traffic.add({ ...batch, minutes }),
  });
  /** By day, so that the count of a day never moves to the next with a later use. */
  const uses = createWriteBuffer<UseRow>({
    ...toLog(
      'when keys were last used',
      'Too many keys have an unsaved last use; the last use of more keys is lost',
    ),
    maxRows: MAX_KEYS_USED,
    rowsPerInterval: Infinity,
    newRow: (_, keyId) => ({ keyId, lastUsedMs: 0, day: undefined }),
    add: (rows) => stores.apiKeys.recordUse(rows.map(toKeyUse)),
  });
  const buffers = [uses, usage, traffic];

  const usageOf = (key: CountedKey, atMs: number): KeyDayRow | undefined => {
    const row = usage.rowOf(dayAt(atMs), key.id);
    if (row !== undefined) row.projectId = key.projectId;
    return row;
  };
  const trafficAt = (atMs: number) => traffic.rowOf(startOf('minute', atMs), '');

  const refusedAt = new LRUCache<string, number>(atMost(MAX_REFUSED));
  const nearMinute = new LRUCache<string, string>(atMost(MAX_MARKED));
  const rejectedOn = new LRUCache<string, string>(atMost(MAX_MARKED));

  /** Whether this process has not written the mark of this key yet. */
  function isNew(marks: LRUCache<string, string>, keyId: string, mark: string): boolean {
    if (marks.get(keyId) === mark) return false;
    marks.set(keyId, mark);
    return true;
  }

  /** Returns early for a rejection that is not kept, so that repeated rejections cost little. */
  function noteRefusal(
    { keyId, refusals }: KeyDayRow,
    error: ApiError,
    { interface: apiInterface, operation }: CountedRequest,
    atMs: number,
  ): void {
    const kind = `${keyId} ${kindOf(error)}`;
    const sinceMs = atMs - (refusedAt.get(kind) ?? -Infinity);
    // A negative time means that the clock was set back.
    if (sinceMs >= 0 && sinceMs < REFUSAL_INTERVAL_MS) return;
    refusedAt.set(kind, atMs);
    refusals.push(refusalOf(error, { at: new Date(atMs), interface: apiInterface, operation }));
    if (refusals.length > MAX_REFUSALS) refusals.shift();
  }

  const write = async (howMuch: HowMuch) => {
    await Promise.all(buffers.map((buffer) => buffer.write(howMuch)));
  };
  let timer: NodeJS.Timeout | undefined;
  let due: Promise<void> | undefined;
  return {
    noteUse(keyId, atMs) {
      const row = uses.rowOf(dayAt(atMs), keyId);
      if (row !== undefined) row.lastUsedMs = atMs;
    },
    noteWindows({ id: keyId, epochs }, windows, atMs) {
      const ofDay = windows.find(({ name }) => name === 'day');
      const isNearDay = ofDay !== undefined && isNear(ofDay);
      const isNearMinute = !isNearDay && windows.some(isNear);
      // An admin key has no day.
      if (ofDay?.resetAtMs === undefined && !isNearMinute) return;
      // The day of the store's clock, whatever this process's clock says at midnight.
      const day = ofDay?.resetAtMs === undefined ? dayAt(atMs) : Math.round(ofDay.resetAtMs / DAY_MS) - 1;
      const row = uses.rowOf(day, keyId);
      // A request that was authenticated before a reset may end after one that came later.
      if (row === undefined || (row.day?.epoch ?? 0) > epochs.day) return;
      row.lastUsedMs = atMs;
      if (ofDay !== undefined) {
        // What was near before a reset is not near after it.
        if (row.day?.epoch !== epochs.day) row.nearLimitDay = undefined;
        row.day = { startsAtMs: day * DAY_MS, used: ofDay.used, epoch: epochs.day };
      }
      // A reset and a change of the plan remove the mark.
      const mark = () => [day, epochs.day, ...windows.map(({ limit }) => limit)].join(' ');
      if (isNearDay || (isNearMinute && isNew(nearMinute, keyId, mark())))
        row.nearLimitDay = utcDay(day * DAY_MS);
    },
    countRequest(key, request, atMs) {
      const minute = trafficAt(atMs);
      if (minute !== undefined) countStatus(groupOf(minute, request), request.status);
      if (key === undefined) return;
      const row = usageOf(key, atMs);
      if (row === undefined) return;
      const { interface: apiInterface, operation, status, cost, refusal } = request;
      const name = nameOf(request);
      const group = row.groups.get(name);
      if (group === undefined)
        row.groups.set(name, { interface: apiInterface, operation, status, requests: 1, cost });
      else {
        group.requests += 1;
        group.cost += cost;
      }
      if (refusal === undefined) return;
      noteRefusal(row, refusal, request, atMs);
      const today = utcDay(atMs);
      if (!isNew(rejectedOn, key.id, today)) return;
      const use = uses.rowOf(dayAt(atMs), key.id);
      if (use === undefined) return;
      use.rejectedDay = today;
      use.lastUsedMs = Math.max(use.lastUsedMs, atMs);
    },
    countBan(key, atMs) {
      for (const row of [usageOf(key, atMs), trafficAt(atMs)]) if (row !== undefined) row.bans += 1;
    },
    start() {
      timer ??= setInterval(() => {
        // A store that hangs gets one write, not one more at each interval.
        due ??= write('due').finally(() => (due = undefined));
      }, intervalMs).unref();
    },
    flush: () => write('all'),
    async close() {
      clearInterval(timer);
      await write('all');
    },
    abandon: () => clearInterval(timer),
  };
}

const dayAt = (atMs: number) => Math.floor(atMs / DAY_MS);

function toKeyDay({ groups, ...row }: KeyDayRow): KeyDay {
  return { ...row, groups: Array.from(groups.values()) };
}

function toKeyUse({ lastUsedMs, ...use }: UseRow): KeyUse {
  return { ...use, lastUsedAt: new Date(lastUsedMs) };
}

/** Whether a window that has begun is near its limit. */
function isNear({ used, limit, resetAtMs }: WindowState): boolean {
  return resetAtMs !== undefined && used >= limit * NEAR_LIMIT;
}

/** The details that a rejected client gets with the message; set in quotas-service.ts and rate-limit-error.ts. */
interface RefusalDetails {
  window?: string;
  limit?: number;
  cost?: number;
  resetAt?: string;
  /** Set for a ban. */
  until?: string;
}

type RefusedRequest = Pick<Refusal, 'at' | 'interface' | 'operation'>;

function refusalOf(error: ApiError, request: RefusedRequest): Refusal {
  const { window, limit, cost, resetAt, until = resetAt } = detailsOf(error);
  return {
    ...request,
    code: error.code,
    message: error.message,
    ...(window !== undefined && { window }),
    ...(limit !== undefined && { limit }),
    ...(cost !== undefined && { cost }),
    ...(until !== undefined && { resetAt: new Date(until) }),
  };
}

/** Identifies rejections with the same reason. */
function kindOf(error: ApiError): string {
  return `${error.code} ${detailsOf(error).window}`;
}

function detailsOf({ details }: ApiError): RefusalDetails {
  return details ?? {};
}
