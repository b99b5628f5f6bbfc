import { writeFileSync } from 'node:fs';
import { kindsOf } from './kinds.js';
import { slowness } from './reference-core.js';
import { findWorst, MS_PER_UNIT, MS_WITHOUT_CHARGE, type Kind, type Worst } from './search.js';
import { startTarget, type Target } from './target.js';

/**
 * Work that is done before a charge is bounded: no unit of quota buys more than MS_PER_UNIT of processor time, and no
 * request that costs nothing more than MS_WITHOUT_CHARGE. Of each kind of request a search looks for the worst.
 * BOUNDS_STEPS and BOUNDS_SEED search on and elsewhere, BOUNDS_KIND looks at some kinds alone, BOUNDS_TABLE names a file
 * for the figures.
 */
const STEPS = Number(process.env['BOUNDS_STEPS'] ?? '40');
const SEED = Number(process.env['BOUNDS_SEED'] ?? '1');
const ONLY = process.env['BOUNDS_KIND'] ?? '';
/** What is off by this much is no fault of a noisy machine: what is unbounded takes ten to a thousand times its bound. */
const MARGIN = 3;
const MINUTES = 20;

let target: Target;
const figures: string[] = [];

test(
  `a unit of quota costs at most ${MS_PER_UNIT} ms, and a free request ${MS_WITHOUT_CHARGE} ms`,
  async () => {
    const kinds = (await kindsOf(target)).filter(({ name }) => name.includes(ONLY));
    const above: string[] = [];
    for (const kind of kinds) {
      const allowed = MARGIN * slowness();
      const worst = await findWorst(kind, { steps: STEPS, seed: SEED, enough: 2 * allowed });
      const line = lineOf(kind, worst, allowed);
      figures.push(line);
      if (worst.load > allowed) above.push(line);
    }
    expect(above).toEqual([]);
  },
  MINUTES * 60_000,
);

beforeAll(async () => {
  target = await startTarget();
});

afterAll(async () => {
  const table = [
    `seed ${SEED}, ${STEPS} steps`,
    'kind | ms | units | status | share of the bound | tried | worst',
    ...figures,
  ];
  const file = process.env['BOUNDS_TABLE'];
  if (file === undefined) process.stderr.write(`${table.join('\n')}\n`);
  else writeFileSync(file, `${table.join('\n')}\n`);
  await target.close();
});

function lineOf(
  { name }: Kind,
  { ms, units, status, load, tried, document }: Worst,
  allowed: number,
): string {
  const shown = document.length > 200 ? `${document.slice(0, 200)}…` : document;
  const share = `${load.toFixed(2)} of ${allowed.toFixed(1)}`;
  return [name, ms.toFixed(1), units, status, share, tried, shown].join(' | ');
}
