import { LRUCache } from 'lru-cache';
import type { ApiKey } from '../keys/api-key.js';
import { createBatchWriter, type BatchWriter } from '../../lib/batch-writer.js';
import { atMost } from '../../lib/at-most.js';
import { DAY_MS, SECOND_MS, utcDay } from '../../lib/clock.js';
import type { ApiError } from '../../lib/errors.js';
import { nameOf } from './groups.js';
import { MAX_REFUSALS, type Refusal, type UsageGroup } from './usage.js';
import type { KeyDay, UsageBatch, UsageStore } from './usage-store.js';

/** How often counts are written. A killed process loses at most the counts of one interval. */
export const USAGE_INTERVAL_MS = 5000;
/** Writes at once when this many keys have pending counts. */
const KEYS_AT_ONCE = 1000;
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
}

/** Collects counts in memory, so that no request waits for a write. */
export function createUsageCounters(parts: UsageCountersParts): UsageCounters {
  const { store, writer, intervalMs, onError, onLost } = parts;
  /** By day number, then by key. A batch that is written after midnight has two days. */
  let pending = new Map<number, Map<string, Counting>>();
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
      counting = { keyId, projectId, day: utcDay(atMs), groups: new Map(), bans: 0, refusals: [] };
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

  function takeBatch(): UsageBatch | undefined {
    if (lost > 0) onLost(lost);
    lost = 0;
    if (pendingKeys === 0) return undefined;
    const keyDays = Array.from(pending.values(), (ofDay) => Array.from(ofDay.values(), toKeyDay)).flat();
    pending = new Map();
    pendingKeys = 0;
    return { writer, number: ++batchesTaken, keyDays };
  }

  async function write(): Promise<void> {
    if (unwritten !== undefined) await store.add(unwritten);
    unwritten = takeBatch();
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

function toKeyDay({ groups, ...counting }: Counting): KeyDay {
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
