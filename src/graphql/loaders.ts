import DataLoader from 'dataloader';
import type { ApiKey } from '../api-keys/api-key.js';
import type { Project } from '../projects/project.js';
import type { KeyQuota } from '../quotas/key-quotas.js';
import type { Services } from '../services.js';

/** Reads of one request, gathered: a page of keys costs one read of projects and one of counters, not one a key. */
export interface Loaders {
  quota: DataLoader<ApiKey, KeyQuota>;
  project: DataLoader<string, Project | undefined>;
}

export function createLoaders({ keyQuotas, projects }: Pick<Services, 'keyQuotas' | 'projects'>): Loaders {
  const project = new DataLoader(async (ids: readonly string[]) => {
    const found = new Map((await projects.getMany(ids)).map((one) => [one.id, one]));
    return ids.map((id) => found.get(id));
  });
  const quota = new DataLoader(async (keys: readonly ApiKey[]) => {
    const ofKey = ({ projectId }: ApiKey) => (projectId === undefined ? undefined : project.load(projectId));
    return keyQuotas.ofMany(await Promise.all(keys.map(async (key) => ({ key, project: await ofKey(key) }))));
  });
  return { project, quota };
}
