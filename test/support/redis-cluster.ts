import { Redis } from 'ioredis';
import { slotOf } from '../../src/platform/redis/redis-slot.js';
import { chooseFreePort } from './free-port.js';
import { startRedisServer, type RedisServer } from './redis-server.js';
import { until } from './until.js';

export interface RedisCluster {
  /** A REDIS_URL with all nodes. */
  url: string;
  /** At first, the three primaries and then their replicas. */
  nodes: readonly RedisServer[];
  /** The node that has the keys with this hash tag now, as the nodes that answer say. */
  primaryOf: (hashTag: string) => Promise<RedisServer>;
  /** A command to one node. */
  command: (node: RedisServer, ...words: [string, ...string[]]) => Promise<unknown>;
  /** Ends all nodes and removes their files. */
  close: () => Promise<void>;
}

const PRIMARIES = 3;
const SLOTS = 16_384;
/** Nodes that are slow for a moment do not start a failover. */
const PATIENT = { 'cluster-node-timeout': '30000' };

/**
 * Three primaries, each with a third of the slots, and the same number of replicas for each primary.
 * @param settings for all nodes, as in startRedisServer
 */
export async function startRedisCluster(
  replicas = 0,
  settings: Record<string, string> = {},
): Promise<RedisCluster> {
  const nodes: RedisServer[] = [];
  const busPorts = new Map<RedisServer, number>();
  const clients = new Map<RedisServer, Redis>();
  const close = async () => {
    for (const client of clients.values()) client.disconnect();
    await Promise.all(nodes.map((node) => node.close()));
  };

  function command(node: RedisServer, ...[name, ...words]: [string, ...string[]]): Promise<unknown> {
    let client = clients.get(node);
    if (client === undefined) {
      client = new Redis({ host: '127.0.0.1', port: node.port, maxRetriesPerRequest: 0 });
      client.on('error', () => undefined);
      clients.set(node, client);
    }
    return client.call(name, ...words);
  }
  const idOf = async (node: RedisServer) => String(await command(node, 'CLUSTER', 'MYID'));

  async function join(): Promise<void> {
    const primaries = nodes.slice(0, PRIMARIES);
    const firstOf = (i: number) => Math.round((SLOTS * i) / PRIMARIES);
    for (const [i, node] of primaries.entries()) {
      const [first, last] = [firstOf(i), firstOf(i + 1) - 1];
      await command(node, 'CLUSTER', 'ADDSLOTSRANGE', String(first), String(last));
      await command(node, 'CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1));
    }
    const [meeting, ...others] = nodes;
    if (meeting === undefined) throw new Error('a cluster has nodes');
    for (const node of others)
      await command(meeting, 'CLUSTER', 'MEET', '127.0.0.1', String(node.port), String(busPorts.get(node)));
    const everywhere = (what: string, words: [string, ...string[]], done: (answer: string) => boolean) =>
      until(what, async () =>
        (await Promise.all(nodes.map(async (node) => done(String(await command(node, ...words)))))).every(
          Boolean,
        ),
      );
    const isMet = (list: string) =>
      list.trim().split('\n').length === nodes.length && !list.includes('handshake');
    await everywhere('all nodes to know each other', ['CLUSTER', 'NODES'], isMet);
    for (const [i, node] of nodes.slice(PRIMARIES).entries())
      await command(node, 'CLUSTER', 'REPLICATE', await idOf(primaries[i % PRIMARIES] ?? meeting));
    await everywhere('the cluster', ['CLUSTER', 'INFO'], (info) => info.includes('cluster_state:ok'));
    await everywhere(
      'the replicas',
      ['INFO', 'replication'],
      (info) => info.includes(`connected_slaves:${replicas}`) || info.includes('master_link_status:up'),
    );
  }

  try {
    for (let i = 0; i < PRIMARIES * (1 + replicas); i++) {
      const busPort = await chooseFreePort();
      const own = { 'cluster-enabled': 'yes', 'cluster-port': String(busPort), ...PATIENT, ...settings };
      const node = await startRedisServer(own);
      nodes.push(node);
      busPorts.set(node, busPort);
    }
    await join();
  } catch (error) {
    await close();
    throw error;
  }

  return {
    url: `redis://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    command,
    primaryOf: (hashTag) =>
      until('a primary', async () => {
        const answers = nodes.map((node) => command(node, 'CLUSTER', 'SLOTS').catch(() => []));
        const ranges = (await Promise.race(answers.map(hasRanges))) as [number, number, [string, number]][];
        const range = ranges.find(([first, last]) => slotOf(hashTag) >= first && slotOf(hashTag) <= last);
        return nodes.find(({ port }) => port === range?.[2][1]);
      }),
    close,
  };
}

/** Waits forever where a node gives no answer. */
async function hasRanges(answer: Promise<unknown>): Promise<unknown> {
  const ranges = (await answer) as unknown[];
  return ranges.length > 0 ? ranges : new Promise(() => undefined);
}
