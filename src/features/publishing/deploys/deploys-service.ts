import { randomBase62 } from '../../../lib/random-id.js';
import type { Actor } from '../../audit/audit-record.js';
import type { Changer } from '../../keys/changer.js';
import { decodeCursor, badCursor, encodeCursor } from '../../../lib/cursor.js';
import type { Clock } from '../../../lib/clock.js';
import { ApiError, invalidRequest, serviceUnavailable } from '../../../lib/errors.js';
import { inTime } from '../../../lib/in-time.js';
import { createTurns, takeTurn } from '../../../lib/turns.js';
import type { Project } from '../../projects/project.js';
import { projectNotFound } from '../../projects/projects-service.js';
import { SiteRefused } from './collect-site.js';
import type { ComparedFile } from './compare-files.js';
import { UPLOAD_SECONDS, type Deploy, type FileContent, type SiteFile, type SiteTemplate } from './deploy.js';
import type { DeploysPage, DeploysStore } from './deploys-store.js';
import { readArchive, receiveArchive } from './read-archive.js';
import { createCompressor, describeFile } from './site-files.js';

/** Returns the files of a built-in site, generated for one project. Any change that this makes is made in the name of `by`. */
export type TemplateFiles = (
  template: SiteTemplate,
  project: Project,
  by: Changer,
) => Promise<readonly FileContent[]>;

export interface CreateDeploy {
  projectId: string;
  message?: string | undefined;
  /** Whether the site is a single-page application, see `Deploy`. */
  spa?: boolean | undefined;
}

/** The deploy that files are stored for. */
type FilesOwner = Pick<Deploy, 'id' | 'projectId'>;

/** Creates, receives, publishes and rolls back deploys. Administration writes the audit records. */
export interface DeploysService {
  /**
   * Creates a deploy that awaits its upload. Call it in a transaction.
   * @param id of the new deploy, if files are stored for it already; otherwise a new one
   * @throws ApiError invalid_request; not_found; conflict if the project has MAX_UNFINISHED deploys that did not go
   * live
   */
  create(input: CreateDeploy, by: Actor, id?: string): Promise<Deploy>;
  /** @throws ApiError not_found */
  get(id: string): Promise<Deploy>;
  /** Returns the deploys that exist, in no particular order. */
  getMany(ids: readonly string[]): Promise<Deploy[]>;
  /** The newest ready deploy of the project before this one. */
  readyBefore(deploy: Pick<Deploy, 'projectId' | 'number'>): Promise<Deploy | undefined>;
  /** The files of these deploys, by deploy id. Deploys without files are missing. */
  filesOf(ids: readonly string[]): Promise<Map<string, ComparedFile[]>>;
  /** Newest first. @throws ApiError invalid_request for a malformed cursor */
  page(projectId: string, first: number, after: string | undefined): Promise<DeploysPage>;
  live(projectId: string): Promise<Deploy | undefined>;
  /**
   * Reads the archive of a deploy that awaits it, and stores its files. A bad archive ends the deploy as failed.
   * @throws ApiError conflict; invalid_request; payload_too_large. After an error from `archive`, the deploy still awaits
   * its upload.
   */
  receive(deploy: Deploy, archive: AsyncIterable<Uint8Array>): Promise<SiteFile[]>;
  /** Stores files for a deploy, which need not exist yet. Stores all of them or none. */
  storeFiles(deploy: FilesOwner, contents: readonly FileContent[]): Promise<SiteFile[]>;
  /**
   * After a failed publication, removes the files that were stored for the deploy and that it does not list. Files that
   * cannot be removed now expire.
   */
  discardFiles(deployId: string): Promise<void>;
  template: TemplateFiles;
  /**
   * Makes the deploy ready with stored files, and live unless it has a `notLiveReason`, see DeploysStore. Call it in a
   * transaction.
   * @throws ApiError conflict; service_unavailable
   */
  publish(id: string, files: readonly SiteFile[]): Promise<Deploy>;
  /** Makes a ready deploy of the project live, see DeploysStore.setLive. Call it in a transaction. @throws ApiError not_found; conflict */
  rollback(projectId: string, id: string): Promise<Deploy>;
  /** Removes old deploys with their files, but not the given one. Call it in a transaction. */
  removeOld(newest: Pick<Deploy, 'id' | 'projectId'>): Promise<void>;
}

