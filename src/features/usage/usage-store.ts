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

/** One day of a key, or of all keys of a project. */
export interface RecordedDay {
  /** The key's, or the project's. */
  id: string;
  day: string;
  groups: UsageGroup[];
  /** How many began. */
  bans: number;
}

/** A day on which keys went beyond a limit. */
export interface DayOver {
  day: string;
  keys: number;
  /** Units beyond it, of all of them. */
  over: number;
}

/** Where usage is kept, for a while: that of each key, and the sum of each project. */
export interface UsageStore {
  /** Adds what of the batch is not added yet: one that failed, however far it got, can be given again. */
  add(batch: UsageBatch): Promise<void>;
  /** Of keys and projects, in no order; days without requests are missing. */
  days(ids: readonly string[], span: DaySpan): Promise<RecordedDay[]>;
  /** The days on which a key, or one of a project, was charged more than this, in order. */
  daysOver(of: UsageOf, id: string, span: DaySpan, limit: number): Promise<DayOver[]>;
  /** The latest of a key, newest first. */
  refusals(keyId: string, first: number): Promise<Refusal[]>;
  /** Of a deleted project: its own days and those of its keys, until the signal is aborted. May be done again. */
  removeOfProject(projectId: string, signal: AbortSignal): Promise<void>;
}
