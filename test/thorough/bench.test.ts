import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../bench/report.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const SMALL = ['--quick', '--only', 'get', '--connections', '1', '--targets', 'bare-express,gateway'];

describe('npm run bench', () => {
  const folder = useTemporaryFolder();

  /** All that it starts and leaves is known by its TMPDIR. */
  function startBench(...args: string[]): ChildProcess {
    const size = ['--pets', '1000', '--rounds', '1', '--warm-up', '1'];
    return spawn(process.execPath, [join(__dirname, '../../bench/run.mjs'), ...SMALL, ...size, ...args], {
      env: { ...process.env, TMPDIR: folder() },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  test('measures each contestant, judges by the mark, keeps the report and leaves nothing else', async () => {
    const bench = startBench('--results', join(folder(), 'results'));
    bench.stderr?.resume();
    const [code] = (await once(bench, 'exit')) as [number | null];

    const [json = '', markdown = ''] = readdirSync(join(folder(), 'results')).sort();
    const report = JSON.parse(readFileSync(join(folder(), 'results', json), 'utf8')) as Report;
    const cells = report.tables.flat();
    expect(cells.map(({ target }) => target)).toEqual(['bare-express', 'gateway']);
    for (const { fault, rounds } of cells) {
      expect(fault).toBeUndefined();
      expect(rounds.map(({ requests }) => requests > 0)).toEqual([true]);
    }
    expect(report.mark.map(({ what }) => what)).toEqual(['get × 1: p50 against bare-express']);
    expect(readFileSync(join(folder(), 'results', markdown), 'utf8')).toContain('| gateway (one) |');
    expect(code).toBe(0);
    expect(readdirSync(folder())).toEqual(['results']);
    expect(processesOf(folder())).toEqual([]);
  });

  test('compares GraphQL servers only if they answer the same query with the same data', async () => {
    const rivals = ['--only', 'graphql-list', '--connections', '50'];
    const targets = ['gateway-logged', 'bare-apollo', 'mercurius-jit', 'yoga'];
    const results = ['--results', join(folder(), 'results')];
    const bench = startBench(...rivals, '--targets', targets.join(','), ...results);
    bench.stderr?.resume();
    const [code] = (await once(bench, 'exit')) as [number | null];

    const [json = ''] = readdirSync(join(folder(), 'results')).sort();
    const { tables, failures } = JSON.parse(readFileSync(join(folder(), 'results', json), 'utf8')) as Report;
    expect(failures).toEqual([]);
    expect(tables.flat().map(({ target, fault }) => ({ target, fault }))).toEqual(
      targets.map((target) => ({ target, fault: undefined })),
    );
    expect(code).toBe(0);
  });

  test('ends all that it has started when it is interrupted', async () => {
    const bench = startBench('--targets', 'gateway', '--rounds', '1000', '--results', '');
    await saysSomethingOf(bench, 'round 1: gateway');
    bench.kill('SIGINT');
    const [code] = (await once(bench, 'exit')) as [number | null];

    expect(code).toBe(1);
    expect(readdirSync(folder())).toEqual([]);
    expect(processesOf(folder())).toEqual([]);
  });
});

async function saysSomethingOf({ stderr }: ChildProcess, words: string): Promise<void> {
  let said = '';
  for await (const chunk of stderr ?? []) {
    said += String(chunk);
    if (said.includes(words)) return;
  }
  throw new Error(`it ended before it said ${words}:\n${said}`);
}

/** Command lines of the processes that have this folder in their environment. */
function processesOf(temporaryFolder: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
        return environment.includes(temporaryFolder) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : [];
      } catch {
        // It has ended meanwhile, or is somebody else's.
        return [];
      }
    });
}
