import { LRUCache } from 'lru-cache';
import type { ApiKey } from '../keys/api-key.js';
import { createBatchWriter, type BatchWriter, type HowMuch } from '../../lib/batch-writer.js';
import { atMost } from '../../lib/at-most.js';
import { DAY_MS, SECOND_MS, utcDay } from '../../lib/clock.js';
import type { ApiError } from '../../lib/errors.js';
import { nameOf } from './groups.js';
import { MAX_REFUSALS, type Refusal, type UsageGroup } from './usage.js';
import type { KeyDay, UsageBatch, UsageStore } from './usage-store.js';

/** How often counts are written. */
export const USAGE_INTERVAL_MS = 5000;
/** How many keys are written at each interval, unless more have waited for long: a key costs MongoDB two documents. */
const KEYS_PER_INTERVAL = 500;
/** A key that has waited for this long is written at the next interval, milliseconds. */
const LONG_WAIT_MS = 25_000;
/** How long a count waits at most. A killed process loses the counts of at most this time. */
export const USAGE_WRITTEN_WITHIN_MS = USAGE_INTERVAL_MS + LONG_WAIT_MS;
/** Writes at once when this many keys have pending counts. */
const KEYS_AT_ONCE = 10_000;
/**
 * The maximum number of keys with pending counts; it limits memory while the store is unavailable. Further keys are not
 * counted until a write succeeds.
 */
const MAX_KEYS = 20_000;
/** Keeps one rejection per reason and key within this time, because repetitions add no information. */
const REFUSAL_INTERVAL_MS = SECOND_MS;
const MAX_REFUSED = 50_000;

/** The result of a request. */
export interface CountedRequest extends Omit<UsageGroup, 'requests'> {
  /** The error of a 429 response. */
  refusal?: ApiError | undefined;
}

type CountedKey = Pick<ApiKey, 'id' | 'projectId'>;

export interface UsageCounters extends BatchWriter {
  /** Counts a finished request. Costs a few map entries. */
  count(key: CountedKey, request: CountedRequest, atMs: number): void;
  /** Counts a ban when it starts. */
  countBan(key: CountedKey, atMs: number): void;
}

export interface UsageCountersParts {
  store: Pick<UsageStore, 'add'>;
  /** Identifies this process among all processes that ever wrote. */
  writer: string;
  intervalMs: number;
  onError: (error: unknown) => void;
  /** Called with the number of requests that were not counted because the store was unavailable. */
  onLost: (requests: number) => void;
}

interface Counting {
  keyId: string;
  projectId: string | undefined;
  day: string;
  groups: Map<string, UsageGroup>;
  bans: number;
  refusals: Refusal[];
  /** When the first of the counts was made, on performance.now(). */
  sinceMs: number;
}

/** Collects counts in memory, so that no request waits for a write. */
export function createUsageCounters(parts: UsageCountersParts): UsageCounters {
  const { store, writer, intervalMs, onError, onLost } = parts;
  /** By day number, then by key. A batch that is written after midnight has two days. */
  const pending = new Map<number, Map<string, Counting>>();
  let pendingKeys = 0;
  let lost = 0;
  /** A batch that the store may have added in part. Passed again unchanged, it is added only once. */
  let unwritten: UsageBatch | undefined;
  let batchesTaken = 0;
  const refusedAt = new LRUCache<string, number>(atMost(MAX_REFUSED));

  function countingOf({ id: keyId, projectId }: CountedKey, atMs: number): Counting | undefined {
    const dayNumber = Math.floor(atMs / DAY_MS);
    let ofDay = pending.get(dayNumber);
    if (ofDay === undefined) pending.set(dayNumber, (ofDay = new Map<string, Counting>()));
    let counting = ofDay.get(keyId);
    if (counting === undefined) {
      if (pendingKeys === MAX_KEYS) return undefined;
      pendingKeys += 1;
      counting = {
        keyId,
        projectId,
        day: utcDay(atMs),
        groups: new Map(),
        bans: 0,
        refusals: [],
        sinceMs: performance.now(),
      };
      ofDay.set(keyId, counting);
      if (pendingKeys === KEYS_AT_ONCE) void batches.flush();
    }
    return counting;
  }

  /** Returns early for a rejection that is not kept, so that repeated rejections cost little. */
  function noteRefusal(
    { keyId, refusals }: Counting,
    error: ApiError,
    request: CountedRequest,
    atMs: number,
  ): void {
    const kind = `${keyId} ${kindOf(error)}`;
    const sinceMs = atMs - (refusedAt.get(kind) ?? -Infinity);
    // A negative time means that the clock was set back.
    if (sinceMs >= 0 && sinceMs < REFUSAL_INTERVAL_MS) return;
    refusedAt.set(kind, atMs);
    const { interface: apiInterface, operation } = request;
    refusals.push(refusalOf(error, { at: new Date(atMs), interface: apiInterface, operation }));
    if (refusals.length > MAX_REFUSALS) refusals.shift();
  }

  function takeBatch(howMuch: HowMuch): UsageBatch | undefined {
    if (lost > 0) onLost(lost);
    lost = 0;
    const keyDays = takeDue(howMuch).map(toKeyDay);
    return keyDays.length === 0 ? undefined : { writer, number: ++batchesTaken, keyDays };
  }

  /** Maps keep the order of insertion, so the first of a day have waited longest. */
  function takeDue(howMuch: HowMuch): Counting[] {
    const waitedSinceMs = performance.now() - LONG_WAIT_MS;
    const taken: Counting[] = [];
    for (const [dayNumber, ofDay] of pending) {
      for (const [keyId, counting] of ofDay) {
        if (howMuch === 'due' && taken.length >= KEYS_PER_INTERVAL && counting.sinceMs > waitedSinceMs) break;
        taken.push(counting);
        ofDay.delete(keyId);
      }
      if (ofDay.size === 0) pending.delete(dayNumber);
    }
    pendingKeys -= taken.length;
    return taken;
  }

  async function write(howMuch: HowMuch): Promise<void> {
    if (unwritten !== undefined) await store.add(unwritten);
    unwritten = takeBatch(howMuch);
    if (unwritten !== undefined) await store.add(unwritten);
    unwritten = undefined;
  }

  const batches = createBatchWriter(write, intervalMs, onError);
  return {
    ...batches,
    count(key, request, atMs) {
      const counting = countingOf(key, atMs);
      if (counting === undefined) {
        lost += 1;
        return;
      }
      const { interface: apiInterface, operation, status, cost, refusal } = request;
      const name = nameOf(request);
      const group = counting.groups.get(name);
      if (group === undefined)
        counting.groups.set(name, { interface: apiInterface, operation, status, requests: 1, cost });
      else {
        group.requests += 1;
        group.cost += cost;
      }
      if (refusal !== undefined) noteRefusal(counting, refusal, request, atMs);
    },
    countBan(key, atMs) {
      const counting = countingOf(key, atMs);
      if (counting !== undefined) counting.bans += 1;
    },
  };
}

function toKeyDay({ groups, sinceMs: _sinceMs, ...counting }: Counting): KeyDay {
  return { ...counting, groups: Array.from(groups.values()) };
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
