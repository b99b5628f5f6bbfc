import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOwnDatabase, type OwnDatabase } from '../e2e/own-database.js';
import type { GatewayProcess } from '../support/gateway-process.js';
import { mustRun } from '../support/run-program.js';
import { until } from '../support/until.js';

/** Follows docs/lost-admin-key.md like an operator who lost the key: the commands are read from the page. */
const ROOT = join(__dirname, '../..');
let page: string;
let database: OwnDatabase;
beforeAll(async () => {
  page = await readFile(join(ROOT, 'docs/lost-admin-key.md'), 'utf8');
});
beforeEach(async () => {
  database = await createOwnDatabase();
});
afterEach(() => database.close());

/** Runs the command of the page that begins so, with this key in the place of `key_…`. */
async function run(start: string, keyId = ''): Promise<string> {
  const commands = Array.from(page.matchAll(/npx pets-gateway ([^`\n]+)/g), ([, command]) => command ?? '');
  const given = commands.find((command) => command.startsWith(start));
  if (given === undefined) throw new Error(`the page says nothing of ${start}`);
  const command = `node bin/pets-gateway.js ${given.replace('key_…', keyId)}`;
  return mustRun('sh', ['-c', command], { cwd: ROOT, env: database.env });
}

const statusOf = async ({ url }: GatewayProcess, key: string) =>
  (await fetch(`${url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status;
const secretOf = (printed: string) => /pets_live_\w{20,}/.exec(printed)?.[0] ?? 'no secret';
const idOf = (printed: string) => /key_\w+/.exec(printed)?.[0] ?? 'no id';

async function ask({ url }: GatewayProcess, key: string, query: string): Promise<unknown> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return ((await answer.json()) as { data: unknown }).data;
}

test('lost: another one is made beside the running gateway; leaked: it is shut out, and what it did is found', async () => {
  const gateway = await database.start({ SEED_DEMO: '0' });
  const leaked = secretOf(gateway.output());
  expect(await statusOf(gateway, leaked)).toBe(200);

  const anna = secretOf(await run('keys create'));
  expect(await statusOf(gateway, anna)).toBe(200);
  const leakedId = idOf(
    (await run('keys list')).split('\n').find((line) => line.includes('First admin key')) ?? '',
  );

  const made =
    'mutation { createApiKey(input: { name: "Of a thief", role: admin }) { apiKey { id } secret } }';
  const { createApiKey } = (await ask(gateway, leaked, made)) as {
    createApiKey: { apiKey: { id: string }; secret: string };
  };
  const rotated = secretOf(await run('keys rotate', leakedId));
  await until('the leaked secret to be refused', async () => (await statusOf(gateway, leaked)) === 401);
  expect(await statusOf(gateway, rotated)).toBe(200);
  await run('keys revoke', `${leakedId} --yes`);
  await until('the key to be refused', async () => (await statusOf(gateway, rotated)) === 401);

  const [, query = ''] = /-d '\{"query":"(.+)"\}'/.exec(page) ?? [];
  const found = await ask(gateway, anna, query.replaceAll('\\"', '"').replace('key_…', leakedId));
  expect(found).toMatchObject({
    auditLog: { edges: [{ node: { action: 'apiKey.create', apiKeyId: createApiKey.apiKey.id } }] },
  });
  await run('keys revoke', `${createApiKey.apiKey.id} --yes`);
  await until(
    "the thief's key to be refused",
    async () => (await statusOf(gateway, createApiKey.secret)) === 401,
  );
  expect(await statusOf(gateway, anna)).toBe(200);
});

test('ADMIN_API_KEY: another value is in force from the next start on, and the one before is not', async () => {
  const values = ['the-first-of-24-characters', 'the-second-of-24-characters'];
  for (const value of values) {
    const gateway = await database.start({ SEED_DEMO: '0', ADMIN_API_KEY: value });
    expect(await Promise.all(values.map((asked) => statusOf(gateway, asked)))).toEqual(
      values.map((asked) => (asked === value ? 200 : 401)),
    );
    await gateway.stop();
  }
});
