import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markServed } from '../features/publishing/domains/graphql-client.js';
import { runCommand } from '../support/command-line.js';
import { startKnot, type Knot } from '../support/knot.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { useRawDatabase } from '../support/use-raw-database.js';

const { database, raw } = useRawDatabase();

const HOSTS = { PUBLIC_URL: 'https://api.example.org', PLATFORM_HOST: 'pets.example.net' };
let knot: Knot;
beforeAll(async () => {
  knot = await startKnot();
});
afterAll(() => knot.close());
const run = (...args: string[]) => runCommand(database, args, { ...HOSTS, DNS_SERVERS: knot.address });

/** What a command prints for programs. */
async function json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

interface DomainRow {
  id: string;
  name: string;
  status: string;
  primary: boolean;
  problem: string | null;
  records: Record<string, string | number>[];
}

const temporaryFolder = useTemporaryFolder();
async function project(name: string, { plan = 'pro', deployed = true } = {}): Promise<string> {
  const { id } = await json<{ id: string }>('projects', 'create', name, '--plan', plan);
  if (!deployed) return id;
  await writeFile(join(temporaryFolder(), 'index.html'), '<h1>Hi</h1>');
  await json('deploy', temporaryFolder(), '--project', id);
  return id;
}
const add = (name: string, projectId: string) =>
  json<DomainRow>('domains', 'add', name, '--project', projectId);
async function addServed(name: string, projectId: string): Promise<DomainRow> {
  const domain = await add(name, projectId);
  await markServed(raw(), domain.id);
  return domain;
}

test('add prints the DNS records, list and show have the domain, verify requests a check', async () => {
  const id = await project('Zoo');
  const site = {
    id: null,
    name: 'zoo.pets.example.net',
    status: 'https',
    primary: true,
    certificateExpiresAt: null,
    servedUntil: null,
    problem: null,
    retryAt: null,
  };
  expect(await json('domains', 'list', '--project', id)).toEqual([site]);
  const added = await add('shop.zoo-store.com', id);
  expect(added).toMatchObject({
    name: 'shop.zoo-store.com',
    status: 'pending',
    primary: false,
    problem: null,
    message: null,
    records: [
      {
        type: 'CNAME',
        name: 'shop',
        fullName: 'shop.zoo-store.com',
        value: 'zoo.pets.example.net',
        ttl: 3600,
      },
    ],
  });
  expect(await json('domains', 'show', added.id)).toEqual(added);
  expect([site, added]).toMatchObject(await json('domains', 'list', '--project', id));
  expect(await json('domains', 'verify', added.id)).toMatchObject({ id: added.id, status: 'verifying' });
});

test('add --with-counterpart adds both names, and a redirect', async () => {
  const id = await project('Pair');
  const added = await json<DomainRow & { counterpart: DomainRow }>(
    ...['domains', 'add', 'pair-store.com', '--with-counterpart', '--project', id],
  );
  expect([added.name, added.counterpart.name]).toEqual(['pair-store.com', 'www.pair-store.com']);
  expect(await json('domains', 'redirects', '--project', id)).toEqual([
    { from: 'www.pair-store.com', to: 'pair-store.com', status: 301 },
  ]);
});

