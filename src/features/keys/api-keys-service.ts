import { ApiError, invalidRequest, type FieldFault } from '../../lib/errors.js';
import { checkName, checkNamePart } from '../../lib/check-name.js';
import type { Clock } from '../../lib/clock.js';
import type { Project } from '../projects/project.js';
import type { ProjectsStore } from '../projects/projects-store.js';
import { projectNotFound } from '../projects/projects-service.js';
import { NO_RESETS, WINDOW_NAMES, type WindowName } from '../plans/window.js';
import { stateOf, type ApiKey, type ApiKeyRole, type Invitation } from './api-key.js';
import { assertKeyIncluded, CREATED_WITHIN_MS } from './assert-key-included.js';
import type { ApiKeysPage, ApiKeysQuery, ApiKeysStore, KeyProperties } from './api-keys-store.js';
import {
  createInvitation,
  invitationOver,
  isOpenInvitation,
  parseInvitation,
  type NewInvitation,
} from './invitation.js';
import type { RecordChange } from './record-change.js';
import { createSecret, hashSecret, startOf, type AppEnvironment } from './secret.js';
import { randomBase62 } from '../../lib/random-id.js';

export interface CreateApiKey {
  name: string;
  role?: ApiKeyRole | undefined;
  /** Required for every role except admin. */
  projectId?: string | undefined;
  expiresAt?: Date | undefined;
  /** For browser keys: `https://shop.example`, or `http://localhost:5173`. */
  allowedOrigins?: readonly string[] | undefined;
}

export interface InvitePerson {
  /** The name of the person, which the audit log shows. */
  name: string;
  projectId: string;
}

/** The staff key of a person, and the invitation for the link, which is never shown again. */
export interface InvitedPerson {
  apiKey: ApiKey;
  invitation: Pick<NewInvitation, 'text' | 'expiresAt'>;
}

/** A key with its secret, which is never shown again. */
export interface IssuedKey {
  apiKey: ApiKey;
  secret: string;
}

export interface ApiKeysService {
  /**
   * Call it in a transaction: two concurrent calls must not both take the last key of the plan.
   * @throws ApiError invalid_request; not_found for the project; plan_required if its plan includes no more keys
   */
  create(input: CreateApiKey): Promise<IssuedKey>;
  /**
   * Adds a secret; the old one stays valid for `overlapSeconds`. Id, counters, ban and history stay. At most
   * MAX_LIVING_SECRETS secrets work at the same time: a further rotation expires the oldest.
   * @throws ApiError invalid_request; not_found; conflict if the key is revoked or expired, or is a staff key
   */
  rotate(id: string, overlapSeconds: number): Promise<IssuedKey>;
  /**
   * Changes these properties and keeps the others. Call it in a transaction, like `create`: an expired key that works
   * again counts as active again.
   * @throws ApiError invalid_request; not_found; conflict if the key is revoked; plan_required as for `create`
   */
  update(id: string, changes: KeyProperties): Promise<ApiKey>;
  /**
   * Rejects requests with the key until it is enabled. Its secrets, counters, ban and history stay, and it keeps its
   * place in the plan. Disabling twice is not an error. @throws ApiError not_found; conflict if the key is revoked
   */
  disable(id: string): Promise<ApiKey>;
  /** Enabling a key that is not disabled is not an error. @throws ApiError not_found; conflict if the key is revoked */
  enable(id: string): Promise<ApiKey>;
  /**
   * Creates the staff key of a person. Nobody knows its secret: the person gets one with the invitation. Call it in a
   * transaction, like `create`.
   * @throws ApiError as `create`
   */
  invite(input: InvitePerson): Promise<InvitedPerson>;
  /**
   * Ends the person's secret and the open invitation at once, and creates an invitation.
   * @throws ApiError not_found; conflict if the key is not a staff key, or is revoked or expired
   */
  inviteAgain(id: string): Promise<InvitedPerson>;
  /**
   * Returns the key of an invitation that can be accepted. The invitation stays open.
   * @throws ApiError invalid_api_key
   */
  findInvited(invitation: string): Promise<ApiKey>;
  /**
   * Gives the invited person's key a secret, and ends the invitation. Of any number of calls at the same time, one succeeds.
   * @throws ApiError invalid_api_key
   */
  acceptInvitation(invitation: string): Promise<IssuedKey>;
  /** Revoking twice is not an error. @throws ApiError not_found */
  revoke(id: string): Promise<ApiKey>;
  /** Resets one window, or all. @throws ApiError not_found */
  resetQuota(id: string, window?: WindowName): Promise<ApiKey>;
  /** @throws ApiError not_found */
  liftBan(id: string): Promise<ApiKey>;
  /** @throws ApiError not_found */
  get(id: string): Promise<ApiKey>;
  /** Returns the keys that exist, in no particular order. */
  getMany(ids: readonly string[]): Promise<ApiKey[]>;
  list(filter?: { projectId?: string }): Promise<ApiKey[]>;
  /** @throws ApiError invalid_request */
  page(query: Omit<ApiKeysQuery, 'nowMs'>): Promise<ApiKeysPage>;
  /** The number of keys of each project that are neither revoked nor expired, in the order of the ids. */
  countActive(projectIds: readonly string[]): Promise<number[]>;
}

