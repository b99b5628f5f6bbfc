import type { CommandServices } from '../app/command-services.js';
import { stateOf, type ApiKey } from '../features/keys/api-key.js';
import type { ApiKeysFilter } from '../features/keys/api-keys-store.js';
import { currentBan } from '../features/plans/ban.js';
import type { WindowName, WindowState } from '../features/plans/window.js';
import type { Row } from './output.js';
import { reasonOf } from './rejection-reason.js';

/** Options of `keys list` that ask who reaches limits. */
export interface LimitedOptions {
  nearLimit?: true;
  banned?: true;
  rejected?: true;
}

export function filterOf({ nearLimit, banned, rejected }: LimitedOptions): ApiKeysFilter {
  return { nearLimit, banned, rejectedToday: rejected };
}

export function asksForLimits({ nearLimit, banned, rejected }: LimitedOptions): boolean {
  return [nearLimit, banned, rejected].includes(true);
}

/** A key with what its windows have counted, and its rejections. */
export interface LimitedKey {
  key: ApiKey;
  cursor: string;
  row: Row;
  /** Whether the quota store is down, so that use is unknown. */
  isStoreDown: boolean;
}

/** A page of keys with their use: a fixed number of reads for each page, however many keys there are. */
export async function pageOfLimitedKeys(
  services: CommandServices,
  filter: ApiKeysFilter,
  first: number,
  after: string | undefined,
): Promise<{ entries: LimitedKey[]; hasMore: boolean }> {
  const { apiKeys, projects, keyQuotas, usage } = services;
  const { entries, hasMore } = await apiKeys.page({ first, after, filter, orderBy: 'createdAt' });
  if (entries.length === 0) return { entries: [], hasMore };
  const keys = entries.map(({ key }) => key);
  const ids = keys.map(({ id }) => id);
  const projectIds = new Set(keys.flatMap(({ projectId }) => projectId ?? []));
  const byId = new Map((await projects.getMany([...projectIds])).map((project) => [project.id, project]));
  const [quotas, sums, refusals] = await Promise.all([
    keyQuotas.ofMany(
      keys.map((key) => ({
        key,
        project: key.projectId === undefined ? undefined : byId.get(key.projectId),
      })),
    ),
    usage.sumOf(ids, usage.range(new Date(), undefined)),
    usage.refusals(ids, 1),
  ]);
  return {
    entries: entries.map(({ key, cursor }, i) => {
      const quota = quotas[i];
      const isStoreDown = quota?.isStoreDown === true;
      const [latest] = refusals[i] ?? [];
      return {
        key,
        cursor,
        isStoreDown,
        row: {
          id: key.id,
          name: key.name,
          project: key.projectId ?? null,
          state: stateOf(key, Date.now()),
          ...useOf('minute', quota?.windows, isStoreDown),
          ...useOf('day', quota?.windows, isStoreDown),
          rejectedToday: sums[i]?.refused ?? 0,
          rejectedAt: latest?.at ?? null,
          reason: latest === undefined ? null : reasonOf(latest),
          bannedUntil: currentBan(key.ban, Date.now())?.until ?? null,
        },
      };
    }),
    hasMore,
  };
}

function useOf(name: WindowName, windows: readonly WindowState[] | undefined, isStoreDown: boolean): Row {
  const window = windows?.find((one) => one.name === name);
  return {
    [`${name}Used`]: window === undefined || isStoreDown ? null : window.used,
    [`${name}Limit`]: window?.limit ?? null,
  };
}