const MAX_MESSAGE_LENGTH = 200;
/**
 * Per project. Each unfinished deploy counts for the hour that it can await its upload; only then can it be removed.
 */
const MAX_UNFINISHED = 100;
/** The timeout of every request to a store. */
const STORE_TIMEOUT_MS = 10_000;
/**
 * Archives of all projects that are expanded and stored at the same time. Each takes about 50 MB of memory meanwhile.
 */
const STORED_AT_ONCE = 4;
const MAX_WAIT_MS = 10_000;
/** Limits how long a client whose upload failed waits for the removal of its files. */
const DISCARD_TIMEOUT_MS = 2_000;
export function createDeploysService(
  store: DeploysStore,
  templateFiles: TemplateFiles,
  clock: Clock,
): DeploysService {
  const turns = createTurns(STORED_AT_ONCE, MAX_WAIT_MS);

  /** @param settled is called when nothing of it runs any more, which can be later than a timeout */
  async function storeFiles(
    deploy: FilesOwner,
    contents: readonly FileContent[],
    settled: () => void = () => undefined,
  ): Promise<SiteFile[]> {
    const described = contents.map((content) => ({ file: describeFile(content), bytes: content.bytes }));
    const stop = new AbortController();
    const storing = storeOrCopy(deploy, described, stop.signal)
      .catch(async (error: unknown) => {
        await discardFiles(deploy.id);
        throw error;
      })
      .finally(settled);
    try {
      await inTime(storing, STORE_TIMEOUT_MS);
    } catch (error) {
      stop.abort(error);
      throw error;
    }
    return described.map(({ file }) => file);
  }

  /** Copies the files that the project's site has already, so that only new ones are compressed. */
  async function storeOrCopy(
    deploy: FilesOwner,
    contents: readonly { file: SiteFile; bytes: Buffer }[],
    signal: AbortSignal,
  ): Promise<void> {
    const missing = new Map(contents.map((content) => [content.file.sha256, content]));
    for (const sha256 of await store.copyFiles(deploy, [...missing.keys()])) missing.delete(sha256);
    const toBlob = createCompressor();
    const blobs = [];
    for (const { file, bytes } of missing.values()) {
      signal.throwIfAborted();
      blobs.push(await toBlob(file, bytes));
    }
    signal.throwIfAborted();
    await store.saveFiles(deploy.id, blobs);
    // What was saved after the timeout is discarded too.
    signal.throwIfAborted();
  }

  async function discardFiles(deployId: string): Promise<void> {
    // Files that remain expire.
    await inTime(store.discardFiles(deployId), DISCARD_TIMEOUT_MS).catch(() => undefined);
  }

  /** @throws ApiError, SiteRefused */
  async function storeInTurn(deploy: Deploy, archive: Buffer): Promise<SiteFile[]> {
    const endTurn = await takeTurn(turns, 'all', 'Too many archives are being stored at the moment.');
    let contents: FileContent[];
    try {
      // Another upload may have completed or failed this deploy in the meantime. Then this upload stores nothing.
      assertAwaitsUpload((await store.get(deploy.id)) ?? deployNotFound(deploy.id));
      contents = await readArchive(archive);
    } catch (error) {
      endTurn();
      throw error;
    }
    return storeFiles(deploy, contents, endTurn);
  }

  return {
    async create({ projectId, message, spa = false }, by, id = newDeployId()) {
      const createdAt = new Date(clock());
      const deploy = await store.insert({
        id,
        projectId,
        createdAt,
        createdBy: by,
        spa,
        uploadExpiresAt: new Date(createdAt.getTime() + UPLOAD_SECONDS * 1000),
        ...(message !== undefined && { message: checkMessage(message) }),
      });
      if (deploy === undefined) return projectNotFound(projectId);
      // Counts after the insertion, which serializes concurrent creates of the same project.
      if ((await store.countUnfinished(projectId)) > MAX_UNFINISHED)
        throw new ApiError(
          'conflict',
          `The project has ${MAX_UNFINISHED} deploys from the last hour that did not go live. Upload the archive of one of them, or wait.`,
        );
      return deploy;
    },
    get: async (id) => (await store.get(id)) ?? deployNotFound(id),
    getMany: (ids) => store.getMany(ids),
    readyBefore: (deploy) => store.readyBefore(deploy),
    filesOf: (ids) => store.filesOf(ids),
    page: (projectId, first, after) =>
      store.page(projectId, first, after === undefined ? undefined : numberOfCursor(after)),
    live: (projectId) => store.live(projectId),
    async receive(deploy, archive) {
      assertAwaitsUpload(deploy);
      try {
        // Receiving takes as long as the sender takes, so it must not hold a turn that others wait for.
        const received = await receiveArchive(archive);
        return await storeInTurn(deploy, received);
      } catch (error) {
        if (!(error instanceof SiteRefused)) throw error;
        await store.fail(deploy.id, error.reason);
        throw error.tooLarge
          ? new ApiError('payload_too_large', error.reason, { cause: error })
          : invalidRequest({ field: 'archive', message: error.reason });
      }
    },
    storeFiles,
    discardFiles,
    template: templateFiles,
    async publish(id, files) {
      const published = await store.publish(id, files);
      if (published === 'files gone')
        throw serviceUnavailable(
          'The upload took too long or another upload of the deploy failed, so its files were removed. Upload the archive again.',
        );
      if (published !== undefined) return published;
      const { state } = (await store.get(id)) ?? deployNotFound(id);
      throw new ApiError('conflict', `The deploy ${id} is already ${state}.`);
    },
    async rollback(projectId, id) {
      const live = await store.setLive(projectId, id);
      if (live !== undefined) return live;
      const deploy = await store.get(id);
      if (deploy?.projectId !== projectId) return deployNotFound(id);
      throw new ApiError(
        'conflict',
        `The deploy ${id} is ${deploy.state}. Only a deploy that is ready can go live.`,
      );
    },
    removeOld: ({ id, projectId }) => store.removeOldDeploys(projectId, id),
  };
}

