import { isDeepStrictEqual } from 'node:util';
import type { ApiKey } from '../keys/api-key.js';
import type {
  ApiKeysService,
  CreateApiKey,
  InvitedPerson,
  InvitePerson,
  IssuedKey,
} from '../keys/api-keys-service.js';
import type { CallerChecks } from '../keys/caller-checks.js';
import type { AuditedChange } from './audited-change.js';
import { actorOf, isCaller, type Changer } from '../keys/changer.js';
import type { KeyProperties } from '../keys/api-keys-store.js';
import type { RecordChange } from '../keys/record-change.js';
import type { AuditAction, AuditState } from '../audit/audit-record.js';
import type { AuditStore } from '../audit/audit-store.js';
import type { DeploysService } from '../publishing/deploys/deploys-service.js';
import type { DomainsService } from '../publishing/domains/domains-service.js';
import { isNotFound } from '../../lib/errors.js';
import type { Clock } from '../../lib/clock.js';
import { createTurns, inTurn } from '../../lib/turns.js';
import { randomBase62 } from '../../lib/random-id.js';
import type { Project } from '../projects/project.js';
import type { PetsOfDeleted } from '../projects/project-removals.js';
import type { CreateProject, ProjectsService } from '../projects/projects-service.js';
import type { ProjectChanges } from '../projects/projects-store.js';
import type { KeyQuota, KeyQuotas } from '../quotas/key-quotas.js';
import { LIMIT_FIELDS, type CustomQuota, type PlanId } from '../plans/plans.js';
import type { WindowName } from '../plans/window.js';
import type { PetsService } from '../pets/pets-service.js';
import { auditedPets, type AuditedPets } from './audited-pets.js';
import { deployChanges, type DeployChanges } from './deploy-changes.js';
import { domainChanges, type DomainChanges } from './domain-changes.js';

/** All changes to projects, keys, quotas, pets, sites and domains, made on behalf of an actor. */
export interface Administration extends AuditedPets, DeployChanges, DomainChanges {
  createProject(input: CreateProject): Promise<Project>;
  /** Changes the name of the project or what its site shows; its slug stays. @throws ApiError invalid_request; not_found */
  updateProject(projectId: string, changes: ProjectChanges): Promise<Project>;
  changePlan(projectId: string, plan: PlanId, customQuota?: CustomQuota): Promise<Project>;
  /**
   * Deletes the project and its data permanently. `name` must be its name. Its pets are removed unless `pets` says otherwise. Removals removes the remaining data.
   * @throws ApiError invalid_request; not_found
   */
  deleteProject(projectId: string, name: string, pets?: PetsOfDeleted): Promise<Project>;
  createApiKey(input: CreateApiKey): Promise<IssuedKey>;
  updateApiKey(id: string, changes: KeyProperties): Promise<ApiKey>;
  rotateApiKey(id: string, overlapSeconds: number): Promise<IssuedKey>;
  /** Pauses the key, until it is enabled. @throws ApiError not_found; conflict if the key is revoked */
  disableApiKey(id: string): Promise<ApiKey>;
  enableApiKey(id: string): Promise<ApiKey>;
  revokeApiKey(id: string): Promise<ApiKey>;
  /** Creates the staff key of a person, and an invitation for it. */
  invite(input: InvitePerson): Promise<InvitedPerson>;
  /** Ends the person's secret, sessions and open invitation, and creates an invitation. */
  inviteAgain(id: string): Promise<InvitedPerson>;
  resetQuota(id: string, window?: WindowName): Promise<ApiKey>;
  liftBan(id: string): Promise<ApiKey>;
}

export interface AdministrationParts {
  callerChecks: Pick<CallerChecks, 'require' | 'claim' | 'requireUnclaimed'>;
  projects: ProjectsService;
  apiKeys: ApiKeysService;
  keyQuotas: KeyQuotas;
  pets: Pick<PetsService, 'reserveId' | 'create' | 'update' | 'remove' | 'removeAllOf'>;
  deploys: DeploysService;
  /** Undefined without PLATFORM_HOST. */
  domains: DomainsService | undefined;
  audit: Pick<AuditStore, 'add'>;
  /** Runs all or nothing, possibly more than once. */
  transact: <T>(run: () => Promise<T>) => Promise<T>;
  /**
   * Called again after a change is committed, because a cache may have read the old state in between. Resolves when
   * every process of this gateway has received the change.
   */
  onCommitted: (change: RecordChange) => Promise<void>;
  /** Called within the transaction that makes a deploy live. */
  onLive: (projectId: string) => Promise<void>;
  /** Called when old deploys could not be removed. */
  onLeftOver: (error: unknown) => void;
  clock: Clock;
}

