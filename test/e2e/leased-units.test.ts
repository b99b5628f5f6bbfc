import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';

const LIMIT = 1_000_000;
const REQUESTS = 300;

/** Its units are counted in advance, up to a thousandth of what is left: docs/quotas.md. */
describe('a busy key', () => {
  const database = freshDatabase();
  let gateway: GatewayProcess;
  let key: { id: string; secret: string };
  beforeEach(async () => {
    gateway = await startGatewayProcess({ MONGODB_URI: database.uri });
    const quota = ['--per-minute', String(LIMIT), '--per-day', String(10 * LIMIT)];
    const project = await command<{ id: string }>(
      ...['projects', 'create', 'Shop', '--plan', 'enterprise', ...quota],
    );
    key = await command('keys', 'create', '--project', project.id);
  });
  afterEach(() => gateway.stop());
  afterAll(() => database.drop());

  async function command<T>(...args: string[]): Promise<T> {
    const { stdout } = await runCommand(database, [...args, '--json']);
    return JSON.parse(stdout) as T;
  }

  async function usedToday(): Promise<number | undefined> {
    const [, day] = await command<{ used: number }[]>('quota', 'show', key.id);
    return day?.used;
  }

  /** Asks one after the other; what each response says remains. */
  async function remainingAfterEach(): Promise<number[]> {
    const headers = { authorization: `Bearer ${key.secret}` };
    const remaining: number[] = [];
    for (let i = 0; i < REQUESTS; i++) {
      const answer = await fetch(`${gateway.url}/v1/pets?limit=1`, { headers });
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
      remaining.push(Number(answer.headers.get('x-ratelimit-remaining')));
    }
    return remaining;
  }

  test('learns exactly what is left from each response, and after a stop nothing more is counted', async () => {
    const remaining = await remainingAfterEach();
    expect(await gateway.stop()).toBe(0);
    expect(remaining).toEqual(Array.from({ length: REQUESTS }, (_, i) => LIMIT - 1 - i));
    expect(await usedToday()).toBe(REQUESTS);
  });

  test('loses no count when the gateway is killed, and at most a thousandth of what was left', async () => {
    await remainingAfterEach();
    await gateway.stop('SIGKILL');
    const used = await usedToday();
    expect(used).toBeGreaterThanOrEqual(REQUESTS);
    expect(used).toBeLessThanOrEqual(REQUESTS + LIMIT / 1000);
  });
});
