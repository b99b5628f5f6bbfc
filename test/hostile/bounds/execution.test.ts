import { writeFileSync } from 'node:fs';
import type { GraphQLField, GraphQLSchema } from 'graphql';
import { PUBLIC_SCHEMA } from '../../interfaces/graphql/measure.js';
import { rawDatabase } from '../../support/raw-database.js';
import { fillCrowded, type Crowd } from './crowded-database.js';
import { pick, randomFrom, type Random } from './document.js';
import { slowness } from './reference-core.js';
import { MS_PER_EXECUTED_UNIT } from './search.js';
import { render, smaller, vary, waysFrom, type Selection, type ValueOf } from './selection.js';
import { requestOf, startTarget, type Target } from './target.js';

/**
 * A unit of quota buys at most MS_PER_EXECUTED_UNIT of processor time with the execution of its request, work that outlives the
 * response included. For each query and mutation, and for an owner and an admin, a search looks for the worst on a
 * database with 1,000 projects, 100 keys each, and a year of usage.
 */
const STEPS = Number(process.env['BOUNDS_STEPS'] ?? '3');
const SEED = Number(process.env['BOUNDS_SEED'] ?? '1');
const ONLY = process.env['BOUNDS_KIND'] ?? '';
/** How many of the ways through the schema are tried. The payloads of all mutations lead to the same types. */
const WAYS = { query: STEPS + 4, mutation: 2 };
const MARGIN = 3;
const SURVIVORS = 3;
const CONFIRMATIONS = 4;
const MINUTES = 20;

interface Worst {
  selection: Selection;
  ms: number;
  units: number;
  status: number;
}

let target: Target;
let crowd: Crowd;
const figures: string[] = [];

beforeAll(async () => {
  target = await startTarget({ ADMIN_REQUESTS_PER_MINUTE: '1000000' });
  crowd = await fillCrowded(target.office, target.store.project.id);
}, 300_000);

afterAll(async () => {
  const table = ['ms per unit | units | status | documents | request', ...figures].join('\n');
  const file = process.env['BOUNDS_TABLE'];
  if (file === undefined) process.stderr.write(`${table}\n`);
  else writeFileSync(file, `${table}\n`);
  await target.close();
});

test.each(['owner', 'admin'] as const)(
  `a unit of quota buys at most ${MS_PER_EXECUTED_UNIT} ms of execution: %s`,
  async (role) => {
    const { office, store } = target;
    const { secret } = await office.services.apiKeys.create(
      role === 'admin' ? { name: role, role } : { name: role, role, projectId: store.project.id },
    );
    const random = randomFrom(SEED);
    const above: string[] = [];
    const allowed = MARGIN * MS_PER_EXECUTED_UNIT * slowness();
    for (const { type, field } of rootFields(PUBLIC_SCHEMA)) {
      if (!`${role} ${field.name}`.includes(ONLY)) continue;
      const worst = await findWorst(type, field, { secret, random, enough: 2 * allowed });
      if (worst === undefined) continue;
      const line = await lineOf(role, type, worst, secret);
      figures.push(line);
      if (worst.ms / worst.units > allowed) above.push(line);
    }
    expect(above).toEqual([]);
  },
  MINUTES * 60_000,
);

function rootFields(schema: GraphQLSchema) {
  const of = (type: 'query' | 'mutation', fields: Record<string, GraphQLField<unknown, unknown>>) =>
    Object.values(fields).map((field) => ({ type, field }));
  return [
    ...of('query', schema.getQueryType()?.getFields() ?? {}),
    ...of('mutation', schema.getMutationType()?.getFields() ?? {}),
  ];
}

