import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { exchangeRaw, rawHead } from '../support/raw-http.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { tied } from '../support/tied-command.js';
import { until } from '../support/until.js';

// No test measures time: where the log holds a process up, its test does not end.

const folder = useTemporaryFolder();

interface Line {
  level: number;
  msg: string;
  path?: string;
  requestId?: string;
  number?: number;
  lines?: number;
}

/** Every line that begins as JSON has to be JSON to its end. */
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);

/** A pipe with the reader in the hands of the test. */
function openPipe() {
  const path = join(folder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  const chunk = Buffer.alloc(65_536);
  const chunks: Buffer[] = [];
  return {
    writeEnd,
    /** The lines that have arrived since the pipe was made. */
    lines(): Line[] {
      try {
        for (let length; (length = readSync(readEnd, chunk)) > 0;)
          chunks.push(Buffer.from(chunk.subarray(0, length)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      }
      return linesOf(Buffer.concat(chunks).toString());
    },
    close() {
      closeSync(writeEnd);
      closeSync(readEnd);
    },
  };
}

describe('a gateway', () => {
  const database = freshDatabase();
  let gateway: GatewayProcess | undefined;
  afterEach(() => gateway?.stop('SIGKILL'));
  afterAll(() => database.drop());

  async function start(stderr: number, env: Record<string, string> = {}): Promise<GatewayProcess> {
    const settings = { MONGODB_URI: database.uri, LOG_LEVEL: 'info', ...env };
    return (gateway = await startGatewayProcess(settings, undefined, stderr));
  }

  /** Requests whose lines fill a pipe several times. */
  const REQUESTS = 500;
  const PIPELINED = 100;
  async function drive({ url }: GatewayProcess): Promise<void> {
    for (let sent = 0; sent < REQUESTS; sent += PIPELINED) {
      const requests = Array.from({ length: PIPELINED }, (_, i) =>
        rawHead(
          `GET /v1/${'x'.repeat(180)} HTTP/1.1`,
          'Host: localhost',
          `X-Request-Id: ${`request-${sent + i}`.padEnd(128, '.')}`,
          ...(i + 1 === PIPELINED ? ['Connection: close'] : []),
        ),
      );
      const answers = await exchangeRaw(url, requests.join(''));
      expect(answers.match(/HTTP\/1\.1 \d/g)).toHaveLength(PIPELINED);
    }
  }

  test.each(['1', '2'])('with WORKERS=%s answers and stops while nobody reads its log', async (WORKERS) => {
    const running = await start(openPipe().writeEnd, { WORKERS });
    await drive(running);
    expect(await running.stop()).toBe(0);
  });

  test('answers and stops once the reader of its log is gone', async () => {
    const pipe = openPipe();
    const running = await start(pipe.writeEnd);
    pipe.close();
    await drive(running);
    expect(await running.stop()).toBe(0);
  });

  test('of several WORKERS writes every line to a file', async () => {
    const path = join(folder(), 'log');
    const running = await start(openSync(path, 'a'), { WORKERS: '2' });
    await drive(running);
    expect(await running.stop()).toBe(0);
    const lines = linesOf(readFileSync(path, 'utf8'));
    const requests = lines.filter((line) => line.path?.startsWith('/v1/x'));
    expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(REQUESTS);
    expect(lines.at(-1)?.msg).toBe('stopped');
  });
});

describe('the log', () => {
  const root = join(__dirname, '../..');
  let child: ChildProcess | undefined;
  afterEach(() => child?.kill('SIGKILL'));

  /** Runs until it has written this number of bytes. */
  async function run(what: 'fill' | 'crash', bytes: number, stderr: number | 'pipe') {
    const program = [
      '--require',
      './test/support/register-typescript.cjs',
      'test/support/log-program.cjs',
      what,
      String(bytes),
    ];
    const started = spawn(...tied(process.execPath, program), { cwd: root, stdio: ['pipe', 'pipe', stderr] });
    child = started;
    const ended = once(started, 'exit');
    const { stdin, stdout } = started;
    if (stdin === null || stdout === null) throw new Error('the program has no pipes');
    const [dropped] = (await once(createInterface({ input: stdout }), 'line')) as [string];
    return { dropped: Number(dropped), goOn: () => stdin.write('go on\n'), ended };
  }

  /** More than what waits and a pipe hold. */
  const TOO_MUCH = 3_000_000;
  const FEW = 10_000;

  test('tells a pipe that is read again how many lines are missing, and all others are whole and in order', async () => {
    const pipe = openPipe();
    const { dropped, goOn, ended } = await run('fill', TOO_MUCH, pipe.writeEnd);
    expect(dropped).toBeGreaterThan(0);
    const gap = await until('the line about the gap', () =>
      Promise.resolve(pipe.lines().find(({ lines }) => lines !== undefined)),
    );
    expect(gap).toMatchObject({ level: 40, lines: dropped });
    expect(gap.msg).toMatch(/^[\d,]+ log lines dropped: /);
    goOn();
    expect(await ended).toEqual([0, null]);
    const lines = pipe.lines();
    const written = TOO_MUCH / 1000;
    const first = Array.from({ length: written - dropped }, (_, i) => i + 1);
    expect(lines.map(({ number, msg }) => number ?? msg)).toEqual([
      ...first,
      gap.msg,
      written + 1,
      'the end',
    ]);
  });

  test.each([
    ['a socket that nobody reads', () => 'pipe' as const],
    ['a full disk', () => openSync('/dev/full', 'w')],
    ['a pipe without a reader', unreadPipe],
  ])('of a process with %s ends with the process', async (_what, open) => {
    const { goOn, ended } = await run('fill', TOO_MUCH, open());
    goOn();
    expect(await ended).toEqual([0, null]);
  });

  function unreadPipe(): number {
    const pipe = openPipe();
    const { writeEnd } = pipe;
    // The child gets a copy of the write end; the reader goes.
    setImmediate(() => pipe.close());
    return writeEnd;
  }

  test('has the last words of a crash', async () => {
    const pipe = openPipe();
    const { ended } = await run('crash', FEW, pipe.writeEnd);
    expect(await ended).toEqual([1, null]);
    expect(pipe.lines().at(-1)).toMatchObject({ level: 60, err: { message: 'of this test' } });
  });

  test('does not hold up the end after a crash', async () => {
    const { ended } = await run('crash', TOO_MUCH, openPipe().writeEnd);
    expect(await ended).toEqual([1, null]);
  });
});
