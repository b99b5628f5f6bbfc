import DataLoader from 'dataloader';
import type { ApiKey } from '../../../features/keys/api-key.js';
import type { ComparedFile } from '../../../features/publishing/deploys/compare-files.js';
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
  /** The files of a deploy, by deploy id. */
  deployFiles: DataLoader<string, readonly ComparedFile[] | undefined>;
  /** The last name that the audit log has of a key or a project that no longer exists, by id. */
  auditName: DataLoader<string, string | undefined>;
  usage: UsageLoader;
}

type LoaderParts = Pick<GraphQLParts, 'keyQuotas' | 'projects' | 'apiKeys' | 'audit' | 'deploys' | 'usage'>;

function createAll({ keyQuotas, projects, apiKeys, audit, deploys, usage }: LoaderParts): Loaders {
  const project = byId((ids) => projects.getMany(ids));
  const apiKey = byId((ids) => apiKeys.getMany(ids));
  const activeApiKeys = new DataLoader((ids: readonly string[]) => apiKeys.countActive(ids));
  const deploy = byId((ids) => deploys.getMany(ids));
  const deployFiles = new DataLoader(async (ids: readonly string[]) => {
    const files = await deploys.filesOf(ids);
    return ids.map((id) => files.get(id));
  });
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
    deployFiles,
    quota,
    usage: createUsageLoader(usage),
  };
}

/** Creates the loaders at the first use of one of them: reads of pets need none. */
export function createLoaders(services: LoaderParts): Loaders {
  let created: Loaders | undefined;
  const all = () => (created ??= createAll(services));
  return {
    get quota() {
      return all().quota;
    },
    get project() {
      return all().project;
    },
    get apiKey() {
      return all().apiKey;
    },
    get activeApiKeys() {
      return all().activeApiKeys;
    },
    get auditName() {
      return all().auditName;
    },
    get deploy() {
      return all().deploy;
    },
    get deployFiles() {
      return all().deployFiles;
    },
    get usage() {
      return all().usage;
    },
  };
}

function byId<T extends { id: string }>(
  getMany: (ids: readonly string[]) => Promise<T[]>,
): DataLoader<string, T | undefined> {
  return new DataLoader(async (ids: readonly string[]) => {
    const found = new Map((await getMany(ids)).map((one) => [one.id, one]));
    return ids.map((id) => found.get(id));
  });
}
