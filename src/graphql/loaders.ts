import DataLoader from 'dataloader';
import type { ApiKey } from '../api-keys/api-key.js';
import type { Deploy } from '../deploys/deploy.js';
import type { Project } from '../projects/project.js';
import type { KeyQuota } from '../quotas/key-quotas.js';
import type { Services } from '../services.js';
import type { UsageOf } from '../usage/usage.js';
import type { UsageRange } from '../usage/usage-range.js';
import type { Usage, UsageService } from '../usage/usage-service.js';

/** Reads of one request, gathered: a page of keys costs one read of projects and one of counters, not one a key. */
export interface Loaders {
  quota: DataLoader<ApiKey, KeyQuota>;
  project: DataLoader<string, Project | undefined>;
  apiKey: DataLoader<string, ApiKey | undefined>;
  deploy: DataLoader<string, Deploy | undefined>;
  keyUsage: UsageLoader;
  projectUsage: UsageLoader;
}

/** Each asked with one range at a time. */
type UsageLoader = DataLoader<{ id: string; range: UsageRange }, Usage>;

export function createLoaders(
  services: Pick<Services, 'keyQuotas' | 'projects' | 'apiKeys' | 'deploys' | 'usage'>,
): Loaders {
  const { keyQuotas, projects, apiKeys, deploys, usage } = services;
  const project = byId((ids) => projects.getMany(ids));
  const apiKey = byId((ids) => apiKeys.getMany(ids));
  const deploy = byId((ids) => deploys.getMany(ids));
  const quota = new DataLoader(async (keys: readonly ApiKey[]) => {
    const ofKey = ({ projectId }: ApiKey) => (projectId === undefined ? undefined : project.load(projectId));
    return keyQuotas.ofMany(await Promise.all(keys.map(async (key) => ({ key, project: await ofKey(key) }))));
  });
  return {
    project,
    apiKey,
    deploy,
    quota,
    keyUsage: usageLoader(usage, 'key'),
    projectUsage: usageLoader(usage, 'project'),
  };
}

/** One read for each range. */
function usageLoader(usage: Pick<UsageService, 'of'>, kind: UsageOf): UsageLoader {
  return new DataLoader(async (asked: readonly { id: string; range: UsageRange }[]) => {
    const ranges = new Map(asked.map(({ range }) => [spanOf(range), range]));
    const found = new Map<string, Usage>();
    await Promise.all(
      Array.from(ranges, async ([span, range]) => {
        const ids = asked.filter((one) => spanOf(one.range) === span).map(({ id }) => id);
        const usages = await usage.of(kind, ids, range);
        usages.forEach((one, i) => found.set(`${span} ${ids[i]}`, one));
      }),
    );
    return asked.map(
      ({ id, range }) => found.get(`${spanOf(range)} ${id}`) ?? new Error('each has its usage'),
    );
  });
}

function spanOf({ from, to }: UsageRange): string {
  return `${from.getTime()}-${to.getTime()}`;
}

function byId<T extends { id: string }>(
  getMany: (ids: readonly string[]) => Promise<T[]>,
): DataLoader<string, T | undefined> {
  return new DataLoader(async (ids: readonly string[]) => {
    const found = new Map((await getMany(ids)).map((one) => [one.id, one]));
    return ids.map((id) => found.get(id));
  });
}