/** How long a change waits for the earlier ones of the same key in this process. */
const MAX_WAIT_MS = 5000;

/**
 * Each change and its audit record share one transaction: neither is stored without the other. The transaction also
 * requires that the key, and the session, in whose name it runs are still valid. So each method also throws ApiError
 * invalid_api_key, and changes nothing, if they are not.
 */
export function createAdministration(parts: AdministrationParts): (changer: Changer) => Administration {
  const turns = createTurns(1, MAX_WAIT_MS);
  const { callerChecks, projects, apiKeys, keyQuotas, pets, audit, transact, onCommitted, clock } = parts;

  async function record<T>(changer: Changer, asked: AuditedChange<T>): Promise<T> {
    const { action, before, run, describe, keyId, endsKey } = asked;
    const actor = actorOf(changer);
    const claim = endsKey && randomBase62(16);
    let isRestart = false;
    const { result, change } = await transactInTurn(changer, async () => {
      if (isRestart && keyId !== undefined && claim !== undefined) await callerChecks.claim(keyId, claim);
      isRestart = true;
      if (isCaller(changer)) await callerChecks.require(changer, claim);
      // A revocation never waits for a rotation: that could be made again and again.
      if (keyId !== undefined && endsKey !== 'key') await callerChecks.requireUnclaimed(keyId, claim);
      const earlier = await before?.().catch(unlessThere);
      const result = await run();
      const described = await describe(result, earlier);
      const { target, after, change } = described;
      const state = described.before ?? earlier;
      // Skips changes without effect, such as lifting a missing ban or revoking twice.
      if (!isDeepStrictEqual(state, after))
        await audit.add({ at: new Date(clock()), actor, action, target, before: state, after });
      return { result, change };
    });
    if (change !== undefined) await onCommitted(change);
    return result;
  }

  /** Changes of one key would conflict with each other, and start again and again. */
  function transactInTurn<T>(changer: Changer, run: () => Promise<T>): Promise<T> {
    if (!isCaller(changer)) return transact(run);
    return inTurn(turns, changer.key.id, 'The key is making too many changes at once.', () => transact(run));
  }

  const describeProject = (project: Project) => ({
    target: { projectId: project.id },
    after: stateOfProject(project),
    change: { projectId: project.id },
  });
  const describeKey = (key: ApiKey) => ({
    target: { projectId: key.projectId, apiKeyId: key.id },
    after: stateOfKey(key),
    change: { keyId: key.id },
  });
  const describeIssued = ({ apiKey }: IssuedKey | InvitedPerson) => describeKey(apiKey);
  const keyBefore = (id: string) => async () => stateOfKey(await apiKeys.get(id));
  const changeKey = (changer: Changer, action: AuditAction, id: string, run: () => Promise<ApiKey>) =>
    record(changer, { action, keyId: id, before: keyBefore(id), run, describe: describeKey });
  /** A change after which the key no longer works. */
  const endKey = (changer: Changer, action: AuditAction, id: string, run: () => Promise<ApiKey>) =>
    record(changer, {
      action,
      keyId: id,
      endsKey: 'key',
      before: keyBefore(id),
      run,
      describe: describeKey,
    });

  return (changer) => ({
    createProject: (input) =>
      record(changer, {
        action: 'project.create',
        run: () => projects.create(input),
        describe: describeProject,
      }),
    updateProject: (id, changes) =>
      record(changer, {
        action: 'project.update',
        before: async () => stateOfProject(await projects.get(id)),
        run: () => projects.update(id, changes),
        describe: describeProject,
      }),
    changePlan: (id, plan, customQuota) =>
      record(changer, {
        action: 'project.changePlan',
        before: async () => stateOfProject(await projects.get(id)),
        async run() {
          const project = await projects.changePlan(id, plan, customQuota);
          await parts.domains?.resume(id);
          return project;
        },
        describe: describeProject,
      }),
    deleteProject: (id, name, petsOfIt) =>
      record(changer, {
        action: 'project.delete',
        before: async () => stateOfWhole(await projects.get(id)),
        run: () => projects.delete(id, name, petsOfIt),
        describe: (project) => ({ ...describeProject(project), after: nothingOf(stateOfWhole(project)) }),
      }),
    createApiKey: (input) =>
      record(changer, {
        action: 'apiKey.create',
        run: () => apiKeys.create(input),
        describe: describeIssued,
      }),
    updateApiKey: (id, changes) => changeKey(changer, 'apiKey.update', id, () => apiKeys.update(id, changes)),
    rotateApiKey: (id, overlapSeconds) =>
      record(changer, {
        action: 'apiKey.rotate',
        keyId: id,
        endsKey: 'secrets',
        before: keyBefore(id),
        run: () => apiKeys.rotate(id, overlapSeconds),
        describe: describeIssued,
      }),
    disableApiKey: (id) => endKey(changer, 'apiKey.disable', id, () => apiKeys.disable(id)),
    enableApiKey: (id) => changeKey(changer, 'apiKey.enable', id, () => apiKeys.enable(id)),
    revokeApiKey: (id) => endKey(changer, 'apiKey.revoke', id, () => apiKeys.revoke(id)),
    invite: (input) =>
      record(changer, {
        action: 'invitation.create',
        run: () => apiKeys.invite(input),
        describe: describeIssued,
      }),
    inviteAgain: (id) =>
      record(changer, {
        action: 'invitation.create',
        keyId: id,
        endsKey: 'secrets',
        before: keyBefore(id),
        run: () => apiKeys.inviteAgain(id),
        describe: describeIssued,
      }),
    resetQuota: (id, window) =>
      record(changer, {
        action: 'quota.reset',
        keyId: id,
        before: async () => usedOf(await keyQuotas.of(await apiKeys.get(id))),
        run: () => apiKeys.resetQuota(id, window),
        describe: (key, used = {}) => ({ ...describeKey(key), after: afterReset(used, window) }),
      }),
    liftBan: (id) => changeKey(changer, 'ban.lift', id, () => apiKeys.liftBan(id)),
    ...auditedPets({ pets, projects, record: (change) => record(changer, change) }),
    ...deployChanges({ ...parts, changer, record: (change) => record(changer, change) }),
    ...domainChanges({ ...parts, record: (change) => record(changer, change) }),
  });
}

