import type { Batch } from './write-buffer.js';
import type { KeyRefusal, Refusal, UsageGroup, UsageOf } from './usage.js';

/** The usage of one key on one UTC day, since the previous batch. */
export interface KeyDay {
  keyId: string;
  /** Undefined for an admin key. */
  projectId: string | undefined;
  /** `2026-11-22` */
  day: string;
  groups: readonly UsageGroup[];
  bans: number;
  /** Oldest first. */
  refusals: readonly Refusal[];
}

export interface UsageBatch extends Batch {
  keyDays: readonly KeyDay[];
}

/** Both days are included. */
export interface DaySpan {
  first: string;
  last: string;
}

/** One day of a key, or of all keys of a project. */
export interface RecordedDay {
  /** The id of the key or project. */
  id: string;
  day: string;
  groups: UsageGroup[];
  /** Number of bans that started. */
  bans: number;
}

/** The sums of a key, or of all keys of a project, over some days. */
export type RecordedSum = Omit<RecordedDay, 'day'>;

/** A day on which keys exceeded a limit. */
export interface DayOver {
  day: string;
  keys: number;
  /** Units above the limit, summed over the keys. */
  over: number;
}

/** The days over each of several limits, of one key or project. */
export interface RecordedOver {
  id: string;
  /** For each of the limits asked for, in their order: the days in order. */
  daysOver: DayOver[][];
}

/** Ends a read whose result nobody waits for any more. */
export type ReadSignal = AbortSignal | undefined;

/** Stores usage for a limited time: of each key, and the sum of each project. Pass each id once. */
export interface UsageStore {
  /** Adds the parts of the batch that are not added yet. A batch that failed at any point can be passed again. */
  add(batch: UsageBatch): Promise<void>;
  /** Usage of keys and projects, in no particular order; days without requests are missing. */
  days(ids: readonly string[], span: DaySpan, signal?: ReadSignal): Promise<RecordedDay[]>;
  /** Usage of keys and projects, summed in the database; an id without requests is missing. */
  sums(ids: readonly string[], span: DaySpan, signal?: ReadSignal): Promise<RecordedSum[]>;
  /**
   * The days on which keys, or any keys of projects, were charged more than each of these limits. One read, however
   * many ids and limits. An id without such a day is missing.
   */
  daysOver(
    of: UsageOf,
    ids: readonly string[],
    span: DaySpan,
    limits: readonly number[],
    signal?: ReadSignal,
  ): Promise<RecordedOver[]>;
  /** The latest rejections of keys, or of all keys of projects, newest first, by id; at most `first` of each id. */
  refusals(
    ids: readonly string[],
    first: number,
    signal?: ReadSignal,
  ): Promise<ReadonlyMap<string, KeyRefusal[]>>;
  /** Removes a deleted project's days and those of its keys, until the signal is aborted. Idempotent. */
  removeOfProject(projectId: string, signal: AbortSignal): Promise<void>;
}
