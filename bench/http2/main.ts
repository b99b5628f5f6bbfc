import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createAuthority, writeCertificate } from '../../test/support/authority.js';
import { chooseFreePort } from '../../test/support/free-port.js';
import { factsOf } from '../facts.js';
import { PLATFORM_HOST, startGatewayOfFiles, type FileServer } from '../files/contestants.js';
import { scriptOf } from '../files/script.js';
import { keepReport, RESULTS_HELP } from '../keep-report.js';
import { renderFacts, renderRows, round } from '../markdown.js';
import { positive } from '../options.js';
import { usageOf } from '../process-usage.js';
import { medianOf } from '../summary.js';
import { startDatabase } from '../targets/database.js';
import { untilInterrupted } from '../until-interrupted.js';
import { fetchOverHttp1, fetchOverHttp2, PATHS, type Site } from './fetch-page.js';

const HELP = `npm run bench:http2 -- [options]
  --rounds N        of each protocol, for the medians (10)
  --pages N         of each round (20)
  --results FOLDER  ${RESULTS_HELP}
`;
const SIZE = 3072;
/** Over each protocol, before the first round: until then, V8 has not compiled what a request needs. */
const WARM_UP_PAGES = 200;

interface Protocol {
  name: string;
  fetchPage: typeof fetchOverHttp2;
  rounds: Round[];
}

interface Round {
  /** From the first connection to the last byte, the median of the pages. */
  pageMs: number;
  /** Processor time of the gateway per page. */
  cpuMs: number;
}

/** `npm run bench:http2`: a page of 50 files over HTTPS, over HTTP/2 and HTTP/1.1. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '10' },
      pages: { type: 'string', default: '20' },
      results: { type: 'string' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const startedAt = new Date();
  const protocols = await measure(positive(values.rounds), positive(values.pages), untilInterrupted());
  const facts = await factsOf(startedAt);
  const title = `A page of ${PATHS.length} files of ${SIZE} bytes over HTTPS, ${facts.startedAt}`;
  const markdown = [...renderFacts(title, facts), ...render(protocols)].join('\n');
  const report = { facts, protocols };
  await keepReport(values.results, 'http2', report, markdown);
  process.stdout.write(markdown);
  return 0;
}

async function measure(rounds: number, pages: number, signal: AbortSignal): Promise<[Protocol, Protocol]> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-bench-'));
  const database = await startDatabase();
  let gateway: FileServer | undefined;
  try {
    const authority = await createAuthority();
    const { cert, key } = await writeCertificate(folder, authority, `*.${PLATFORM_HOST}`);
    const port = await chooseFreePort();
    const settings = { HTTPS_PORT: String(port), PLATFORM_TLS_CERT_FILE: cert, PLATFORM_TLS_KEY_FILE: key };
    const files = PATHS.map((path) => ({ path: path.slice(1), bytes: scriptOf(SIZE) }));
    gateway = await startGatewayOfFiles('gateway', database, files, true, settings);
    const site = { host: gateway.host ?? '', port, root: authority.root };
    const http2 = { name: 'HTTP/2, one connection', fetchPage: fetchOverHttp2, rounds: [] };
    const http1 = { name: 'HTTP/1.1, six connections', fetchPage: fetchOverHttp1, rounds: [] };
    for (const protocol of [http2, http1]) await runRound(protocol, site, gateway.pid, WARM_UP_PAGES);
    for (let turn = 0; turn < rounds; turn += 1)
      for (const protocol of [http2, http1] as Protocol[]) {
        signal.throwIfAborted();
        protocol.rounds.push(await runRound(protocol, site, gateway.pid, pages));
      }
    return [http2, http1];
  } finally {
    await gateway?.stop();
    await database.close();
    await rm(folder, { recursive: true });
  }
}

async function runRound(
  { name, fetchPage }: Protocol,
  site: Site,
  pid: number,
  pages: number,
): Promise<Round> {
  const times: number[] = [];
  const before = usageOf(pid).cpuUs;
  while (times.length < pages) {
    const begin = performance.now();
    const lengths = await fetchPage(site);
    times.push(performance.now() - begin);
    if (lengths.some((length) => length !== SIZE)) throw new Error(`${name}: a file of another length`);
  }
  const pageMs = medianOf(times);
  process.stderr.write(`${name}: ${pageMs.toFixed(1)} ms a page\n`);
  return { pageMs, cpuMs: (usageOf(pid).cpuUs - before) / 1000 / pages };
}

function render([http2, http1]: readonly [Protocol, Protocol]): string[] {
  const median = ({ rounds }: Protocol, column: keyof Round) => medianOf(rounds.map((each) => each[column]));
  const row = (label: string, column: keyof Round) => {
    const [ours, other] = [median(http2, column), median(http1, column)];
    return [label, round(ours, 1), round(other, 1), round(ours / other, 2)];
  };
  return renderRows(
    ['per page', http2.name, http1.name, 'HTTP/2 ÷ HTTP/1.1'],
    [row('ms', 'pageMs'), row('gateway CPU ms', 'cpuMs')],
  );
}
