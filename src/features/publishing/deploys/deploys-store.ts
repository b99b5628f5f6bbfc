import type { ComparedFile } from './compare-files.js';
import type { Deploy, SiteFile } from './deploy.js';

/** The stored bytes of a file of a deploy. */
export interface Blob {
  sha256: string;
  bytes: Buffer;
  /** The same bytes as gzip, if compression saves enough. */
  gzip?: Buffer;
  /** The same bytes as Brotli, if that is smaller still. */
  brotli?: Buffer;
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

/**
 * Stores deploys and the bytes of their files. Each file belongs to one deploy, also if another deploy has the same bytes.
 * So ten kept deploys of the largest site take 130 MB of disk, or 320 MB if it is text that hardly compresses; those of a
 * usual application take 4 MB.
 *
 * An upload saves the files before its deploy lists them. Until the deploy is ready, its files expire: MongoDB removes
 * them two hours after they were saved. In whatever order the expiry and the publication happen, no deploy lists a missing
 * file: `publish` fails instead.
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
   * Copies the files with these hashes, and their compressed copies, from the project's newest ready deploy to this
   * deploy. Returns the hashes of all files that this deploy then has.
   */
  copyFiles(deploy: Pick<Deploy, 'id' | 'projectId'>, sha256s: readonly string[]): Promise<Set<string>>;
  /** Saves the files that the deploy does not have yet. */
  saveFiles(deployId: string, blobs: readonly Blob[]): Promise<void>;
  /**
   * Removes the files that were saved for the deploy and that it does not list. If another upload of the same deploy is
   * about to publish them, its `publish` returns `files gone`.
   */
  discardFiles(deployId: string): Promise<void>;
  /**
   * Makes a deploy that awaits its upload ready. It also goes live, unless a newer deploy is live or the project's site
   * was rolled back after the deploy was created: then it has a `notLiveReason`. Call it in a transaction.
   * @throws ApiError not_found if its project is deleted, like setLive
   * @returns undefined if the deploy does not await an upload, or no longer does; `files gone` if the bytes of any file
   * are missing
   */
  publish(id: string, files: readonly SiteFile[]): Promise<Deploy | 'files gone' | undefined>;
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
  blob(deployId: string, sha256: string): Promise<Blob | undefined>;
  /**
   * Removes the project's deploys beyond the number to keep, with their files: the ones that were ready, a few at a time,
   * never the live one or the one with this id; and the others. Call it in a transaction.
   */
  removeOldDeploys(projectId: string, deployId: string): Promise<void>;
  /** Removes all deploys of a deleted project, in any state, with their files. Idempotent. */
  removeOfProject(projectId: string): Promise<void>;
}