function unlessThere(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

function stateOfProject({ name, plan, customQuota, siteAnimals = 'own' }: Project): AuditState {
  return {
    name,
    plan,
    ...Object.fromEntries(LIMIT_FIELDS.map((field) => [field, customQuota?.[field] ?? null])),
    siteAnimals,
  };
}

/** The state of a project, with its slug to identify it after its deletion. */
function stateOfWhole(project: Project): AuditState {
  return { ...stateOfProject(project), slug: project.slug };
}

function nothingOf(state: AuditState): AuditState {
  return Object.fromEntries(Object.keys(state).map((property) => [property, null]));
}

function stateOfKey(key: ApiKey): AuditState {
  const { name, role, secrets, allowedOrigins, expiresAt, disabledAt, revokedAt, invitation, ban } = key;
  return {
    name,
    role,
    allowedOrigins: allowedOrigins.length === 0 ? null : allowedOrigins.join(' '),
    start: secrets.at(-1)?.start ?? null,
    oldSecretEndsAt: secrets.at(-2)?.expiresAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
    disabledAt: disabledAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    invitedUntil: invitation?.expiresAt.toISOString() ?? null,
    bannedUntil: ban?.until.toISOString() ?? null,
  };
}

/** The request counts that a reset clears; null while the quota store is down, which has them. */
function usedOf({ windows, isStoreDown }: KeyQuota): AuditState {
  return Object.fromEntries(windows.map(({ name, used }) => [`${name}Used`, isStoreDown ? null : used]));
}

/** @param window all windows if undefined */
function afterReset(used: AuditState, window: WindowName | undefined): AuditState {
  const isReset = (property: string) => window === undefined || property === `${window}Used`;
  return Object.fromEntries(
    Object.entries(used).map(([property, count]) => [property, isReset(property) ? 0 : count]),
  );
}