/** A week. A longer overlap calls for two keys. */
const MAX_OVERLAP_SECONDS = 7 * 86_400;

export interface ApiKeysServiceParts {
  keys: ApiKeysStore;
  projects: ProjectsStore;
  environment: AppEnvironment;
  /**
   * Called after each change, so that this process applies it to its next request. Administration tells all processes
   * after the commit.
   */
  evictHere: (change: RecordChange) => void;
  clock: Clock;
}

export function createApiKeysService(parts: ApiKeysServiceParts): ApiKeysService {
  const { keys, projects, environment, evictHere, clock } = parts;

  function newSecret() {
    const secret = createSecret(environment);
    return { secret, record: { hash: hashSecret(secret), start: startOf(secret, environment) } };
  }
  /** Locks the project, so that concurrent creations are counted one after another. */
  async function lockForActiveKey(projectId: string, isNew: boolean): Promise<Project> {
    const project = (await projects.lock(projectId)) ?? projectNotFound(projectId);
    const nowMs = clock();
    assertKeyIncluded(project.plan, {
      active: (await keys.countActive([projectId], nowMs)).get(projectId) ?? 0,
      created: isNew ? await keys.countCreated(projectId, new Date(nowMs - CREATED_WITHIN_MS)) : 0,
    });
    return project;
  }
  function afterChange(id: string, key: ApiKey | undefined): ApiKey {
    evictHere({ keyId: id });
    return key ?? apiKeyNotFound(id);
  }

  /** @throws ApiError not_found; conflict if the key is revoked */
  async function unlessRevoked(id: string, change: Promise<ApiKey | undefined>): Promise<ApiKey> {
    const changed = await change;
    evictHere({ keyId: id });
    if (changed !== undefined) return changed;
    throw (await keys.get(id)) === undefined ? apiKeyNotFound(id) : revoked(id);
  }

  async function create(
    checked: CheckedKey,
    invite?: (keyId: string) => NewInvitation,
  ): Promise<IssuedKey & { invitation: NewInvitation | undefined }> {
    const { projectId } = checked;
    const project = projectId === undefined ? undefined : await lockForActiveKey(projectId, true);
    const { secret, record } = newSecret();
    const id = `key_${randomBase62(16)}`;
    const invitation = invite?.(id);
    const apiKey: ApiKey = {
      id,
      ...checked,
      secrets: [record],
      createdAt: new Date(clock()),
      ...(invitation && { invitation: storedOf(invitation) }),
      epochs: NO_RESETS,
      usageToday: 0,
    };
    await keys.insert(apiKey, project?.plan);
    evictHere({ keyId: apiKey.id });
    return { apiKey, secret, invitation };
  }

  async function findInvited(text: string): Promise<ApiKey & { tokenHash: string }> {
    const { keyId, tokenHash } = parseInvitation(text);
    const key = await keys.get(keyId);
    if (key === undefined || !isOpenInvitation(key, tokenHash, clock())) throw invitationOver();
    return { ...key, tokenHash };
  }

  return {
    async create(input) {
      const { apiKey, secret } = await create(checkCreate(input, clock()));
      return { apiKey, secret };
    },
    async invite({ name, projectId }) {
      const checked = { name: checkName(name), role: 'staff' as const, projectId, allowedOrigins: [] };
      const invite = (id: string) => createInvitation(id, clock());
      const { apiKey, invitation } = await create(checked, invite);
      if (invitation === undefined) throw new Error('no invitation');
      return { apiKey, invitation };
    },
    async inviteAgain(id) {
      const invitation = createInvitation(id, clock());
      const { record } = newSecret();
      const invited = await keys.invite(id, record, storedOf(invitation), new Date(clock()));
      evictHere({ keyId: id });
      if (invited !== undefined) return { apiKey: invited, invitation };
      throw noNewSecret((await keys.get(id)) ?? apiKeyNotFound(id), 'invitation');
    },
    findInvited,
    async acceptInvitation(text) {
      const { id, tokenHash } = await findInvited(text);
      const { secret, record } = newSecret();
      const accepted = await keys.acceptInvitation(id, record, tokenHash, new Date(clock()));
      evictHere({ keyId: id });
      if (accepted === undefined) throw invitationOver();
      return { apiKey: accepted, secret };
    },
    async rotate(id, overlapSeconds) {
      if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > MAX_OVERLAP_SECONDS)
        throw invalidRequest({
          field: 'overlapSeconds',
          message: `must be an integer from 0 to ${MAX_OVERLAP_SECONDS}`,
        });
      const { secret, record } = newSecret();
      const rotated = await keys.addSecret(id, record, new Date(clock() + overlapSeconds * 1000));
      evictHere({ keyId: id });
      if (rotated !== undefined) return { apiKey: rotated, secret };
      throw noNewSecret((await keys.get(id)) ?? apiKeyNotFound(id), 'rotation');
    },
    async update(id, changes) {
      const key = (await keys.get(id)) ?? apiKeyNotFound(id);
      const checked = checkUpdate(changes, key.role, clock());
      const { projectId } = key;
      if (projectId !== undefined && checked.expiresAt !== undefined && stateOf(key, clock()) === 'expired')
        await lockForActiveKey(projectId, false);
      const updated = await keys.update(id, checked);
      evictHere({ keyId: id });
      if (updated === undefined) throw revoked(id);
      return updated;
    },
    disable: (id) => unlessRevoked(id, keys.disable(id, new Date(clock()))),
    enable: (id) => unlessRevoked(id, keys.enable(id)),
    revoke: async (id) => afterChange(id, await keys.revoke(id, new Date(clock()))),
    resetQuota: async (id, window) =>
      afterChange(id, await keys.raiseEpochs(id, window === undefined ? WINDOW_NAMES : [window])),
    liftBan: async (id) => afterChange(id, await keys.liftBan(id, new Date(clock()))),
    get: async (id) => (await keys.get(id)) ?? apiKeyNotFound(id),
    getMany: (ids) => keys.getMany(ids),
    list: (filter = {}) => keys.list(filter),
    async page(query) {
      checkNamePart(query.filter.nameContains);
      return keys.page({ ...query, nowMs: clock() });
    },
    async countActive(projectIds) {
      const counts = await keys.countActive(projectIds, clock());
      return projectIds.map((id) => counts.get(id) ?? 0);
    },
  };
}