describe('on a terminal', () => {
  test('add prints the records as a table, and that it may take 48 hours', async () => {
    const { code, stdout } = await run(
      'domains',
      'add',
      'apex-store.com',
      '--project',
      await project('Table'),
    );
    expect(code).toBe(0);
    const lines = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(lines).toContainEqual(['type', 'name', 'full name', 'value', 'ttl']);
    expect(lines).toContainEqual(['ALIAS', '@', 'apex-store.com', 'table.pets.example.net', '3600']);
    expect(stdout).toContain('48 hours');
    expect(stdout).toMatch(/domains verify dom_\w+/);
    expect(stdout).toContain('ANAME');
  });

  describe('add explains what blocks the domain', () => {
    const SERVED = {
      HTTP_PORT: '80',
      HTTPS_PORT: '443',
      ACME_DIRECTORY_URL: 'https://ca-store.com/directory',
      KEY_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    };
    let projectId: string;
    beforeAll(async () => {
      projectId = await json<{ id: string }>('projects', 'create', 'Obstacles', '--plan', 'pro').then(
        ({ id }) => id,
      );
      await json('deploy', '--template', 'storefront', '--project', projectId);
    });
    afterEach(() => knot.unset('*.pets.example.net', 'A'));
    async function obstacles(name: string, env: Record<string, string>): Promise<string[]> {
      const { code, stdout } = await runCommand(database, ['domains', 'add', name, '--project', projectId], {
        ...HOSTS,
        DNS_SERVERS: knot.address,
        ...env,
      });
      expect(code).toBe(0);
      const [, rest = ''] = stdout.split('these problems remain:\n');
      return rest.split('\n').filter((line) => line !== '');
    }

    test('in the settings', async () => {
      expect(await obstacles('shop.settings-store.com', {})).toEqual([
        '  - HTTPS_PORT is not set: the gateway serves the domain over plain HTTP only.',
        '  - ACME_DIRECTORY_URL is not set: the gateway issues no SSL certificate for the domain.',
        expect.stringMatching(/^ {2}- HTTP_PORT is not set: forward port 80 to PORT/),
        '  - *.pets.example.net has no address in DNS. Publish A and AAAA records for *.pets.example.net.',
      ]);
    });

    test('that the platform is on this machine only', async () => {
      expect(await obstacles('shop.local-store.com', { ...SERVED, PLATFORM_HOST: 'pets.localhost' })).toEqual(
        [
          '  - PLATFORM_HOST is pets.localhost, which only this machine can reach: no DNS record can point to it.',
        ],
      );
    });

    test('in DNS: a conflicting record, but not a record that is still missing', async () => {
      await knot.set('*.pets.example.net', 'A', '192.0.2.1');
      await knot.set('shop.taken-store.com', 'A', '192.0.2.99');
      expect(await obstacles('shop.taken-store.com', SERVED)).toEqual([
        expect.stringMatching(
          /^ {2}- shop\.taken-store\.com has an A record \(192\.0\.2\.99\), which blocks the CNAME\. Remove it/,
        ),
      ]);
      expect(await obstacles('shop.free-store.com', SERVED)).toEqual([]);
    });
  });

  test('verify says that the running gateway does the check', async () => {
    const { id } = await add('shop.terminal-store.com', await project('Terminal'));
    const { stdout } = await run('domains', 'verify', id);
    expect(stdout).toMatch(/^status +verifying$/m);
    expect(stdout).toContain('The running gateway checks DNS');
    expect(stdout).toContain(`domains show ${id}`);
  });

  test('list is a table', async () => {
    const id = await project('Listed');
    await add('shop.listed-store.com', id);
    const [head] = (await run('domains', 'list', '--project', id)).stdout.split('\n');
    expect(head?.split(/ {2,}/)).toEqual([
      'id',
      'name',
      'status',
      'primary',
      'certificate expires',
      'served until',
      'problem',
      'retry',
    ]);
  });
});

test('primary chooses a domain, or the platform’s host again', async () => {
  const projectId = await project('Primary');
  const { id } = await addServed('shop.primary-store.com', projectId);
  const chosen = { project: projectId, primary: 'shop.primary-store.com' };
  expect(await json('domains', 'primary', id)).toEqual(chosen);
  expect(await json('domains', 'show', id)).toMatchObject({ primary: true, status: 'active' });
  expect(await json('domains', 'primary', '--platform', '--project', projectId)).toEqual({
    project: projectId,
    primary: 'primary.pets.example.net',
  });
});

test('redirect, redirects, unredirect; remove also removes the redirects', async () => {
  const projectId = await project('Redirects');
  const [a, b] = [
    await addServed('a.redirects-store.com', projectId),
    await addServed('b.redirects-store.com', projectId),
  ];
  const of = ['--project', projectId];
  const redirect = { from: a.name, to: b.name, status: 301 };
  expect(await json('domains', 'redirect', a.name, b.name, ...of)).toEqual([redirect]);
  expect(await json('domains', 'redirect', a.name, b.name, '--status', '308', ...of)).toEqual([
    { ...redirect, status: 308 },
  ]);
  expect(await json('domains', 'redirects', ...of)).toEqual([{ ...redirect, status: 308 }]);
  expect(await json('domains', 'unredirect', a.name, ...of)).toEqual([]);
  await json('domains', 'redirect', a.name, b.name, ...of);
  expect(await json('domains', 'remove', b.id)).toEqual({ id: b.id, name: b.name, project: projectId });
  expect(await json('domains', 'redirects', ...of)).toEqual([]);
});

