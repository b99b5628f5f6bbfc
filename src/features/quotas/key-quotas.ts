import type { ApiKey } from '../keys/api-key.js';
import { meterOf } from '../keys/caller.js';
import type { Clock } from '../../lib/clock.js';
import type { Project } from '../projects/project.js';
import type { ProjectsStore } from '../projects/projects-store.js';
import type { Ban } from '../plans/ban.js';
import type { Limiter } from '../limiter/limiter.js';
import type { PlanId } from '../plans/plans.js';
import type { WindowState } from '../plans/window.js';

/** A key's quota, for its owner or an admin. Reading it consumes nothing. */
export interface KeyQuota {
  /** Undefined for an admin key. */
  plan: PlanId | undefined;
  windows: readonly WindowState[];
  /** Set only while a ban is in force. */
  ban: Ban | undefined;
}

export interface KeyOfProject {
  key: ApiKey;
  /** Undefined for an admin key. */
  project: Project | undefined;
}

export interface KeyQuotas {
  of(key: ApiKey): Promise<KeyQuota>;
  /** Returns the quotas of keys with their projects, in the same order, with one read of the counters. */
  ofMany(keys: readonly KeyOfProject[]): Promise<KeyQuota[]>;
}

export function createKeyQuotas(
  limiter: Limiter,
  projects: Pick<ProjectsStore, 'get'>,
  adminRequestsPerMinute: number,
  clock: Clock,
): KeyQuotas {
  async function ofMany(keys: readonly KeyOfProject[]): Promise<KeyQuota[]> {
    const meters = keys.map(({ key, project }) => meterOf(key, project, adminRequestsPerMinute));
    const states = await limiter.peekMany(meters);
    return keys.map(({ key, project }, i) => ({
      plan: project?.plan,
      windows: states[i] ?? [],
      ban: key.ban !== undefined && key.ban.until.getTime() > clock() ? key.ban : undefined,
    }));
  }
  return {
    ofMany,
    async of(key) {
      const project = key.projectId === undefined ? undefined : await projects.get(key.projectId);
      const [quota] = await ofMany([{ key, project }]);
      if (quota === undefined) throw new Error('one key has one quota');
      return quota;
    },
  };
}
