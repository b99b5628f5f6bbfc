import { MINUTE_MS } from '../../../lib/clock.js';
import type { Deploy, SiteFile } from './deploy.js';

/** The bytes of a file, kept once for all sites that have it. */
export interface Blob {
  sha256: string;
  bytes: Buffer;
  /** The same bytes as gzip, where that is worth it. */
  gzip?: Buffer;
}

/** Files that an upload has stored, before a deploy lists them. */
export interface StoredFiles {
  /** Of one attempt to store them, never used again. */
  uploadId: string;
  files: readonly SiteFile[];
}

/** The blobs of a project that no deploy lists, and that are not removed yet. */
export interface UnlistedBlobs {
  /** What they take in the store, each at least MIN_BLOB_BYTES. */
  bytes: number;
  /** Since when the oldest is unlisted; undefined when there is none. */
  oldestSince: Date | undefined;
}

/** What a project's visitors get: all files of one deploy. */
export interface LiveSite {
  deployId: string;
  files: readonly SiteFile[];
}

export interface DeploysPage {
  deploys: Deploy[];
  hasMore: boolean;
}

/** Each blob counts as this many bytes at least: its document and its places in indexes. */
export const MIN_BLOB_BYTES = 4096;
/** How long a blob stays that no deploy lists: far longer than an upload takes from its first blob to publication. */
export const UNLISTED_MS = 60 * MINUTE_MS;

/**
 * Where deploys and the bytes of their files are kept. Blobs are saved before a deploy lists them; one that no deploy
 * lists is removed after an hour, or at once by the upload that saved it, unless another upload relies on it. Whatever
 * order that and a new deploy of the same bytes happen in, no deploy lists a blob that is gone: `publish` fails instead.
 */
export interface DeploysStore {
  /** Gives it the project's next number; undefined when there is no such project. Call it in a transaction. */
  insert(
    deploy: Omit<Deploy, 'number' | 'state' | 'fileCount' | 'sizeBytes' | 'problem'>,
  ): Promise<Deploy | undefined>;
  /** Those of the project that did not go live and whose upload is, or would be, taken at this time. */
  countUnfinished(projectId: string): Promise<number>;
  get(id: string): Promise<Deploy | undefined>;
  /** Those that exist, in no order. */
  getMany(ids: readonly string[]): Promise<Deploy[]>;
  /** Newest first; only those before `beforeNumber` where it is given. */
  page(projectId: string, first: number, beforeNumber: number | undefined): Promise<DeploysPage>;
  /**
   * Those of these hashes that are kept already. They stay for an hour at least, whatever becomes of the upload that
   * saved them, and those that no deploy lists count for this project from now on.
   */
  keepBlobs(projectId: string, sha256s: readonly string[]): Promise<Set<string>>;
  /** Saves those that are not there, for this project. Answers with the hashes of those it saved. */
  saveBlobs(projectId: string, uploadId: string, blobs: readonly Blob[]): Promise<Set<string>>;
  /** Removes the blobs that this upload saved, but for those that a deploy lists or that another upload keeps. */
  discardBlobs(upload: StoredFiles): Promise<void>;
  unlistedBlobs(projectId: string): Promise<UnlistedBlobs>;
  /**
   * Makes a deploy that awaits its upload ready, and live. Call it in a transaction.
   * @throws ApiError not_found when its project is deleted, as setLive
   * @returns undefined when it does not await one (any more); `blobs gone` when not every file's blob is kept
   */
  publish(id: string, files: readonly SiteFile[]): Promise<Deploy | 'blobs gone' | undefined>;
  /** Ends a deploy that awaits its upload; without effect on any other. */
  fail(id: string, problem: string): Promise<void>;
  /** Undefined when the project has no such deploy that is ready. Call it in a transaction. */
  setLive(projectId: string, id: string): Promise<Deploy | undefined>;
  /** The deploy that visitors get, read in one step with the project that names it. */
  live(projectId: string): Promise<Deploy | undefined>;
  liveSite(projectId: string): Promise<LiveSite | undefined>;
  blob(sha256: string): Promise<Blob | undefined>;
  /** Removes the project's deploys beyond those kept, never the live one. Call it in a transaction. */
  removeOldDeploys(projectId: string): Promise<void>;
  /** Of a deleted project: all its deploys, in any state. May be done again. */
  removeOfProject(projectId: string): Promise<void>;
  /** Removes blobs that no deploy has listed for an hour, the oldest first: of one project, or of all; 1,000 at most. */
  removeUnlistedBlobs(projectId?: string): Promise<void>;
}
