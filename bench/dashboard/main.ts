import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareDatabase } from '../../src/app/migrations/prepare-database.js';
import { createServices } from '../../src/app/services.js';
import { parseConfig } from '../../src/config/config.js';
import { systemClock } from '../../src/lib/clock.js';
import { createLogger } from '../../src/lib/logger.js';
import { launchChromium } from '../../test/support/chromium.js';
import { factsOf } from '../facts.js';
import { keepReport, RESULTS_HELP } from '../keep-report.js';
import { renderFacts, renderRows, round } from '../markdown.js';
import { positive } from '../options.js';
import { medianOf } from '../summary.js';
import { connect, startDatabase } from '../targets/database.js';
import { startServer } from '../targets/running-server.js';
import { untilInterrupted } from '../until-interrupted.js';
import { openOnPhone, viewPage, type View } from './view-page.js';

const HELP = `npm run bench:dashboard -- [options]
  --rounds N        of each page, for the medians (5)
  --results FOLDER  ${RESULTS_HELP}
`;
const GATEWAY = join(__dirname, '../../bin/pets-gateway.js');

interface Cell {
  page: string;
  cache: 'cold' | 'warm';
  views: View[];
}

/** `npm run bench:dashboard`: the first view of the dashboard on a slow phone. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '5' },
      results: { type: 'string' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const startedAt = new Date();
  const cells = await measure(positive(values.rounds), untilInterrupted());
  const facts = await factsOf(startedAt);
  const title = `The dashboard's first view on a slow phone, ${facts.startedAt}`;
  const markdown = [...renderFacts(title, facts), ...render(cells)].join('\n');
  const report = { facts, cells };
  await keepReport(values.results, 'dashboard', report, markdown);
  process.stdout.write(markdown);
  return 0;
}

async function measure(rounds: number, signal: AbortSignal): Promise<Cell[]> {
  const database = await startDatabase();
  try {
    const uri = database.uriOf('dashboard');
    const { projectId, secret } = await createOwner(uri);
    const env = { MONGODB_URI: uri, PORT: '0', LOG_LEVEL: 'warn' };
    const gateway = await startServer(process.execPath, [GATEWAY, 'serve'], env);
    const browser = await launchChromium();
    try {
      const { origin } = new URL(gateway.url);
      const pages = [
        { name: 'sign-in', url: `${origin}/dashboard`, shows: 'The page does not keep the key' },
        {
          name: 'overview',
          url: `${origin}/dashboard/projects/${projectId}`,
          shows: 'Quota today',
          apiKey: secret,
        },
      ];
      const cells = pages.flatMap(({ name }) =>
        (['cold', 'warm'] as const).map((cache): Cell => ({ page: name, cache, views: [] })),
      );
      for (let turn = 0; turn < rounds; turn += 1)
        for (const page of pages) {
          signal.throwIfAborted();
          const phone = await openOnPhone(browser, origin, page.apiKey);
          for (const cell of cells.filter((each) => each.page === page.name)) {
            const view = await viewPage(phone, page);
            cell.views.push(view);
            process.stderr.write(`${cell.page}, ${cell.cache}: ${view.firstPaintMs.toFixed(0)} ms\n`);
          }
          await phone.context().close();
        }
      return cells;
    } finally {
      await browser.close();
      await gateway.stop();
    }
  } finally {
    await database.close();
  }
}

/** A project with an owner key. */
async function createOwner(uri: string): Promise<{ projectId: string; secret: string }> {
  const connection = await connect(uri);
  try {
    const log = createLogger({ level: 'error', pretty: false });
    const config = parseConfig({ MONGODB_URI: uri });
    await prepareDatabase(config, connection, log);
    const services = await createServices(config, connection, log, systemClock);
    const { id } = await services.projects.create({ name: 'bench', plan: 'business' });
    const { secret } = await services.apiKeys.create({ name: 'bench', role: 'owner', projectId: id });
    await services.close();
    return { projectId: id, secret };
  } finally {
    await connection.close();
  }
}

function render(cells: readonly Cell[]): string[] {
  const columns = ['page', 'first contentful paint ms', 'largest contentful paint ms', 'kB', 'requests'];
  return renderRows(
    columns,
    cells.map(({ page, cache, views }) => {
      const median = (column: keyof View) => medianOf(views.map((view) => view[column]));
      return [
        `${page}, ${cache} cache`,
        round(median('firstPaintMs'), 0),
        round(median('largestPaintMs'), 0),
        round(median('bytes') / 1000, 1),
        round(median('requests'), 0),
      ];
    }),
  );
}
