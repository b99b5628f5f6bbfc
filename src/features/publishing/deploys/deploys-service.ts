import { randomBase62 } from '../../../lib/random-id.js';
import type { Actor } from '../../audit/audit-record.js';
import { decodeCursor, badCursor, encodeCursor } from '../../../lib/cursor.js';
import type { Clock } from '../../../lib/clock.js';
import { ApiError, invalidRequest, serviceUnavailable } from '../../../lib/errors.js';
import { inTime } from '../../../lib/in-time.js';
import { createKeyTurns } from '../../../lib/key-turns.js';
import { takeTurn } from '../../../lib/take-turn.js';
import type { Project } from '../../projects/project.js';
import { projectNotFound } from '../../projects/projects-service.js';
import { SiteRefused } from './collect-site.js';
import { UPLOAD_SECONDS, type Deploy, type FileContent, type SiteFile, type SiteTemplate } from './deploy.js';
import type { Blob, DeploysPage, DeploysStore } from './deploys-store.js';
import { readArchive, receiveArchive } from './read-archive.js';
import { describeFile, toBlob } from './site-files.js';

/** The files of a built-in site, made for one project; what that changes is done in somebody's name. */
export type TemplateFiles = (
  template: SiteTemplate,
  project: Project,
  by: Actor,
) => Promise<readonly FileContent[]>;

export interface CreateDeploy {
  projectId: string;
  message?: string | undefined;
}

/** What becomes of a deploy: created, its archive received, published. Administration keeps the record of who did it. */
export interface DeploysService {
  /** One that awaits its upload. In a transaction. @throws ApiError invalid_request; not_found */
  create(input: CreateDeploy, by: Actor): Promise<Deploy>;
  /** @throws ApiError not_found */
  get(id: string): Promise<Deploy>;
  /** Those that exist, in no order. */
  getMany(ids: readonly string[]): Promise<Deploy[]>;
  /** Newest first. @throws ApiError invalid_request for a cursor of nobody's making */
  page(projectId: string, first: number, after: string | undefined): Promise<DeploysPage>;
  live(projectId: string): Promise<Deploy | undefined>;
  /**
   * Reads the archive of a deploy that awaits it, and stores its files. A bad archive ends the deploy as failed.
   * @throws ApiError conflict; invalid_request; payload_too_large; what `archive` throws leaves the deploy waiting
   */
  receive(deploy: Deploy, archive: AsyncIterable<Uint8Array>): Promise<SiteFile[]>;
  /** Stores files, before a deploy lists them. */
  keep(contents: readonly FileContent[]): Promise<SiteFile[]>;
  template: TemplateFiles;
  /** Makes it ready and live with stored files. In a transaction. @throws ApiError conflict; service_unavailable */
  publish(id: string, files: readonly SiteFile[]): Promise<Deploy>;
  /** Makes a deploy of the project live that is ready. In a transaction. @throws ApiError not_found; conflict */
  rollback(projectId: string, id: string): Promise<Deploy>;
  /** Removes old deploys and blobs. In a transaction. */
  removeOld(projectId: string): Promise<void>;
  removeUnlistedBlobs(): Promise<void>;
}

const MAX_MESSAGE_LENGTH = 200;
/** As long as any request waits for a store. */
const STORE_TIMEOUT_MS = 10_000;
/** Archives being expanded and stored, of all projects: each takes some 30 MB of memory until it is done. */
const STORED_AT_ONCE = 4;
const MAX_WAIT_MS = 10_000;

