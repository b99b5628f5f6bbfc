import { useGateway } from '../support/gateway.js';
import { backsOff, every, obeys, randomFrom, type RetryPolicy } from '../support/retry-policies.js';

/** Rows of the table in docs/quotas.md, in real time, all at once, each with a key of its own on the Free plan. */
const THREE_MINUTES_MS = 180_000;

const gateway = useGateway();

interface Outcome {
  /** Seconds from the first 429 to the first `key_banned`. */
  bannedAfter: number | undefined;
  /** The smallest `strikesLeft` that a response had. */
  fewestLeft: number | undefined;
}

async function share(clients: readonly RetryPolicy[]): Promise<Outcome> {
  const { secret } = await gateway.keyOn('free');
  const startMs = Date.now();
  const seconds = () => (Date.now() - startMs) / 1000;
  const outcome: Outcome = { bannedAfter: undefined, fewestLeft: undefined };
  let first429: number | undefined;

  async function runClient(client: RetryPolicy): Promise<void> {
    await pause(client.startsAfter ?? 0);
    while (Date.now() - startMs < THREE_MINUTES_MS && outcome.bannedAfter === undefined) {
      const response = await gateway.request('/v1/pets?limit=1', { key: secret });
      const body = (await response.json()) as { code?: string; details?: { strikesLeft?: number } };
      if (response.status === 429) first429 ??= seconds();
      if (body.code === 'key_banned') outcome.bannedAfter ??= seconds() - (first429 ?? 0);
      const left = body.details?.strikesLeft;
      if (left !== undefined) outcome.fewestLeft = Math.min(left, outcome.fewestLeft ?? left);
      const retryAfter = response.headers.get('retry-after');
      await pause(client.next(retryAfter === null ? undefined : Number(retryAfter)));
    }
  }

  /** Ends early, with the test. */
  function pause(wanted: number): Promise<void> {
    const untilEnd = startMs + THREE_MINUTES_MS - Date.now();
    return new Promise((resolve) => void setTimeout(resolve, Math.min(wanted * 1000, Math.max(0, untilEnd))));
  }

  await Promise.all(clients.map(runClient));
  return outcome;
}

const times = <T>(length: number, make: () => T) => Array.from({ length }, make);

test(
  'loops are banned within 35 s and warned before; clients that wait or back off are not banned in three minutes',
  async () => {
    const random = randomFrom(1);
    // The first requests of each loop use up the minute.
    const outcomes = await Promise.all([
      share([every(0.1)]),
      share(times(15, () => every(1))),
      share([obeys()]),
      share(times(16, () => obeys(random() * 2))),
      share([backsOff({})]),
      share([backsOff({ random })]),
      share([backsOff({ random, capSeconds: 30 })]),
      share([every(10)]),
      share(times(15, () => backsOff({ random, firstSeconds: 0.1 }))),
    ]);
    const [fast, many, ...patient] = outcomes;
    for (const loop of [fast, many]) {
      expect(loop.bannedAfter).toBeLessThanOrEqual(36);
      expect(loop.fewestLeft).toBe(1);
    }
    expect(patient.map(({ bannedAfter }) => bannedAfter)).toEqual(patient.map(() => undefined));
    const alone = patient.slice(0, -1);
    expect(alone.map(({ fewestLeft }) => fewestLeft)).toEqual(alone.map(() => undefined));
  },
  THREE_MINUTES_MS + 60_000,
);
