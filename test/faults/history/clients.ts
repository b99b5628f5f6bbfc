import { setTimeout as sleep } from 'node:timers/promises';
import type { WindowName } from '../../../src/features/plans/window.js';
import type { Answer, CheckedKey } from './checker.js';
import type { Fleet, Member } from './fleet.js';
import type { Random } from './random.js';

/** How the clients of a key ask. */
export interface Habit {
  clients: number;
  /** Requests that a client sends at once. */
  burst: readonly [least: number, most: number];
  /** Between two bursts, milliseconds. */
  pauseMs: readonly [least: number, most: number];
  /** The units of a request; more than one goes by GraphQL. */
  cost: readonly [least: number, most: number];
}

export interface ClientKey extends CheckedKey {
  secret: string;
  habit: Habit;
}

export interface Clients {
  stop(): Promise<void>;
  /** How many requests were answered with each status. */
  seen: Readonly<Record<string, number>>;
}

const REQUEST_TIMEOUT_MS = 15_000;
const STEP_MS = 200;

/** Clients that ask all gateways in turns and tell `record` what they were answered. */
export function startClients(
  keys: readonly ClientKey[],
  fleet: Fleet,
  random: Random,
  record: (answer: Answer & { status: string }) => void,
): Clients {
  let isOver = false;
  const seen: Record<string, number> = {};

  async function send(key: ClientKey, cost: number): Promise<void> {
    const up = fleet.members.filter(({ isUp }) => isUp);
    if (up.length === 0) return;
    const member = random.of(up);
    const { name: gateway } = member;
    const sentMs = performance.now();
    const { status, code, headers } = await ask(member, key.secret, cost);
    const receivedMs = performance.now();
    seen[status] = (seen[status] ?? 0) + 1;
    if (status === 'refused') return;
    const outcome = status === '200' ? 'admitted' : code === 'rate_limit_exceeded' ? 'rejected' : 'unknown';
    // The response has durations by the gateway's clock, and when it was written is unknown: before or after the step.
    const isStepped = member.steps.some(([from, to]) => from - STEP_MS < receivedMs && to + STEP_MS > sentMs);
    const windows = isStepped ? {} : windowsOf(headers);
    record({ key: key.name, gateway, sentMs, receivedMs, cost, outcome, windows, status });
  }

  async function live(key: ClientKey): Promise<void> {
    const { burst, pauseMs, cost } = key.habit;
    while (!isOver) {
      await Promise.all(
        Array.from({ length: random.between(...burst) }, () => send(key, random.between(...cost))),
      );
      await sleep(random.between(...pauseMs));
    }
  }

  const living = Promise.all(
    keys.flatMap((key) => Array.from({ length: key.habit.clients }, () => live(key))),
  );
  return {
    seen,
    async stop() {
      isOver = true;
      await living;
    },
  };
}

async function ask({ process: { url } }: Member, secret: string, cost: number) {
  const authorization = `Bearer ${secret}`;
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  try {
    const answer =
      cost === 1
        ? await fetch(`${url}/v1/pets?limit=1`, { headers: { authorization }, signal })
        : await fetch(`${url}/graphql`, {
            method: 'POST',
            headers: {
              authorization,
              'content-type': 'application/json',
              accept: 'application/graphql-response+json',
            },
            body: JSON.stringify({ query: queryOf(cost) }),
            signal,
          });
    const { headers } = answer;
    const text = await answer.text();
    const code = /"code":\s*"([a-z_]+)"/.exec(text)?.[1];
    // A GraphQL answer with errors may have been paid for, or not.
    return { status: code === undefined || !answer.ok ? String(answer.status) : code, code, headers };
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    return { status: code === 'ECONNREFUSED' ? 'refused' : 'cut', code: undefined, headers: new Headers() };
  }
}

/** Each field costs one unit. */
function queryOf(cost: number): string {
  return `{ ${Array.from({ length: cost }, (_, i) => `f${i}: pets(limit: 1) { id }`).join(' ')} }`;
}

function windowsOf(headers: Headers): Answer['windows'] {
  const found = (headers.get('ratelimit') ?? '').matchAll(/"(minute|day)";r=(\d+);t=(\d+)/g);
  return Object.fromEntries(
    [...found].map(([, name, remaining, secondsLeft]) => [
      name as WindowName,
      { remaining: Number(remaining), secondsLeft: Number(secondsLeft) },
    ]),
  );
}
