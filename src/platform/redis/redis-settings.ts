import type { Cluster, Redis } from 'ioredis';

interface RedisSettings {
  appendOnly: boolean;
  evictionPolicy: string;
}

/**
 * The problems of Redis's configuration that can lose counts, one sentence each; empty if there are none. In a cluster,
 * those of all primaries.
 */
export async function findRedisFaults(client: Redis | Cluster): Promise<string[]> {
  const nodes = client.isCluster ? (client as Cluster).nodes('master') : [client as Redis];
  return [...new Set((await Promise.all(nodes.map(findNodeFaults))).flat())];
}

async function findNodeFaults(client: Redis): Promise<string[]> {
  const settings = (await fromConfig(client)) ?? (await fromInfo(client));
  if (settings === undefined)
    return [
      'Redis does not allow CONFIG GET: check yourself that appendonly is yes and maxmemory-policy is noeviction',
    ];
  const faults: string[] = [];
  if (!settings.appendOnly)
    faults.push(
      'Redis has appendonly off: a restart of Redis loses all counts and resets all quotas. Set appendonly yes',
    );
  if (settings.evictionPolicy !== 'noeviction')
    faults.push(
      `Redis has maxmemory-policy ${settings.evictionPolicy}: when its memory is full, Redis evicts counts, which resets quotas. Set maxmemory-policy noeviction`,
    );
  return faults;
}

async function fromConfig(client: Redis): Promise<RedisSettings | undefined> {
  try {
    const [, appendOnly] = await client.config('GET', 'appendonly');
    const [, evictionPolicy] = await client.config('GET', 'maxmemory-policy');
    if (appendOnly === undefined || evictionPolicy === undefined) return undefined;
    return { appendOnly: appendOnly === 'yes', evictionPolicy };
  } catch {
    // Hosted services disable CONFIG.
    return undefined;
  }
}

async function fromInfo(client: Redis): Promise<RedisSettings | undefined> {
  try {
    const info = await client.info();
    const appendOnly = /^aof_enabled:(\d)/m.exec(info)?.[1];
    const evictionPolicy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
    if (appendOnly === undefined || evictionPolicy === undefined) return undefined;
    return { appendOnly: appendOnly === '1', evictionPolicy };
  } catch {
    return undefined;
  }
}
