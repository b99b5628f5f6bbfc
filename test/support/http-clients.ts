import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freezeDate, moveDateBy, releaseDate } from './fake-date.js';
import { useGateway } from './gateway.js';
import { documentedClients } from './http-clients-page.js';
import { RETRY_AFTER_SECONDS, startLimitedServer } from './limited-server.js';
import { mustRun, runProgram } from './run-program.js';
import { until } from './until.js';

export const HTTP_CLIENTS = join(__dirname, '../../examples/http-clients');
/** A timer can end a little earlier than asked. */
const TIMER_TOLERANCE_MS = 100;

export type Command = readonly [program: string, ...args: string[]];

export interface ClientsOfALanguage {
  /** The folder of examples/http-clients with the programs, which run in it. */
  folder: string;
  /** The names of the clients in docs/http-clients.md. */
  clients: readonly string[];
  /** The file with the versions of the packages. */
  manifest?: string;
  /** Sends one request with each client; gets the address and the method as arguments. */
  defaults: Command;
  /** Each adds a pet, with the lines of docs/http-clients.md. */
  programs: readonly Command[];
  prepare?: () => Promise<unknown>;
}

/** Defines the tests of one language: what its clients do by themselves, and what they do with the lines of the page. */
export function testHttpClients(language: ClientsOfALanguage): void {
  const { clients, manifest, defaults, programs, prepare } = language;
  const cwd = join(HTTP_CLIENTS, language.folder);
  const gateway = useGateway();
  beforeAll(prepare ?? (() => undefined), 600_000);
  afterEach(releaseDate);

  async function arrivals(mode: 'limits' | 'breaks', method: string): Promise<Map<string, number[]>> {
    const server = await startLimitedServer(mode);
    try {
      const [program, ...args] = defaults;
      await mustRun(program, [...args, server.url, method], { cwd });
      return new Map(clients.map((name) => [name, server.arrivals(name)]));
    } finally {
      server.close();
    }
  }

  test('the clients do by themselves what docs/http-clients.md says', async () => {
    const [gets, posts, lost] = await Promise.all([
      arrivals('limits', 'GET'),
      arrivals('limits', 'POST'),
      arrivals('breaks', 'POST'),
    ]);
    const documented = await documentedClients();
    const seen = clients.map((name) => [
      name,
      after429(gets, name),
      after429(posts, name),
      afterLoss(lost, name),
    ]);
    expect(seen).toEqual(
      clients.map((name) => {
        const client = documented.get(name);
        return [name, client?.getAfter429, client?.postAfter429, client?.postConnectionLost];
      }),
    );
  });

  test('the versions on the page are those of the packages', async () => {
    const documented = await documentedClients();
    const versions = clients.map((name) => documented.get(name)?.version ?? name);
    const ofPackages = manifest === undefined ? [] : versions.filter((version) => /^\d/.test(version));
    const installed = manifest === undefined ? '' : await readFile(join(cwd, manifest), 'utf8');
    expect(ofPackages.filter((version) => !installed.includes(version))).toEqual([]);
  });

  /** Uses up one of the quotas of a new key, and runs a program with that key. */
  async function start(
    [program, ...args]: Command,
    quota: { requestsPerMinute: number; requestsPerDay: number },
  ) {
    freezeDate();
    const { apiKey, secret } = await gateway.keyOn('enterprise', quota);
    await gateway.request('/v1/pets', { key: secret });
    const run = () => runProgram(program, args, { cwd, env: { API_KEY: secret, BASE_URL: gateway.url } });
    const statuses = () =>
      gateway.logLines
        .map((line) => JSON.parse(line) as { keyId?: string; status?: number })
        .filter(({ keyId, status }) => keyId === apiKey.id && status !== undefined)
        .map(({ status }) => status);
    return { run, statuses };
  }

  test.each(programs.map((command) => [command.at(-1), command] as const))(
    '%s waits until the minute resets, and adds one pet',
    async (_name, command) => {
      const { run, statuses } = await start(command, { requestsPerMinute: 1, requestsPerDay: 1000 });
      moveDateBy(57_000);
      const running = run();
      await until('the program has a 429', () => Promise.resolve(statuses().length > 1));
      const fromMs = performance.now();
      moveDateBy(3_000);
      const { code, output } = await running;
      const waitedMs = performance.now() - fromMs;
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Pixel') as string });
      expect(output).not.toContain('rate_limit_exceeded');
      const [, rejected, added, ...more] = statuses();
      expect({ rejected, more }).toEqual({ rejected: 429, more: [] });
      // GraphQL answers with 200.
      expect([200, 201]).toContain(added);
      expect(waitedMs).toBeGreaterThan(3_000 - TIMER_TOLERANCE_MS);
    },
  );

  test.each(programs.map((command) => [command.at(-1), command] as const))(
    '%s gives up at once if the day is used up',
    async (_name, command) => {
      const { run, statuses } = await start(command, { requestsPerMinute: 1000, requestsPerDay: 1 });
      const { code, output } = await run();
      expect({ failed: code !== 0, output }).toEqual({
        failed: true,
        output: expect.stringMatching(/429|rate_limit_exceeded/) as string,
      });
      expect(statuses()).toEqual([200, 429]);
    },
  );
}

function after429(arrivals: Map<string, number[]>, name: string): string {
  const [first, second] = arrivals.get(name) ?? [];
  if (first === undefined) return 'no request';
  if (second === undefined) return 'no retry';
  return second >= RETRY_AFTER_SECONDS * 1000 - TIMER_TOLERANCE_MS ? 'waits' : 'early';
}

function afterLoss(arrivals: Map<string, number[]>, name: string): string {
  const { length } = arrivals.get(name) ?? [];
  if (length === 0) return 'no request';
  return length === 1 ? 'no retry' : 'retries';
}