type CheckedKey = Pick<ApiKey, 'name' | 'role' | 'projectId' | 'expiresAt' | 'allowedOrigins'>;

function checkCreate(input: CreateApiKey, nowMs: number): CheckedKey {
  const { role = 'server', projectId, expiresAt, allowedOrigins = [] } = input;
  const name = checkName(input.name);
  const faults: FieldFault[] = [];
  if (role === 'admin' && projectId !== undefined)
    faults.push({ field: 'projectId', message: 'an admin key belongs to no project' });
  if (role !== 'admin' && projectId === undefined)
    faults.push({ field: 'projectId', message: 'is required for every role but admin' });
  if (role === 'staff')
    faults.push({
      field: 'role',
      message: 'a staff key belongs to a person: use createInvitation, or `pets-gateway staff invite`',
    });
  faults.push(...expiryFaults(expiresAt, nowMs), ...originFaults(allowedOrigins, role));
  if (faults.length > 0) throw invalidRequest(faults);
  return { name, role, projectId, expiresAt, allowedOrigins };
}

function checkUpdate(changes: KeyProperties, role: ApiKeyRole, nowMs: number): KeyProperties {
  const { name, expiresAt, allowedOrigins } = changes;
  const faults = [
    ...expiryFaults(expiresAt ?? undefined, nowMs),
    ...(allowedOrigins === undefined ? [] : originFaults(allowedOrigins, role)),
  ];
  if (faults.length > 0) throw invalidRequest(faults);
  return { name: name === undefined ? undefined : checkName(name), expiresAt, allowedOrigins };
}

