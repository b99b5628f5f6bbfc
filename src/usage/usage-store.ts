import type { Refusal, UsageGroup, UsageOf } from './usage.js';

/** What one key did on one UTC day, since the batch before. */
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

/** Counts to be added once. */
export interface UsageBatch {
  /** The process that counted. */
  writer: string;
  /** Grows with each batch of a writer. */
  number: number;
  keyDays: readonly KeyDay[];
}

/** Inclusive. */
export interface DaySpan {
  first: string;
  last: string;
}

export interface DayGroup extends UsageGroup {
  /** The key's, or the project's. */
  id: string;
  day: string;
}

/** A day on which keys went beyond a limit. */
export interface DayOver {
  day: string;
  keys: number;
  /** Units beyond it, of all of them. */
  over: number;
}

/** Where usage is kept, for a while. */
export interface UsageStore {
  /** Adds what of the batch is not added yet: one that failed, however far it got, can be given again. */
  add(batch: UsageBatch): Promise<void>;
  /** One entry for each kind of request and day, in no order. */
  groups(of: UsageOf, ids: readonly string[], span: DaySpan): Promise<DayGroup[]>;
  /** How many bans began; those without are missing. */
  bans(of: UsageOf, ids: readonly string[], span: DaySpan): Promise<ReadonlyMap<string, number>>;
  /** The days on which a key was charged more than this, in order. */
  daysOver(of: UsageOf, id: string, span: DaySpan, limit: number): Promise<DayOver[]>;
  /** The latest of a key, newest first. */
  refusals(keyId: string, first: number): Promise<Refusal[]>;
}
