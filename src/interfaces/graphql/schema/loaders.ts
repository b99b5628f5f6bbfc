import DataLoader from 'dataloader';
import type { ApiKey } from '../../../features/keys/api-key.js';
import type { ApiKeysPage } from '../../../features/keys/api-keys-store.js';
import { compareFiles, type FileChanges } from '../../../features/publishing/deploys/compare-files.js';
import type { Domain } from '../../../features/publishing/domains/domain.js';
import type { Site } from '../../../features/publishing/domains/platform-hosts.js';
import type { Deploy } from '../../../features/publishing/deploys/deploy.js';
import type { Project } from '../../../features/projects/project.js';
import type { KeyQuota, KeyStrikes } from '../../../features/quotas/key-quotas.js';
import type { StrikableKey } from '../../../features/quotas/strikes.js';
import type { GraphQLParts } from '../parts.js';
import type { HeavyRead } from '../heavy-reads.js';
import { createUsageLoaders, type UsageLoaders } from './usage/usage-loader.js';

/** Batches the reads of one request: a page of keys costs one read of projects and one of counters, not one per key. */
export interface Loaders extends UsageLoaders {
  quota: DataLoader<ApiKey, KeyQuota>;
  strikes: DataLoader<StrikableKey, KeyStrikes | undefined>;
  project: DataLoader<string, Project | undefined>;
  apiKey: DataLoader<string, ApiKey | undefined>;
  /** Pages of a project's keys, oldest first. Of the same page that is asked for at once, there is one read. */
  keysOfProject: DataLoader<KeysOfProject, ApiKeysPage, string>;
  /** The number of active keys of a project, by project id. */
  activeApiKeys: DataLoader<string, number>;
  /** The domains of a project, by project id; none if the gateway publishes no sites. */
  domains: DataLoader<string, Domain[]>;
  /** The host of a project on the platform, by project id; undefined if the gateway publishes no sites. */
  site: DataLoader<string, Site | undefined>;
  deploy: DataLoader<string, Deploy | undefined>;
  /** The ready deploy before a deploy. */
  deployBefore: DataLoader<Deploy, Deploy | undefined>;
  /** What changed between two deploys, by their ids; undefined if one of them no longer exists. */
  deployChanges: DataLoader<ComparedDeploys, FileChanges | undefined, string>;
  /** The last name that the audit log has of a key or a project that no longer exists, by id. */
  auditName: DataLoader<string, string | undefined>;
}

export interface ComparedDeploys {
  before: string;
  after: string;
}

export interface KeysOfProject {
  projectId: string;
  first: number;
  after: string | undefined;
}

/** The pairs of deploys whose files are read at a time. */
const COMPARED_AT_ONCE = 10;

type LoaderParts = Pick<
  GraphQLParts,
  'keyQuotas' | 'projects' | 'apiKeys' | 'audit' | 'deploys' | 'usage' | 'customerDomains'
>;

function createAll(
  { keyQuotas, projects, apiKeys, audit, deploys, usage, customerDomains }: LoaderParts,
  heavyRead: HeavyRead,
): Loaders {
  const project = byId((ids) => projects.getMany(ids));
  const apiKey = byId((ids) => apiKeys.getMany(ids));
  const keysOfProject: Loaders['keysOfProject'] = new DataLoader(
    (pages) => {
      // A later mutation of the same request must see its own keys.
      keysOfProject.clearAll();
      return Promise.all(
        pages.map(({ projectId, first, after }) =>
          heavyRead(() => apiKeys.page({ first, after, filter: { projectId }, orderBy: 'createdAt' })).catch(
            (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
          ),
        ),
      );
    },
    { cacheKeyFn: ({ projectId, first, after = '' }) => `${projectId} ${first} ${after}` },
  );
  const activeApiKeys = new DataLoader((ids: readonly string[]) => apiKeys.countActive(ids));
  const domains = new DataLoader((ids: readonly string[]) =>
    Promise.all(ids.map((id) => heavyRead(async () => (await customerDomains?.service.ofProject(id)) ?? []))),
  );
  const siteOf = async (id: string) => {
    const found = await project.load(id);
    return found && heavyRead(async () => customerDomains?.platformHosts.siteOf(found));
  };
  const site = new DataLoader((ids: readonly string[]) => Promise.all(ids.map(siteOf)));
  const deploy = byId((ids) => deploys.getMany(ids));
  const deployBefore = new DataLoader((later: readonly Deploy[]) =>
    Promise.all(later.map((one) => heavyRead(() => deploys.readyBefore(one)))),
  );
  const deployChanges = new DataLoader<ComparedDeploys, FileChanges | undefined, string>(
    async (pairs) => {
      const changes: (FileChanges | undefined)[] = [];
      // The files of many deploys at once would hold up the process.
      for (let i = 0; i < pairs.length; i += COMPARED_AT_ONCE) {
        const some = pairs.slice(i, i + COMPARED_AT_ONCE);
        const ids = new Set(some.flatMap(({ before, after }) => [before, after]));
        const files = await heavyRead(() => deploys.filesOf([...ids]));
        for (const pair of some) {
          const [before, after] = [files.get(pair.before), files.get(pair.after)];
          changes.push(before && after && compareFiles(before, after));
        }
      }
      return changes;
    },
    { cacheKeyFn: ({ before, after }) => `${before} ${after}` },
  );
  const auditName = new DataLoader(async (ids: readonly string[]) => {
    const names = await heavyRead(() => audit.namesOf(ids));
    return ids.map((id) => names.get(id));
  });
  const quota = new DataLoader(async (keys: readonly ApiKey[]) => {
    const ofKey = ({ projectId }: ApiKey) => (projectId === undefined ? undefined : project.load(projectId));
    return keyQuotas.ofMany(await Promise.all(keys.map(async (key) => ({ key, project: await ofKey(key) }))));
  });
  const strikes = new DataLoader((keys: readonly StrikableKey[]) => keyQuotas.strikesOf(keys));
  return {
    project,
    apiKey,
    keysOfProject,
    activeApiKeys,
    auditName,
    domains,
    site,
    deploy,
    deployBefore,
    deployChanges,
    quota,
    strikes,
    ...createUsageLoaders(usage, heavyRead),
  };
}

/**
 * Returns a function that creates the loaders at its first call: reads of pets need none. A getter of the context would
 * not do, because Apollo copies the context, and so reads every property.
 */
export function createLoaders(services: LoaderParts, heavyRead: HeavyRead): () => Loaders {
  let created: Loaders | undefined;
  return () => (created ??= createAll(services, heavyRead));
}

function byId<T extends { id: string }>(
  getMany: (ids: readonly string[]) => Promise<T[]>,
): DataLoader<string, T | undefined> {
  return new DataLoader(async (ids: readonly string[]) => {
    const found = new Map((await getMany(ids)).map((one) => [one.id, one]));
    return ids.map((id) => found.get(id));
  });
}
