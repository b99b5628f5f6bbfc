import type { Actor } from '../audit/audit-record.js';
import type { Rejection } from '../pets/import/insert-lines.js';
import { HOUR_MS } from '../../lib/clock.js';

/** What happens to a line whose animal exists: the line is rejected, the animal stays, or it gets the line's values. */
export const EXISTING_CHOICES = ['reject', 'skip', 'replace'] as const;
export type ExistingChoice = (typeof EXISTING_CHOICES)[number];

export type PetsImportState = 'awaiting_file' | 'checked' | 'applying' | 'done' | 'failed' | 'expired';

export const FILE_FORMATS = ['csv', 'ndjson'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export interface PetsImportOptions {
  projectId: string;
  existing: ExistingChoice;
  /** Whether animals of the project that have a number which the file does not name are removed. */
  deleteMissing: boolean;
  /** The most animals to remove; undefined: a fifth of the project's animals, rounded up. */
  deleteAtMost?: number | undefined;
  /** Whether the import stops after the check and waits to be started. */
  dryRun: boolean;
  /** Whether columns or members with other names are ignored. Otherwise they are faults. */
  ignoreUnknown: boolean;
}

/** Once a file was read: what the import would change. Once it is done: what it changed. */
export interface PetsImportCounts {
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  rejected: number;
}

/** One synchronization of a project's animals with a file. */
export interface PetsImport extends PetsImportOptions {
  id: string;
  state: PetsImportState;
  createdAt: Date;
  createdBy: Actor;
  /** Until then it accepts its file, or can be started. */
  expiresAt: Date;
  endedAt?: Date;
  /** The lines of the file with an animal or a fault, without the header and blank lines. */
  lines: number;
  counts: PetsImportCounts;
  /** The first MAX_REJECTIONS of them, by line. */
  rejections: readonly Rejection[];
  /** Why `deleteMissing` removes nothing or, once the import is done, not all that it was to remove. */
  notRemovedReason?: string;
  /** Why the import failed; set if the state is `failed`. */
  problem?: string;
}

/** The rejected lines that an import keeps. */
export const MAX_REJECTIONS = 100;
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** How long an import waits for its file, and then to be started. */
export const IMPORT_WAITS_MS = HOUR_MS;

export const NO_COUNTS: PetsImportCounts = { added: 0, changed: 0, unchanged: 0, removed: 0, rejected: 0 };

/** The whole file cannot be imported. The message is for people. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';

  constructor(
    readonly reason: string,
    readonly tooLarge = false,
  ) {
    super(reason);
  }
}

/** Keeps the first MAX_REJECTIONS by line. */
export function firstRejections(rejections: readonly Rejection[]): Rejection[] {
  return [...rejections].sort((a, b) => a.line - b.line).slice(0, MAX_REJECTIONS);
}
