import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Connection } from 'mongoose';

/** What a process that goes on for ever must not have more and more of. */
export interface Sample {
  heapMiB: number;
  rssMiB: number;
  sockets: number;
  timers: number;
  mongodConnections: number;
  mongodCursors: number;
}

const MIB = 1024 * 1024;

/** Of the gateway behind the probe, right after a collection of its garbage, and of its mongod. */
export async function takeSample(probe: string, mongod: Connection): Promise<Sample> {
  const [gateway, status] = await Promise.all([askProbe(probe), serverStatus(mongod)]);
  return {
    heapMiB: (gateway.heapUsed + gateway.external) / MIB,
    rssMiB: gateway.rss / MIB,
    sockets: gateway.sockets,
    timers: gateway.timers,
    mongodConnections: status.connections.current,
    mongodCursors: Number(status.metrics.cursor.open.total),
  };
}

/** Of each figure the median, which an odd sample does not move. */
export function medianOf(samples: readonly Sample[]): Sample {
  const median = (name: keyof Sample): number => {
    const sorted = samples.map((sample) => sample[name]).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? NaN;
  };
  return {
    heapMiB: median('heapMiB'),
    rssMiB: median('rssMiB'),
    sockets: median('sockets'),
    timers: median('timers'),
    mongodConnections: median('mongodConnections'),
    mongodCursors: median('mongodCursors'),
  };
}

/** What probe.cjs answers. */
interface ProbeAnswer {
  heapUsed: number;
  external: number;
  rss: number;
  sockets: number;
  timers: number;
}

async function askProbe(path: string): Promise<ProbeAnswer> {
  return JSON.parse(await text(connect(path))) as ProbeAnswer;
}

interface ServerStatus {
  connections: { current: number };
  metrics: { cursor: { open: { total: number | bigint } } };
}

async function serverStatus(mongod: Connection): Promise<ServerStatus> {
  return (await mongod.getClient().db('admin').command({ serverStatus: 1 })) as unknown as ServerStatus;
}