export function newDeployId(): string {
  return `dep_${randomBase62(16)}`;
}

/** A position in a project's list of deploys. */
export function deployCursor({ number }: Deploy): string {
  return encodeCursor([number]);
}

/** @throws ApiError not_found, always */
export function deployNotFound(id: string): never {
  throw new ApiError('not_found', `There is no deploy with the id ${id}.`);
}

function numberOfCursor(cursor: string): number {
  const [number] = decodeCursor(cursor);
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw badCursor();
  return number;
}

function assertAwaitsUpload({ id, state }: Deploy): void {
  switch (state) {
    case 'awaiting_upload':
      return;
    case 'expired':
      throw new ApiError(
        'conflict',
        `The deploy ${id} waited too long for its upload. Create another deploy.`,
      );
    case 'ready':
    case 'failed':
      throw new ApiError('conflict', `The deploy ${id} is already ${state}. Create another deploy.`);
  }
}

function checkMessage(message: string): string {
  const trimmed = message.trim();
  if (Array.from(trimmed).length > MAX_MESSAGE_LENGTH || /[\p{Cc}\p{Surrogate}]/u.test(trimmed))
    throw invalidRequest({
      field: 'message',
      message: `must have at most ${MAX_MESSAGE_LENGTH} characters and no control characters`,
    });
  return trimmed;
}