describe('a domain by its name, among several projects', () => {
  test('is found in the only project that has it, as a person types or pastes it', async () => {
    const added = await add('only.lookup-store.com', await project('Only'));
    await project('Another');
    for (const text of ['only.lookup-store.com', 'Only.Lookup-Store.com.', 'https://only.lookup-store.com/'])
      expect(await json('domains', 'show', text)).toEqual(added);
    const { id } = await json<DomainRow>('domains', 'verify', 'only.lookup-store.com');
    expect(id).toBe(added.id);
  });

  test('is that of the project that the gateway serves', async () => {
    const [pending, held] = [await project('Pending'), await project('Held')];
    await add('both.lookup-store.com', pending);
    const { id } = await addServed('both.lookup-store.com', held);
    expect(await json('domains', 'show', 'both.lookup-store.com')).toMatchObject({ id });
  });

  test('needs --project if several projects wait for it, and the error names them', async () => {
    const [first, second] = [await project('Wait one'), await project('Wait two')];
    const { id } = await add('wait.lookup-store.com', first);
    await add('wait.lookup-store.com', second);
    const { code, stderr } = await run('domains', 'show', 'wait.lookup-store.com');
    expect(code).toBe(2);
    expect(stderr).toContain('--project: several projects have wait.lookup-store.com. Choose one of them: ');
    expect(stderr).toMatch(/wait-one \(Wait one\).*wait-two \(Wait two\)/);
    expect(await json('domains', 'show', 'wait.lookup-store.com', '--project', first)).toMatchObject({ id });
  });

  test('is not found if no project has it', async () => {
    const { code, stderr } = await run('domains', 'show', 'none.lookup-store.com');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no domain with the name none.lookup-store.com.');
  });
});

describe('exit 1: the command failed', () => {
  test('a domain that does not exist', async () => {
    for (const command of ['show', 'verify', 'primary', 'remove']) {
      const { code, stdout, stderr } = await run('domains', command, 'dom_none');
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('There is no domain with the id dom_none.');
    }
  });

  test.each([
    [
      'the plan does not include it',
      { plan: 'free' },
      'Upgrade the project. See `pets-gateway projects plan --help`.',
    ],
    ['there is nothing to show', { deployed: false }, 'Deploy the project first'],
  ])('%s', async (name, how, message) => {
    const { code, stderr } = await run(
      'domains',
      'add',
      'shop.gates-store.com',
      '--project',
      await project(name, how),
    );
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  test('names PLATFORM_HOST if it is missing', async () => {
    const id = await project('Unset');
    for (const args of [
      ['add', 'shop.unset-store.com'],
      ['list'],
      ['redirect', 'a.unset-store.com', 'b.unset-store.com'],
    ]) {
      const { code, stderr } = await runCommand(database, ['domains', ...args, '--project', id]);
      expect(code).toBe(1);
      expect(stderr).toContain('PLATFORM_HOST');
    }
  });
});

describe('exit 2: wrong usage', () => {
  test('an invalid name, reported in the words of the command line', async () => {
    const { code, stderr } = await run('domains', 'add', '192.0.2.1', '--project', await project('Names'));
    expect(code).toBe(2);
    expect(stderr).toContain('NAME: must be a domain name, not an IP address');
  });

  test('an invalid status, and a redirect loop', async () => {
    const projectId = await project('Circle');
    const { name } = await addServed('shop.circle-store.com', projectId);
    const of = ['--project', projectId];
    const status = await run(
      'domains',
      'redirect',
      name,
      'circle.pets.example.net',
      '--status',
      '200',
      ...of,
    );
    expect(status).toMatchObject({ code: 2, stderr: expect.stringContaining('--status') as string });
    const circle = await run('domains', 'redirect', name, name, ...of);
    expect(circle).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('TO: creates a redirect loop') as string,
    });
  });

  test.each([
    [['domains']],
    [['domains', 'add']],
    [['domains', 'primary']],
    [['domains', 'primary', 'dom_a', '--platform']],
    [['domains', 'redirect', 'a-store.com']],
    [['domains', 'redirect', 'a-store.com', 'b-store.com', '--status', 'gone']],
    [['domains', 'verify']],
  ])('%j', async (args) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });
});