export function createDeploysService(
  store: DeploysStore,
  templateFiles: TemplateFiles,
  clock: Clock,
): DeploysService {
  const turns = createKeyTurns(STORED_AT_ONCE, MAX_WAIT_MS);

  async function keep(contents: readonly FileContent[]): Promise<SiteFile[]> {
    const files = contents.map(describeFile);
    const bytesOf = new Map(files.map((file, i) => [file, contents[i]?.bytes]));
    const kept = await store.keepBlobs(files.map(({ sha256 }) => sha256));
    const blobs: Blob[] = [];
    for (const [file, bytes] of bytesOf)
      if (bytes !== undefined && !kept.has(file.sha256)) blobs.push(await toBlob(file, bytes));
    await store.saveBlobs(blobs);
    return files;
  }

  /** @throws ApiError, SiteRefused */
  async function storeInTurn(id: string, archive: Buffer): Promise<SiteFile[]> {
    const endTurn = await takeTurn(turns, 'all', 'Too many archives are being stored at the moment.');
    try {
      // Another upload of the same deploy may have decided it: then nothing of this one is stored.
      assertAwaitsUpload((await store.get(id)) ?? deployNotFound(id));
      return await inTime(keep(await readArchive(archive)), STORE_TIMEOUT_MS);
    } finally {
      endTurn();
    }
  }

  return {
    async create({ projectId, message }, by) {
      const createdAt = new Date(clock());
      const deploy = await store.insert({
        id: `dep_${randomBase62(16)}`,
        projectId,
        createdAt,
        createdBy: by,
        uploadExpiresAt: new Date(createdAt.getTime() + UPLOAD_SECONDS * 1000),
        ...(message !== undefined && { message: checkMessage(message) }),
      });
      return deploy ?? projectNotFound(projectId);
    },
    get: async (id) => (await store.get(id)) ?? deployNotFound(id),
    getMany: (ids) => store.getMany(ids),
    page: (projectId, first, after) =>
      store.page(projectId, first, after === undefined ? undefined : numberOfCursor(after)),
    live: (projectId) => store.live(projectId),
    async receive(deploy, archive) {
      assertAwaitsUpload(deploy);
      try {
        // Takes as long as its sender does: it must not hold a turn that others wait for.
        const received = await receiveArchive(archive);
        return await storeInTurn(deploy.id, received);
      } catch (error) {
        if (!(error instanceof SiteRefused)) throw error;
        await store.fail(deploy.id, error.reason);
        throw error.tooLarge
          ? new ApiError('payload_too_large', error.reason, { cause: error })
          : invalidRequest({ field: 'archive', message: error.reason });
      }
    },
    keep: (contents) => inTime(keep(contents), STORE_TIMEOUT_MS),
    template: templateFiles,
    async publish(id, files) {
      const published = await store.publish(id, files);
      if (published === 'blobs gone')
        throw serviceUnavailable('The upload took so long that its files are gone. Send it again.');
      if (published !== undefined) return published;
      const { state } = (await store.get(id)) ?? deployNotFound(id);
      throw new ApiError('conflict', `The deploy ${id} is ${state} already.`);
    },
    async rollback(projectId, id) {
      const live = await store.setLive(projectId, id);
      if (live !== undefined) return live;
      const deploy = await store.get(id);
      if (deploy?.projectId !== projectId) return deployNotFound(id);
      throw new ApiError(
        'conflict',
        `The deploy ${id} is ${deploy.state}: only one that is ready can go live.`,
      );
    },
    removeOld: (projectId) => store.removeOldDeploys(projectId),
    removeUnlistedBlobs: () => store.removeUnlistedBlobs(),
  };
}

/** A place in a project's list of deploys. */
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
      throw new ApiError('conflict', `The deploy ${id} waited too long for its upload. Create another.`);
    case 'ready':
    case 'failed':
      throw new ApiError('conflict', `The deploy ${id} is ${state} already. Create another.`);
  }
}

function checkMessage(message: string): string {
  const trimmed = message.trim();
  if (Array.from(trimmed).length > MAX_MESSAGE_LENGTH || /[\p{Cc}\p{Surrogate}]/u.test(trimmed))
    throw invalidRequest({
      field: 'message',
      message: `must have at most ${MAX_MESSAGE_LENGTH} characters, none of them a control character`,
    });
  return trimmed;
}
