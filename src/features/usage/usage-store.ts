import type { Batch } from './batch.js';
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

/** A day on which keys exceeded a limit. */
export interface DayOver {
  day: string;
  keys: number;
  /** Units above the limit, summed over the keys. */
  over: number;
}

/** Stores usage for a limited time: of each key, and the sum of each project. */
export interface UsageStore {
  /** Adds the parts of the batch that are not added yet. A batch that failed at any point can be passed again. */
  add(batch: UsageBatch): Promise<void>;
  /** Usage of keys and projects, in no particular order; days without requests are missing. */
  days(ids: readonly string[], span: DaySpan): Promise<RecordedDay[]>;
  /** The days on which a key, or any key of a project, was charged more than `limit`, in order. */
  daysOver(of: UsageOf, id: string, span: DaySpan, limit: number): Promise<DayOver[]>;
  /** The latest rejections of a key, or of all keys of a project, newest first. */
  refusals(id: string, first: number): Promise<KeyRefusal[]>;
  /** Removes a deleted project's days and those of its keys, until the signal is aborted. Idempotent. */
  removeOfProject(projectId: string, signal: AbortSignal): Promise<void>;
}
