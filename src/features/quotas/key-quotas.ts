import type { ApiKey } from '../keys/api-key.js';
import { meterOf } from '../keys/caller.js';
import type { Clock } from '../../lib/clock.js';
import type { Project } from '../projects/project.js';
import type { ProjectsStore } from '../projects/projects-store.js';
import { currentBan, type Ban, type BanPolicy } from '../plans/ban.js';
import type { Limiter } from '../limiter/limiter.js';
import type { PlanId } from '../plans/plans.js';
import type { WindowState } from '../plans/window.js';
import { getsStrikes, strikesLeft, type StrikableKey } from './strikes.js';
import type { StrikesStore } from './strikes-store.js';

/** A key's quota, for its owner or an admin. Reading it consumes nothing. */
export interface KeyQuota {
  /** Undefined for an admin key. */
  plan: PlanId | undefined;
  windows: readonly WindowState[];
  /** Set only while a ban is in force. */
  ban: Ban | undefined;
  /**
   * Whether local limits are in force because the quota store is down: the windows are then this process's own counts,
   * and lack what it has not seen and what other processes admit.
   */
  isStoreDown: boolean;
}

/** Strikes that a key has before a ban. */
export interface KeyStrikes {
  /** Strikes within the policy's window. */
  count: number;
  /** How many more strikes ban the key, at least 1. */
  left: number;
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
  /** Whether the windows that this process returns now, also those of a charge, are its own counts. */
  isStoreDown(): boolean;
  /** Returns the strikes of keys, in their order, with one read. Undefined for a key that gets none. */
  strikesOf(keys: readonly StrikableKey[]): Promise<(KeyStrikes | undefined)[]>;
}

export interface KeyQuotasParts {
  limiter: Pick<Limiter, 'peekMany'>;
  isStoreDown: () => boolean;
  projects: Pick<ProjectsStore, 'get'>;
  strikes: Pick<StrikesStore, 'count'>;
  banPolicy: Pick<BanPolicy, 'strikes'>;
  adminRequestsPerMinute: number;
  clock: Clock;
}

export function createKeyQuotas(parts: KeyQuotasParts): KeyQuotas {
  const { limiter, isStoreDown, projects, strikes, banPolicy, adminRequestsPerMinute, clock } = parts;

  async function ofMany(keys: readonly KeyOfProject[]): Promise<KeyQuota[]> {
    const meters = keys.map(({ key, project }) => meterOf(key, project, adminRequestsPerMinute));
    const states = await limiter.peekMany(meters);
    // After the read: it may be what found out.
    const isDown = isStoreDown();
    return keys.map(({ key, project }, i) => ({
      plan: project?.plan,
      windows: states[i] ?? [],
      ban: currentBan(key.ban, clock()),
      isStoreDown: isDown,
    }));
  }
  return {
    ofMany,
    isStoreDown,
    async of(key) {
      const project = key.projectId === undefined ? undefined : await projects.get(key.projectId);
      const [quota] = await ofMany([{ key, project }]);
      if (quota === undefined) throw new Error('one key has one quota');
      return quota;
    },
    async strikesOf(keys) {
      const ids = keys.filter(getsStrikes).map(({ id }) => id);
      const counts = ids.length === 0 ? new Map<string, number>() : await strikes.count(ids, clock() / 1000);
      return keys.map((key) => {
        if (!getsStrikes(key)) return undefined;
        const count = counts.get(key.id) ?? 0;
        return { count, left: strikesLeft(banPolicy, count) };
      });
    },
  };
}
