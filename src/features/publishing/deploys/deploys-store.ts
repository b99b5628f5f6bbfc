import type { Deploy, SiteFile } from './deploy.js';

/** The bytes of a file, kept once for all sites that have it. */
export interface Blob {
  sha256: string;
  bytes: Buffer;
  /** The same bytes as gzip, where that is worth it. */
  gzip?: Buffer;
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

/**
 * Where deploys and the bytes of their files are kept. Blobs are saved before a deploy lists them; one that no deploy
 * lists is removed after an hour. Whatever order that and a new deploy of the same bytes happen in, no deploy lists a
 * blob that is gone: `publish` fails instead.
 */
export interface DeploysStore {
  /** Gives it the project's next number; undefined when there is no such project. Call it in a transaction. */
  insert(
    deploy: Omit<Deploy, 'number' | 'state' | 'fileCount' | 'sizeBytes' | 'problem'>,
  ): Promise<Deploy | undefined>;
  get(id: string): Promise<Deploy | undefined>;
  /** Those that exist, in no order. */
  getMany(ids: readonly string[]): Promise<Deploy[]>;
  /** Newest first; only those before `beforeNumber` where it is given. */
  page(projectId: string, first: number, beforeNumber: number | undefined): Promise<DeploysPage>;
  /** Those of these hashes that are kept already; they stay for an hour at least. */
  keepBlobs(sha256s: readonly string[]): Promise<Set<string>>;
  saveBlobs(blobs: readonly Blob[]): Promise<void>;
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
  /** Removes blobs that no deploy has listed for an hour. */
  removeUnlistedBlobs(): Promise<void>;
}
