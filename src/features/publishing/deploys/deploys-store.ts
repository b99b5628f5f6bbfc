import { MINUTE_MS } from '../../../lib/clock.js';
import type { ComparedFile } from './compare-files.js';
import type { Deploy, SiteFile } from './deploy.js';

/** The bytes of a file, stored once for all sites that contain it. */
export interface Blob {
  sha256: string;
  bytes: Buffer;
  /** The same bytes as gzip, if compression saves enough. */
  gzip?: Buffer;
  /** The same bytes as Brotli, if that is smaller still. Blobs of earlier versions have none. */
  brotli?: Buffer;
}

/** Files that an upload has stored, before a deploy lists them. */
export interface StoredFiles {
  /** Identifies one attempt to store files; never reused. */
  uploadId: string;
  files: readonly SiteFile[];
}

/** The stored blobs of a project that no deploy lists. */
export interface UnlistedBlobs {
  /** Their total in the store; each counts as at least MIN_BLOB_BYTES. */
  bytes: number;
  /** When the oldest one became unlisted; undefined if there is none. */
  oldestSince: Date | undefined;
}

/** The site that a project's visitors get: all files of one deploy. */
export interface LiveSite {
  deployId: string;
  spa: boolean;
  files: readonly SiteFile[];
}

export interface DeploysPage {
  deploys: Deploy[];
  hasMore: boolean;
}

/** Each blob counts as at least this many bytes, for its document and its index entries. */
export const MIN_BLOB_BYTES = 4096;
/** How long the store keeps an unlisted blob: far longer than an upload takes from its first blob to publication. */
export const UNLISTED_MS = 60 * MINUTE_MS;

/**
 * Stores deploys and the bytes of their files. Blobs are saved before a deploy lists them. A blob that no deploy lists
 * is removed after an hour. The upload that saved it can remove it at once, unless another upload relies on it. In
 * whatever order a removal and a new deploy of the same bytes happen, no deploy lists a missing blob: `publish` fails
 * instead.
 */
export interface DeploysStore {
  /** Assigns the project's next number. Returns undefined if the project does not exist. Call it in a transaction. */
  insert(
    deploy: Omit<Deploy, 'number' | 'state' | 'fileCount' | 'sizeBytes' | 'problem' | 'notLiveReason'>,
  ): Promise<Deploy | undefined>;
  /** Counts the project's deploys that did not go live and whose upload deadline has not passed. */
  countUnfinished(projectId: string): Promise<number>;
  get(id: string): Promise<Deploy | undefined>;
  /** Returns the deploys that exist, in no particular order. */
  getMany(ids: readonly string[]): Promise<Deploy[]>;
  /** The newest ready deploy of the project with a lower number. */
  readyBefore(deploy: Pick<Deploy, 'projectId' | 'number'>): Promise<Deploy | undefined>;
  /** The files of these deploys, by deploy id. Deploys without files are missing. */
  filesOf(ids: readonly string[]): Promise<Map<string, ComparedFile[]>>;
  /** Newest first. If `beforeNumber` is given, returns only deploys with lower numbers. */
  page(projectId: string, first: number, beforeNumber: number | undefined): Promise<DeploysPage>;
  /**
   * Returns those of the hashes that are already stored. Their blobs stay for at least an hour, even if the upload that
   * saved them fails. From now on, those that no deploy lists count for this project.
   */
  keepBlobs(projectId: string, sha256s: readonly string[]): Promise<Set<string>>;
  /** Saves missing blobs for this project. Returns the hashes of the blobs it saved. */
  saveBlobs(projectId: string, uploadId: string, blobs: readonly Blob[]): Promise<Set<string>>;
  /** Removes the blobs that this upload saved, except blobs that a deploy lists or that another upload keeps. */
  discardBlobs(upload: StoredFiles): Promise<void>;
  unlistedBlobs(projectId: string): Promise<UnlistedBlobs>;
  /**
   * Makes a deploy that awaits its upload ready. It also goes live, unless a newer deploy is live or the project's site
   * was rolled back after the deploy was created: then it has a `notLiveReason`. Call it in a transaction.
   * @throws ApiError not_found if its project is deleted, like setLive
   * @returns undefined if the deploy does not await an upload, or no longer does; `blobs gone` if the blob of any file
   * is missing
   */
  publish(id: string, files: readonly SiteFile[]): Promise<Deploy | 'blobs gone' | undefined>;
  /** Marks a deploy that awaits its upload as failed. Has no effect on other deploys. */
  fail(id: string, problem: string): Promise<void>;
  /**
   * Makes a ready deploy live, and keeps it live: uploads of deploys that exist already do not replace it. Returns
   * undefined if the project has no ready deploy with this id. Call it in a transaction.
   */
  setLive(projectId: string, id: string): Promise<Deploy | undefined>;
  /** The deploy that visitors get, read in one operation together with the project that names it. */
  live(projectId: string): Promise<Deploy | undefined>;
  liveSite(projectId: string): Promise<LiveSite | undefined>;
  blob(sha256: string): Promise<Blob | undefined>;
  /** Removes the project's deploys beyond the number to keep, never the live one. Call it in a transaction. */
  removeOldDeploys(projectId: string): Promise<void>;
  /** Removes all deploys of a deleted project, in any state. Idempotent. */
  removeOfProject(projectId: string): Promise<void>;
  /** Removes up to 1,000 blobs that no deploy has listed for an hour, oldest first: of one project, or of all. */
  removeUnlistedBlobs(projectId?: string): Promise<void>;
}
