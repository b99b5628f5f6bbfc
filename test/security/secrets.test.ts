import { execFileSync } from 'node:child_process';
import { hashSecret } from '../../src/features/keys/secret.js';
import { askGraphQL } from '../interfaces/graphql/client.js';
import { dashboardClient } from '../interfaces/dashboard/client.js';
import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';
import { rawDatabase } from '../support/raw-database.js';
import { startGateway } from '../support/gateway.js';
import { AMPLE } from '../support/rest-client.js';

/** Secrets are shown once. Then they are in no log line, no answer, no document of the database and no process list. */
const ADMIN_API_KEY = 'configured-admin-key-of-this-test';

interface Issued {
  apiKey: { id: string };
  secret: string;
}

const place = (where: string, text: string) => ({ where, text });

test('no secret is anywhere but where it was shown', async () => {
  const gateway = await startGateway({
    env: {
      ADMIN_API_KEY,
      STRIKES_PER_BAN: '1',
      STRIKE_LOOP_SECONDS: '1',
      ANONYMOUS_REQUESTS_PER_MINUTE: '100000',
    },
  });
  const database = await rawDatabase(gateway);
  const places: { where: string; text: string }[] = [];
  const shown: string[] = [];
  try {
    const issue = async (name: string, query: string, input: object) => {
      const { data } = await askGraphQL<Record<string, Issued>>(gateway, ADMIN_API_KEY, query, { input });
      const issued = data?.[name];
      if (issued === undefined) throw new Error(`no ${name}`);
      shown.push(issued.secret);
      return issued;
    };
    const create = (input: object) =>
      issue(
        'createApiKey',
        'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } secret } }',
        input,
      );
    const rotate = (input: object) =>
      issue(
        'rotateApiKey',
        'mutation ($input: RotateApiKeyInput!) { rotateApiKey(input: $input) { apiKey { id } secret } }',
        input,
      );

    const { id: projectId } = await gateway.services.projects.create({
      name: 'shop',
      plan: 'enterprise',
      customQuota: AMPLE,
    });
    const server = await create({ projectId, name: 'server', role: 'server' });
    const owner = await create({ projectId, name: 'owner', role: 'owner' });
    const admin = await create({ name: 'admin', role: 'admin' });
    const browser = await create({
      projectId,
      name: 'browser',
      role: 'browser',
      allowedOrigins: ['https://shop.example'],
    });
    const replaced = await create({ projectId, name: 'replaced', role: 'server' });
    await rotate({ id: replaced.apiKey.id, overlapSeconds: 0 });
    const overlapping = await create({ projectId, name: 'overlapping', role: 'server' });
    await rotate({ id: overlapping.apiKey.id, overlapSeconds: 3600 });
    const banned = await create({ projectId, name: 'banned', role: 'server' });
    await gateway.services.apiKeysStore.ban(banned.apiKey.id, Date.now(), gateway.services.config.ban);
    const revoked = await create({ projectId, name: 'revoked', role: 'server' });
    await gateway.services.apiKeys.revoke(revoked.apiKey.id);
    const invented = `pets_live_${'Z9'.repeat(19)}`;
    const secrets = [...shown, ADMIN_API_KEY, invented];

    const note = async (what: string, answer: Response) => {
      places.push(
        place(`headers of ${what}`, JSON.stringify([...answer.headers])),
        place(`answer to ${what}`, await answer.text()),
      );
    };
    const json = { 'content-type': 'application/json' };
    for (const key of secrets) {
      const graphql = (query: string, headers = {}) =>
        gateway.request('/graphql', {
          method: 'POST',
          key,
          body: JSON.stringify({ query }),
          headers: { ...json, ...headers },
        });
      const rest = (path: string, init = {}) => gateway.request(path, { key, ...init });
      await note('GET', await rest('/v1/pets'));
      await note('an unknown path', await rest('/v1/nothing'));
      for (const path of [`/v1/pets/${key}`, `/${key}/x`, `/v1/pets?key=${key}`]) await rest(path);
      await note('a bad body', await rest('/v1/pets', { method: 'POST', body: '{', headers: json }));
      await note('a bad method', await rest('/v1/pets', { method: 'DELETE' }));
      await note(
        'a create',
        await rest('/v1/pets', {
          method: 'POST',
          body: '{"name":"Rex","categoryId":1}',
          headers: { ...json, 'idempotency-key': 'a' },
        }),
      );
      await note(
        'two keys',
        await rest('/v1/pets', { headers: { authorization: `Bearer ${key}, Bearer ${key}` } }),
      );
      await note('Basic', await gateway.request('/v1/pets', { headers: { authorization: `Basic ${key}` } }));
      await note('a query', await graphql('{ pets { id } quota { plan { id } } plans { id } }'));
      await note('an invalid query', await graphql('{ nothing }'));
      await note(
        'the lists of keys',
        await graphql(
          '{ apiKeys { edges { node { id start name project { id } } } } auditLog { edges { node { id } } } }',
        ),
      );
      await note('an origin', await graphql('{ __typename }', { origin: 'https://shop.example' }));
      await note(
        'too much',
        await graphql(
          `{ ${Array.from({ length: 200 }, (_, i) => `a${i}: pets(limit: 100) { id name status }`).join(' ')} }`,
        ),
      );
    }
    await note('the metrics', await gateway.request('/metrics', { key: ADMIN_API_KEY }));
    // The dashboard: signing in, what is refused there, and what is asked with the cookie.
    const page = dashboardClient(gateway);
    for (const { secret } of [owner, admin, { secret: ADMIN_API_KEY }]) {
      const session = await page.enter(secret);
      const [, token = ''] = session.cookie.split('=');
      secrets.push(token, session.csrfToken);
      places.push(
        place(
          'the answer to a query of a session',
          (await session.graphql('{ quota { plan { id } } }')).text,
        ),
        place(
          'a refused query',
          (await session.graphql('{ x }', { ...session.headers, origin: 'null' })).text,
        ),
        place(
          'a refused token',
          (await session.graphql('{ x }', { ...session.headers, 'x-csrf-token': token })).text,
        ),
        place('the end of a session', JSON.stringify((await session.leave()).headers)),
        place('a session that is over', (await session.graphql('{ x }')).text),
      );
    }
    for (const { secret } of [server, browser, revoked, { secret: invented }])
      places.push(place('a refused sign-in', (await page.signIn(secret)).text));
    const { csrfToken } = await page.enter(ADMIN_API_KEY);
    secrets.push(csrfToken);

    // What happens within: the pets are gone from under the gateway, and every request is an error of ours.
    const broken = jest
      .spyOn(gateway.services.pets, 'list')
      .mockRejectedValue(new Error('broken for this test'));
    for (const { secret } of [server, admin]) {
      const answer = await gateway.request('/v1/pets', { key: secret });
      expect(answer.status).toBe(500);
      await note('a failure', answer);
      await note('a GraphQL failure', await gateway.request('/graphql?query={pets{id}}', { key: secret }));
    }
    broken.mockRestore();
    await gateway.services.recorder.flush();

    expect(gateway.logLines.join('')).toContain('broken for this test');
    places.push(place('the log', gateway.logLines.join('')));
    const collections = (await database.db?.listCollections().toArray()) ?? [];
    expect(collections.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['apiKeys', 'pets', 'sessions']),
    );
    const dump: string[] = [];
    for (const { name } of collections) {
      const documents = await database.collection(name).find().toArray();
      const text = JSON.stringify(documents, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
      places.push(place(`the collection ${name}`, text));
      dump.push(text);
    }
    places.push(
      place(
        'the process list',
        execFileSync('ps', ['-ww', '-o', 'args', '-p', String(process.pid)]).toString(),
      ),
    );

    const password = decodeURIComponent(new URL(process.env['TEST_MONGODB_URI'] ?? '').password);
    const found = [...secrets, ...(password === '' ? [] : [password])].flatMap((secret, i) =>
      places.filter(({ text }) => text.includes(secret)).map(({ where }) => `secret ${i} in ${where}`),
    );
    expect(found).toEqual([]);
    // Hashes and starts are what is kept, and the hash of no secret leaves the database.
    for (const { secret } of [server, owner, admin, browser, overlapping]) {
      expect(dump.join('')).toContain(hashSecret(secret));
      for (const { where, text } of places)
        if (!where.startsWith('the collection'))
          expect([where, text.includes(hashSecret(secret))]).toEqual([where, false]);
    }
    expect(dump.join('')).not.toContain(hashSecret(ADMIN_API_KEY));
  } finally {
    await database.close();
    await gateway.close();
  }
});