async function findWorst(
  type: 'query' | 'mutation',
  field: GraphQLField<unknown, unknown>,
  { secret, random, enough }: { secret: string; random: Random; enough: number },
): Promise<Worst | undefined> {
  let best: Worst[] = [];
  const mostSoFar = () => Math.max(0, ...best.map(loadOf));
  const attempt = async (asked: Selection): Promise<void> => {
    let selection: Selection | undefined = asked;
    while (selection !== undefined) {
      const measured = await send(type, selection, secret);
      if (measured.status !== 400) {
        best = [...best, { ...measured, selection }]
          .toSorted((one, other) => loadOf(other) - loadOf(one))
          .slice(0, SURVIVORS);
        return;
      }
      selection = smaller(selection);
    }
  };
  const ways = waysFrom(field, valueOf);
  for (const way of ways.toSorted(() => random() - 0.5).slice(0, WAYS[type])) {
    await attempt(way);
    if (mostSoFar() > enough) break;
  }
  for (let i = 0; i < (type === 'query' ? STEPS : WAYS.mutation); i++) {
    if (best.length === 0 || mostSoFar() > enough) break;
    await attempt(vary(pick(random, best).selection, random));
  }
  // What was a record by chance, or because its code was new, is none any more.
  for (const candidate of best)
    for (let i = 0; i < CONFIRMATIONS; i++) {
      const again = await send(type, candidate.selection, secret);
      if (loadOf(again) < loadOf(candidate)) Object.assign(candidate, again);
    }
  return best.toSorted((one, other) => loadOf(other) - loadOf(one))[0];
}

const loadOf = ({ ms, units }: Pick<Worst, 'ms' | 'units'>) => ms / units;

async function send(type: string, selection: Selection, secret: string) {
  const request = post(secret, `${type}{${render([selection])}}`);
  const { text, ms, status } = await target.sendWhole(request);
  const cost = /"requested":([0-9]+)/.exec(text)?.[1];
  return { ms, units: Math.max(1, Number(cost ?? 1)), status };
}

const post = (secret: string, query: string) =>
  requestOf('POST /graphql', {
    headers: ['Content-Type: application/json', `Authorization: Bearer ${secret}`],
    body: JSON.stringify({ query }),
  });

let created = 0;
/** Values with which a request reaches something, and changes nothing that a later one needs. */
const valueOf: ValueOf = (name, field) => {
  switch (name) {
    case 'id':
      if (field === 'project') return JSON.stringify(crowd.projectId);
      if (/pet$/i.test(field)) return '1';
      return JSON.stringify(/domain/i.test(field) ? crowd.domainId : crowd.keyId);
    case 'ids':
      return `[${Array.from({ length: 100 }, (_, i) => i + 1).join(' ')}]`;
    case 'apiKeyId':
      return field === 'auditLog' ? undefined : JSON.stringify(crowd.keyId);
    case 'projectId':
      return field === 'auditLog' ? undefined : JSON.stringify(crowd.projectId);
    case 'deployId':
      return JSON.stringify(crowd.deployId);
    case 'name':
      return `"n${created++}"`;
    case 'plan':
      return field === 'changePlan' ? 'business' : undefined;
    case 'orderBy':
      return field === 'petsConnection' ? 'newest' : 'usageToday';
    case 'filter':
      return field === 'petsConnection' ? '{nameContains:"e"}' : undefined;
    case 'by':
      return 'minute';
    default:
      return undefined;
  }
};

async function lineOf(role: string, type: string, worst: Worst, secret: string): Promise<string> {
  const text = render([worst.selection]);
  const documents = await documentsRead(() => send(type, worst.selection, secret));
  const shown = text.length > 300 ? `${text.slice(0, 300)}…` : text;
  return [loadOf(worst).toFixed(1), worst.units, worst.status, documents, `${role} ${type} ${shown}`].join(
    ' | ',
  );
}

/** The documents that MongoDB examined for what `run` sends, by its profiler: of this database alone. */
async function documentsRead(run: () => Promise<unknown>): Promise<number> {
  const raw = await rawDatabase(target.office);
  const db = raw.getClient().db(target.office.databaseName);
  await db.command({ profile: 2 });
  const since = new Date();
  await run();
  await db.command({ profile: 0 });
  const found = await db
    .collection('system.profile')
    .aggregate<{ documents: number }>([
      { $match: { ts: { $gte: since } } },
      { $group: { _id: null, documents: { $sum: { $ifNull: ['$docsExamined', 0] } } } },
    ])
    .toArray();
  await raw.close();
  return found[0]?.documents ?? 0;
}
