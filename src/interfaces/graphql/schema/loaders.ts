import DataLoader from 'dataloader';
import type { ApiKey } from '../../../features/keys/api-key.js';
import { compareFiles, type FileChanges } from '../../../features/publishing/deploys/compare-files.js';
import type { Deploy } from '../../../features/publishing/deploys/deploy.js';
import type { Project } from '../../../features/projects/project.js';
import type { KeyQuota } from '../../../features/quotas/key-quotas.js';
import type { GraphQLParts } from '../parts.js';
import { createUsageLoader, type UsageLoader } from './usage/usage-loader.js';

/** Batches the reads of one request: a page of keys costs one read of projects and one of counters, not one per key. */
export interface Loaders {
  quota: DataLoader<ApiKey, KeyQuota>;
  project: DataLoader<string, Project | undefined>;
  apiKey: DataLoader<string, ApiKey | undefined>;
  /** The number of active keys of a project, by project id. */
  activeApiKeys: DataLoader<string, number>;
  deploy: DataLoader<string, Deploy | undefined>;
  /** The ready deploy before a deploy. */
  deployBefore: DataLoader<Deploy, Deploy | undefined>;
  /** What changed between two deploys, by their ids; undefined if one of them no longer exists. */
  deployChanges: DataLoader<ComparedDeploys, FileChanges | undefined, string>;
  /** The last name that the audit log has of a key or a project that no longer exists, by id. */
  auditName: DataLoader<string, string | undefined>;
  usage: UsageLoader;
}

export interface ComparedDeploys {
  before: string;
  after: string;
}

type LoaderParts = Pick<GraphQLParts, 'keyQuotas' | 'projects' | 'apiKeys' | 'audit' | 'deploys' | 'usage'>;

function createAll({ keyQuotas, projects, apiKeys, audit, deploys, usage }: LoaderParts): Loaders {
  const project = byId((ids) => projects.getMany(ids));
  const apiKey = byId((ids) => apiKeys.getMany(ids));
  const activeApiKeys = new DataLoader((ids: readonly string[]) => apiKeys.countActive(ids));
  const deploy = byId((ids) => deploys.getMany(ids));
  const deployBefore = new DataLoader((later: readonly Deploy[]) =>
    Promise.all(later.map((one) => deploys.readyBefore(one))),
  );
  const deployChanges = new DataLoader<ComparedDeploys, FileChanges | undefined, string>(
    async (pairs) => {
      const files = await deploys.filesOf(pairs.flatMap(({ before, after }) => [before, after]));
      return pairs.map((pair) => {
        const [before, after] = [files.get(pair.before), files.get(pair.after)];
        return before && after && compareFiles(before, after);
      });
    },
    { cacheKeyFn: ({ before, after }) => `${before} ${after}` },
  );
  const auditName = new DataLoader(async (ids: readonly string[]) => {
    const names = await audit.namesOf(ids);
    return ids.map((id) => names.get(id));
  });
  const quota = new DataLoader(async (keys: readonly ApiKey[]) => {
    const ofKey = ({ projectId }: ApiKey) => (projectId === undefined ? undefined : project.load(projectId));
    return keyQuotas.ofMany(await Promise.all(keys.map(async (key) => ({ key, project: await ofKey(key) }))));
  });
  return {
    project,
    apiKey,
    activeApiKeys,
    auditName,
    deploy,
    deployBefore,
    deployChanges,
    quota,
    usage: createUsageLoader(usage),
  };
}

/**
 * Returns a function that creates the loaders at its first call: reads of pets need none. A getter of the context would
 * not do, because Apollo copies the context, and so reads every property.
 */
export function createLoaders(services: LoaderParts): () => Loaders {
  let created: Loaders | undefined;
  return () => (created ??= createAll(services));
}

function byId<T extends { id: string }>(
  getMany: (ids: readonly string[]) => Promise<T[]>,
): DataLoader<string, T | undefined> {
  return new DataLoader(async (ids: readonly string[]) => {
    const found = new Map((await getMany(ids)).map((one) => [one.id, one]));
    return ids.map((id) => found.get(id));
  });
}
