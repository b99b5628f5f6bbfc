import { setTimeout as sleep } from 'node:timers/promises';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway-process.js';
import { until } from '../../support/until.js';
import { createSteppedClock, type SteppedClock } from '../stepped-clock.js';
import type { Checker } from './checker.js';

/** One of several gateways on the same stores, with a clock of its own. */
export interface Member {
  number: number;
  /** The name of its process; another one after each start. */
  name: string;
  process: GatewayProcess;
  isUp: boolean;
  clock: SteppedClock;
  /** When its clock was set: from before until after. */
  steps: [fromMs: number, toMs: number][];
}

export interface Fleet {
  members: readonly Member[];
  /** Ends it; SIGTERM lets it finish. */
  end(member: Member, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  start(member: Member): Promise<void>;
  step(member: Member, offsetSeconds: number): Promise<void>;
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 100;

/**
 * Gateway processes whose logs tell the checker when they apply local limits.
 * @param envOf the settings of each
 */
export async function startFleet(
  size: number,
  envOf: (member: number) => Record<string, string>,
  checker: () => Pick<Checker, 'outageBegan' | 'outageEnded' | 'gatewayEnded'> | undefined,
): Promise<Fleet> {
  const members = await Promise.all(
    Array.from({ length: size }, async (_, number): Promise<Member> => {
      const clock = await createSteppedClock();
      const process = await startGatewayProcess({ ...envOf(number), ...clock.env });
      return { number, name: `gateway-${number}`, process, isUp: true, clock, steps: [] };
    }),
  );
  const read = new Map<GatewayProcess, number>();
  let starts = 0;

  function look({ name, process }: Member): void {
    const output = process.output();
    const from = read.get(process) ?? 0;
    const to = output.lastIndexOf('\n') + 1;
    read.set(process, Math.max(from, to));
    for (const line of output.slice(from, to).split('\n')) {
      if (line.includes('The quota store is down')) checker()?.outageBegan(name, performance.now());
      if (line.includes('The quota store is up again')) checker()?.outageEnded(name, performance.now());
    }
  }

  const watch = setInterval(() => members.forEach(look), LOOK_EVERY_MS);
  return {
    members,
    async end(member, signal) {
      member.isUp = false;
      await member.process.stop(signal);
      // What it still wrote is on its way.
      await sleep(LOOK_EVERY_MS);
      look(member);
      read.delete(member.process);
      checker()?.gatewayEnded(member.name, performance.now());
    },
    async start(member) {
      // On a busy machine it may give up on a store that has just come back; a supervisor starts it again.
      const started = await until('a gateway to start', () =>
        startGatewayProcess({ ...envOf(member.number), ...member.clock.env }).catch(() => undefined),
      );
      member.name = `gateway-${member.number}.${++starts}`;
      member.process = started;
      member.isUp = true;
    },
    async step(member, offsetSeconds) {
      const step: [number, number] = [performance.now(), Infinity];
      member.steps.push(step);
      await member.clock.stepTo(offsetSeconds);
      step[1] = performance.now();
    },
    async close() {
      clearInterval(watch);
      await Promise.all(
        members.map(async ({ process, clock }) => {
          await process.stop('SIGKILL');
          await clock.remove();
        }),
      );
    },
  };
}
