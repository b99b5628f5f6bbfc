import type { ApiKey } from '../api-keys/api-key.js';
import { meterOf } from '../api-keys/caller.js';
import type { Clock } from '../lib/clock.js';
import type { Project } from '../projects/project.js';
import type { ProjectsStore } from '../projects/projects-store.js';
import type { Ban } from './ban.js';
import type { Limiter } from './limiter.js';
import type { PlanId } from './plans.js';
import type { WindowState } from './window.js';

/** A key's quota as an admin or its owner looks at it; looking consumes nothing. */
export interface KeyQuota {
  /** Undefined for an admin key. */
  plan: PlanId | undefined;
  windows: readonly WindowState[];
  /** Only while it lasts. */
  ban: Ban | undefined;
}

export interface KeyQuotas {
  of(key: ApiKey): Promise<KeyQuota>;
  /** A page of keys, in their order, with one read of projects and one of counters. */
  ofMany(keys: readonly ApiKey[]): Promise<KeyQuota[]>;
}

export function createKeyQuotas(
  limiter: Limiter,
  projects: Pick<ProjectsStore, 'getMany'>,
  adminRequestsPerMinute: number,
  clock: Clock,
): KeyQuotas {
  async function ofMany(keys: readonly ApiKey[]): Promise<KeyQuota[]> {
    const ids = new Set(keys.flatMap(({ projectId }) => projectId ?? []));
    const found = new Map<string | undefined, Project>(
      (await projects.getMany([...ids])).map((project) => [project.id, project]),
    );
    const meters = keys.map((key) => meterOf(key, found.get(key.projectId), adminRequestsPerMinute));
    const states = await limiter.peekMany(meters);
    return keys.map((key, i) => ({
      plan: found.get(key.projectId)?.plan,
      windows: states[i] ?? [],
      ban: key.ban !== undefined && key.ban.until.getTime() > clock() ? key.ban : undefined,
    }));
  }
  return {
    ofMany,
    async of(key) {
      const [quota] = await ofMany([key]);
      if (quota === undefined) throw new Error('one key has one quota');
      return quota;
    },
  };
}
