import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServer } from '../../support/redis-server.js';
import type { Toxic, Wire } from '../../support/toxiproxy.js';
import { until } from '../../support/until.js';
import type { ReplicaSet, ReplicaSetMember } from '../replica-set.js';
import { wireFaults } from '../wire-faults.js';
import type { Fleet } from './fleet.js';
import type { Random } from './random.js';

/** Begins, lasts and ends; the stores are whole again afterwards. */
export interface Fault {
  name: string;
  run: () => Promise<void>;
}

const MAX_STEP_SECONDS = 7200;
/** An election, and what a busy machine adds. */
const WHOLE_MS = 240_000;

/** A gateway dies, stops for a while, or has its clock set. */
export function gatewayFaults(fleet: Fleet, random: Random): Fault[] {
  const chosen = () => random.of(fleet.members);
  const ended = (name: string, signal: 'SIGKILL' | 'SIGTERM'): Fault => ({
    name,
    async run() {
      const member = chosen();
      await fleet.end(member, signal);
      await sleep(random.between(0, 5000));
      await fleet.start(member);
    },
  });
  return [
    ended('a gateway is killed (SIGKILL)', 'SIGKILL'),
    ended('a gateway is restarted (SIGTERM)', 'SIGTERM'),
    {
      name: 'a gateway is paused (SIGSTOP)',
      async run() {
        const { process: paused } = chosen();
        process.kill(paused.pid, 'SIGSTOP');
        await sleep(random.between(200, 6000));
        process.kill(paused.pid, 'SIGCONT');
      },
    },
    {
      name: "a gateway's clock is set, and set right",
      async run() {
        const member = chosen();
        await fleet.step(member, random.between(-MAX_STEP_SECONDS, MAX_STEP_SECONDS));
        await sleep(random.between(1000, 20_000));
        await fleet.step(member, 0);
      },
    },
  ];
}

export function mongodbFaults(replicaSet: ReplicaSet, random: Random): Fault[] {
  const primary = () => replicaSet.primary();
  async function secondaries(): Promise<ReplicaSetMember[]> {
    const first = await primary();
    return replicaSet.members.filter((member) => member !== first);
  }
  const whole = () =>
    until(
      'all members',
      async () => {
        await primary();
        const states = await Promise.all(
          replicaSet.members.map((member) => replicaSet.command(member, { hello: 1 }).catch(() => ({}))),
        );
        return states.every(
          (hello: Record<string, unknown>) =>
            hello['secondary'] === true || hello['isWritablePrimary'] === true,
        );
      },
      WHOLE_MS,
    );
  const fault = (name: string, run: () => Promise<void>): Fault => ({
    name,
    async run() {
      await run();
      await whole();
    },
  });
  const killed = async (member: ReplicaSetMember | undefined, restMs: number) => {
    await member?.kill();
    await sleep(restMs);
    await member?.start();
  };
  const paused = async (members: readonly ReplicaSetMember[], ms: number) => {
    for (const member of members) member.signal('SIGSTOP');
    await sleep(ms);
    for (const member of members) member.signal('SIGCONT');
  };
  return [
    fault('the primary is killed (SIGKILL)', async () =>
      killed(await primary(), random.between(1000, 20_000)),
    ),
    fault('a secondary is killed (SIGKILL)', async () =>
      killed((await secondaries())[0], random.between(1000, 10_000)),
    ),
    fault('the primary steps down', async () => {
      await replicaSet.command(await primary(), { replSetStepDown: 60 }).catch(() => undefined);
    }),
    fault('the primary is paused (SIGSTOP)', async () =>
      paused([await primary()], random.between(500, 15_000)),
    ),
    fault('both secondaries are paused (SIGSTOP)', async () =>
      paused(await secondaries(), random.between(500, 8000)),
    ),
    fault('nobody reaches the primary', async () => {
      const { wire } = await primary();
      await through(wire, 'allSwallowed', random.between(1000, 15_000));
    }),
    fault('connections to the primary are refused', async () => {
      const { wire } = await primary();
      await through(wire, 'down', random.between(1000, 15_000));
    }),
    fault('the primary is 200 ms away', async () => {
      const { wire } = await primary();
      await wire?.spoil(LATE);
      await sleep(random.between(5000, 15_000));
      await wire?.restore();
    }),
  ];
}

const LATE: Toxic = { type: 'latency', stream: 'downstream', attributes: { latency: 200 } };

async function through(
  wire: Wire | undefined,
  how: 'allSwallowed' | 'answersSwallowed' | 'reset' | 'down' | 'flapping',
  ms: number,
) {
  if (wire === undefined) throw new Error('this member has no wire');
  const fault = wireFaults(() => wire)[how]('', ms);
  await fault.begin();
  await sleep(ms);
  await fault.end();
  await wire.restore();
}

/** @param wires one for each gateway */
export function redisFaults(redis: RedisServer, wires: readonly Wire[], random: Random): Fault[] {
  const ofOne = (name: string, how: Parameters<typeof through>[1]): Fault => ({
    name,
    run: () => through(random.of(wires), how, random.between(500, 10_000)),
  });
  return [
    {
      name: 'Redis is killed (SIGKILL)',
      async run() {
        await redis.kill();
        await sleep(random.between(0, 10_000));
        await redis.restart();
      },
    },
    {
      name: 'Redis is paused (SIGSTOP)',
      async run() {
        redis.pause();
        await sleep(random.between(200, 8000));
        redis.resume();
      },
    },
    {
      name: 'Redis is 200 ms away from a gateway',
      async run() {
        const wire = random.of(wires);
        await wire.spoil(LATE);
        await sleep(random.between(5000, 15_000));
        await wire.restore();
      },
    },
    ofOne('a gateway does not reach Redis', 'allSwallowed'),
    ofOne('a gateway gets no answers of Redis', 'answersSwallowed'),
    ofOne('connections of a gateway to Redis are reset', 'reset'),
    ofOne('connections of a gateway to Redis are refused', 'down'),
    ofOne('connections of a gateway to Redis come and go', 'flapping'),
  ];
}

/**
 * Runs faults one after the other until the time is up, each kind as often as another.
 * @param restMs between two faults
 */
export async function haunt(
  faults: readonly Fault[],
  random: Random,
  restMs: readonly [least: number, most: number],
  endsAtMs: number,
  onFault: (name: string, isOver: boolean) => void,
): Promise<void> {
  let left: Fault[] = [];
  for (;;) {
    const rest = random.between(...restMs);
    if (performance.now() + rest > endsAtMs) return;
    await sleep(rest);
    if (left.length === 0) left = [...faults];
    const fault = random.of(left);
    left = left.filter((one) => one !== fault);
    onFault(fault.name, false);
    await fault.run();
    onFault(fault.name, true);
  }
}