function expiryFaults(expiresAt: Date | undefined, nowMs: number): FieldFault[] {
  if (expiresAt === undefined || stateOf({ expiresAt }, nowMs) !== 'expired') return [];
  return [{ field: 'expiresAt', message: 'must be in the future' }];
}

function originFaults(allowedOrigins: readonly string[], role: ApiKeyRole): FieldFault[] {
  const faults: FieldFault[] = [];
  if (role === 'browser' && allowedOrigins.length === 0)
    faults.push({ field: 'allowedOrigins', message: 'a browser key requires at least one origin' });
  if (role !== 'browser' && allowedOrigins.length > 0)
    faults.push({ field: 'allowedOrigins', message: 'is for browser keys only' });
  if (allowedOrigins.length > MAX_ORIGINS)
    faults.push({ field: 'allowedOrigins', message: `must be at most ${MAX_ORIGINS}` });
  for (const origin of allowedOrigins)
    if (originOf(origin) !== origin) faults.push({ field: 'allowedOrigins', message: noOrigin(origin) });
  return faults;
}

/** Limit per key, because each audit record about a key contains all its origins, before and after. */
const MAX_ORIGINS = 50;
/** The length with the longest host name and port. Parsing a URL takes quadratic time. */
const MAX_ORIGIN_LENGTH = 'https://:65535'.length + 253;

/**
 * The origin of a URL as a browser sends it in `Origin` (RFC 6454): scheme, host and port only, in lower case, an
 * international name in ASCII. Undefined for a text that is no URL of a web page.
 */
function originOf(text: string): string | undefined {
  const isUrl = text.length <= MAX_ORIGIN_LENGTH && /^https?:\/\//i.test(text) && URL.canParse(text);
  return isUrl ? new URL(text).origin : undefined;
}

function noOrigin(text: string): string {
  const received = JSON.stringify(text);
  const origin = originOf(text);
  return origin === undefined
    ? `${received} is not a web origin, such as https://shop.example without a slash at the end`
    : `${received} is not a web origin as browsers send it: use ${origin}`;
}

/** Why a key that exists got no secret by a rotation or an invitation. */
function noNewSecret(key: ApiKey, by: 'rotation' | 'invitation'): ApiError {
  const { id, name, role } = key;
  if ((role === 'staff') !== (by === 'invitation'))
    return new ApiError(
      'conflict',
      by === 'rotation'
        ? `The API key ${id} belongs to a person, ${name}. Only this person gets its secret: create a new invitation ` +
            'instead (renewInvitation, or `pets-gateway staff link`).'
        : `The API key ${id} has the role ${role}. Only staff keys belong to a person.`,
    );
  return key.revokedAt === undefined && key.expiresAt !== undefined ? expired(key) : revoked(id);
}

function storedOf({ tokenHash, expiresAt }: NewInvitation): Invitation {
  return { tokenHash, expiresAt };
}

function revoked(id: string): ApiError {
  return new ApiError('conflict', `The API key ${id} is revoked; create a new one.`);
}

function expired({ id, role, expiresAt }: ApiKey): ApiError {
  return new ApiError(
    'conflict',
    `The API key ${id} expired on ${expiresAt?.toISOString()}, and so would a new secret. Set a later expiry first ` +
      '(updateApiKey with expiresAt, or `pets-gateway keys update --expires`), ' +
      (role === 'staff' ? 'then create the link.' : 'then rotate the key.'),
  );
}

/** @throws ApiError not_found, always */
export function apiKeyNotFound(id: string): never {
  throw new ApiError('not_found', `There is no API key with the id ${id}.`);
}
