import type { ApiKey } from '../api-keys/api-key.js';
import type { ApiKeysService, CreateApiKey, IssuedKey } from '../api-keys/api-keys-service.js';
import type { KeyChange } from '../api-keys/api-keys-store.js';
import type { Actor, AuditAction, AuditState, AuditTarget } from '../audit/audit-record.js';
import type { AuditStore } from '../audit/audit-store.js';
import type { Clock } from '../lib/clock.js';
import type { Project } from '../projects/project.js';
import type { CreateProject, ProjectsService } from '../projects/projects-service.js';
import type { CustomQuota, PlanId } from '../quotas/plans.js';
import type { WindowName } from '../quotas/window.js';

/** Every change that a person can make to projects, keys and quotas, in the name of an actor. */
export interface Administration {
  createProject(input: CreateProject): Promise<Project>;
  changePlan(projectId: string, plan: PlanId, customQuota?: CustomQuota): Promise<Project>;
  createApiKey(input: CreateApiKey): Promise<IssuedKey>;
  rotateApiKey(id: string, overlapSeconds: number): Promise<IssuedKey>;
  revokeApiKey(id: string): Promise<ApiKey>;
  resetQuota(id: string, window?: WindowName): Promise<ApiKey>;
  liftBan(id: string): Promise<ApiKey>;
}

export interface AdministrationParts {
  projects: ProjectsService;
  apiKeys: ApiKeysService;
  audit: Pick<AuditStore, 'add'>;
  /** Runs all or nothing; may run more than once. */
  transact: <T>(run: () => Promise<T>) => Promise<T>;
  /** Told when a change is committed: told earlier, a cache would read what was before it. */
  changed: (change: KeyChange) => void;
  clock: Clock;
}

interface Change<T> {
  action: AuditAction;
  before?: AuditState;
  run: () => Promise<T>;
  describe: (result: T) => { target: AuditTarget; after: AuditState; change: KeyChange };
}

/** A change and its audit record are one transaction: there is never the one without the other. */
export function createAdministration(parts: AdministrationParts): (actor: Actor) => Administration {
  const { projects, apiKeys, audit, transact, changed, clock } = parts;

  async function record<T>(actor: Actor, prepare: () => Promise<Change<T>>): Promise<T> {
    const { result, change } = await transact(async () => {
      const { action, before, run, describe } = await prepare();
      const result = await run();
      const { target, after, change } = describe(result);
      await audit.add({ at: new Date(clock()), actor, action, target, before, after });
      return { result, change };
    });
    changed(change);
    return result;
  }

  const projectChange = (project: Project) => ({
    target: { projectId: project.id },
    after: stateOfProject(project),
    change: { projectId: project.id },
  });
  const keyChange = (key: ApiKey) => ({
    target: { projectId: key.projectId, apiKeyId: key.id },
    after: stateOfKey(key),
    change: { keyId: key.id },
  });
  const ofKey = (action: AuditAction, id: string, run: () => Promise<ApiKey>) => async () => ({
    action,
    before: stateOfKey(await apiKeys.get(id)),
    run,
    describe: keyChange,
  });

  return (actor) => ({
    createProject: (input) =>
      record(actor, () =>
        Promise.resolve({
          action: 'project.create',
          run: () => projects.create(input),
          describe: projectChange,
        }),
      ),
    changePlan: (id, plan, customQuota) =>
      record(actor, async () => ({
        action: 'project.changePlan',
        before: stateOfProject(await projects.get(id)),
        run: () => projects.changePlan(id, plan, customQuota),
        describe: projectChange,
      })),
    createApiKey: (input) =>
      record(actor, () =>
        Promise.resolve({
          action: 'apiKey.create',
          run: () => apiKeys.create(input),
          describe: ({ apiKey }) => keyChange(apiKey),
        }),
      ),
    rotateApiKey: (id, overlapSeconds) =>
      record(actor, async () => ({
        action: 'apiKey.rotate',
        before: stateOfKey(await apiKeys.get(id)),
        run: () => apiKeys.rotate(id, overlapSeconds),
        describe: ({ apiKey }) => keyChange(apiKey),
      })),
    revokeApiKey: (id) =>
      record(
        actor,
        ofKey('apiKey.revoke', id, () => apiKeys.revoke(id)),
      ),
    resetQuota: (id, window) =>
      record(
        actor,
        ofKey('quota.reset', id, () => apiKeys.resetQuota(id, window)),
      ),
    liftBan: (id) =>
      record(
        actor,
        ofKey('ban.lift', id, () => apiKeys.liftBan(id)),
      ),
  });
}

function stateOfProject({ name, plan, customQuota }: Project): AuditState {
  return {
    name,
    plan,
    requestsPerMinute: customQuota?.requestsPerMinute ?? null,
    requestsPerDay: customQuota?.requestsPerDay ?? null,
  };
}

function stateOfKey({ name, role, secrets, expiresAt, revokedAt, ban, epochs }: ApiKey): AuditState {
  return {
    name,
    role,
    start: secrets.at(-1)?.start ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    bannedUntil: ban?.until.toISOString() ?? null,
    minuteEpoch: epochs.minute,
    dayEpoch: epochs.day,
  };
}