test('the command line shows a secret once, and the password of MongoDB never', async () => {
  const database = freshDatabase();
  try {
    const run = (...args: string[]) => runCommand(database, args, { ADMIN_API_KEY, LOG_LEVEL: 'debug' });
    const project = JSON.parse((await run('projects', 'create', 'Shop', '--json')).stdout) as { id: string };
    const created = JSON.parse((await run('keys', 'create', '--project', project.id, '--json')).stdout) as {
      id: string;
      secret: string;
    };
    const rotated = JSON.parse((await run('keys', 'rotate', created.id, '--json')).stdout) as {
      secret: string;
    };
    const password = decodeURIComponent(new URL(database.uri).password);
    const outputs = [
      await run('keys', 'list'),
      await run('keys', 'list', '--json'),
      await run('projects', 'list'),
      await run('quota', 'show', created.id),
      await run('quota', 'show', 'key_unknown'),
      await run('keys', 'rotate', created.secret),
      await run('keys', 'revoke', created.id, '--yes'),
      await run('nonsense'),
      await runCommand({ uri: database.uri.replace(/@[^/]+/, '@127.0.0.1:1') }, ['keys', 'list']),
      await runCommand({ uri: database.uri.replace('mongodb:', 'mysql:') }, ['keys', 'list']),
    ];
    const text = outputs.map(({ stdout, stderr }) => stdout + stderr).join('\n');
    expect(outputs.at(-2)?.code).toBe(1);
    const secrets = [rotated.secret, ADMIN_API_KEY, ...(password === '' ? [] : [password])];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  } finally {
    await database.drop();
  }
});
