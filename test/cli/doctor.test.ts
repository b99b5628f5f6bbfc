import { createKeyRing, type Sealed } from '../../src/features/publishing/certificates/key-ring.js';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';
import { startOtlpReceiver } from '../support/otlp-receiver.js';
import { rawDatabase } from '../support/raw-database.js';
import { startRedisServer } from '../support/redis-server.js';
import { runProgram } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const database = freshDatabase();
beforeAll(() => runCommand(database, ['keys', 'create', '--role', 'admin']));
afterAll(() => database.drop());
const folder = useTemporaryFolder();

const KEY = Buffer.alloc(32, 1).toString('base64');

/** What it finds, by what it looked at. */
async function examine(env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runCommand(database, ['doctor', '--json'], { PORT: '1', ...env });
  const findings = JSON.parse(stdout) as Finding[];
  return { code, stderr, of: (check: string) => findings.filter((finding) => finding.check === check) };
}

test('everything is fine: exit code 0, one line for each check', async () => {
  const { code, stdout, stderr } = await runCommand(database, ['doctor'], { PORT: '1' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  // The MongoDB of the tests may be an old one, which is a warning.
  expect(stdout).toMatch(/^(✓ MongoDB: version \d|! MongoDB: MongoDB \d.* use 8\.0\.17 or later$)/m);
  expect(stdout).toMatch(/^✓ majority writes: acknowledged$/m);
  expect(stdout).toMatch(/^✓ admin key: there is one$/m);
  expect(stdout).not.toMatch(/^(✗|! (?!MongoDB: |Node: ))/m);
});

test('no admin key: a fault, with the command that fixes it', async () => {
  const empty = freshDatabase();
  try {
    const { code, stdout, stderr } = await runCommand(empty, ['doctor'], { PORT: '1' });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'error: 1 check failed. The lines that begin with ✗ say what to do.\n',
    });
    expect(stdout).toContain('keys create --role admin');
  } finally {
    await empty.drop();
  }
});

test('names all bad settings, and checks nothing else', async () => {
  const { code, stdout, stderr } = await runCommand(database, ['doctor'], { PORT: 'x', WORKERS: '0' });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/PORT must be[^]*WORKERS must be/);
});

test('an unreachable MongoDB is a fault, and the message has no password', async () => {
  const { code, stdout } = await runCommand(
    { uri: 'mongodb://user:sesame@127.0.0.1:1/pets?serverSelectionTimeoutMS=200' },
    ['doctor'],
    { PORT: '1' },
  );
  expect(code).toBe(1);
  expect(stdout).toMatch(/^✗ MongoDB: cannot connect/m);
  expect(stdout).not.toContain('sesame');
});

test('with read-only access it reports everything else, and changes nothing', async () => {
  const empty = freshDatabase();
  const admin = await rawDatabase({ databaseName: empty.dbName });
  const user = `reader-${empty.dbName}`;
  const db = admin.getClient().db(empty.dbName);
  try {
    await db.command({ createUser: user, pwd: 'sesame', roles: ['read'] });
    const uri = new URL(empty.uri);
    uri.username = user;
    uri.password = 'sesame';
    uri.searchParams.set('authSource', empty.dbName);
    const { code, stdout } = await runCommand({ uri: uri.href }, ['doctor'], { PORT: '1' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ majority writes: .*not authorized/m);
    expect(stdout).toMatch(/^✗ admin key: there is none/m);
    expect(stdout).toMatch(/^✓ PORT: /m);
    expect(await db.listCollections().toArray()).toEqual([]);
  } finally {
    await db.command({ dropUser: user });
    await admin.close();
    await empty.drop();
  }
});

test('an unreachable Redis is a fault, and a Redis that can lose counts is a warning', async () => {
  expect((await examine({ REDIS_URL: 'redis://127.0.0.1:1' })).of('Redis')).toEqual([
    expect.objectContaining({ verdict: 'fault' }),
  ]);
  const redis = await startRedisServer({ appendonly: 'no', 'maxmemory-policy': 'allkeys-lru' });
  try {
    const found = (await examine({ REDIS_URL: redis.url })).of('Redis');
    expect(
      found.map(({ verdict, finding }) => [verdict, /appendonly|maxmemory-policy/.exec(finding)?.[0]]),
    ).toEqual([
      ['warning', 'appendonly'],
      ['warning', 'maxmemory-policy'],
    ]);
  } finally {
    await redis.close();
  }
});

test('the key ring: a missing key is a fault, and each step of a rotation is explained', async () => {
  const connection = await rawDatabase({ databaseName: database.dbName });
  try {
    const directoryUrl = 'https://ca.example/dir';
    const keyRing = createKeyRing([{ id: 'lost', secret: Buffer.alloc(32, 2) }]);
    await connection.collection<{ _id: string; key: Sealed }>('acmeAccounts').insertOne({
      _id: directoryUrl,
      key: keyRing.seal(Buffer.from('a key'), `acme-account/${directoryUrl}`),
    });
    const { of } = await examine({ KEY_ENCRYPTION_KEYS: `1:${KEY}` });
    expect(of('KEY_ENCRYPTION_KEYS')).toEqual([
      expect.objectContaining({ verdict: 'fault', finding: expect.stringContaining('lost') as string }),
    ]);
    const [lost, fresh] = [2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    const [first, second] = [`lost:${lost ?? ''}`, `new:${fresh ?? ''}`];
    const findingsWith = async (keys: string) =>
      (await examine({ KEY_ENCRYPTION_KEYS: keys })).of('KEY_ENCRYPTION_KEYS');
    expect(await findingsWith(`lost:${fresh ?? ''}`)).toEqual([
      expect.objectContaining({
        verdict: 'fault',
        finding: '"lost" is another key than the one of that id that encrypted what is stored',
      }),
    ]);
    expect(await findingsWith(first)).toEqual([
      expect.objectContaining({ verdict: 'ok', finding: 'open everything that is stored' }),
    ]);
    expect(await findingsWith(`${first},${second}`)).toEqual([
      expect.objectContaining({
        verdict: 'ok',
        finding: expect.stringContaining('; nothing is encrypted with "new": ') as string,
      }),
    ]);
    expect(await findingsWith(`${second},${first}`)).toEqual([
      expect.objectContaining({
        verdict: 'warning',
        finding: '"new" is first and encrypts new private keys; the stored ones are encrypted with "lost"',
        remedy: expect.stringContaining('Every other gateway must already list "new".') as string,
      }),
    ]);
  } finally {
    await connection.collection('acmeAccounts').deleteMany({});
    await connection.close();
  }
});

test('reports a port in use, a public host without HTTPS, and a missing certificate authority', async () => {
  const other = createServer((_req, res) => res.end('hello')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const unreachable = {
    PUBLIC_URL: 'https://localhost',
    PLATFORM_HOST: 'pets.localhost',
    KEY_ENCRYPTION_KEYS: `1:${KEY}`,
    ACME_DIRECTORY_URL: 'https://127.0.0.1:1/dir',
  };
  try {
    expect((await examine({ PORT: String(port) })).of('PORT')).toEqual([
      expect.objectContaining({
        verdict: 'fault',
        finding: `another program listens at http://127.0.0.1:${port}`,
      }),
    ]);
  } finally {
    other.close();
  }
  expect((await examine({ HOST: '0.0.0.0' })).of('HOST')).toEqual([
    expect.objectContaining({ verdict: 'warning' }),
  ]);
  expect((await examine(unreachable)).of('ACME_DIRECTORY_URL')).toEqual([
    expect.objectContaining({ verdict: 'fault' }),
  ]);
});

test('reports a platform certificate that cannot be read', async () => {
  const [certFile, keyFile] = [join(folder(), 'cert.pem'), join(folder(), 'key.pem')];
  await writeFile(certFile, 'no certificate');
  await writeFile(keyFile, 'no key');
  const { of } = await examine({
    PUBLIC_URL: 'https://localhost',
    PLATFORM_HOST: 'pets.localhost',
    PLATFORM_TLS_CERT_FILE: certFile,
    PLATFORM_TLS_KEY_FILE: keyFile,
  });
  expect(of('PLATFORM_TLS_CERT_FILE')).toEqual([expect.objectContaining({ verdict: 'fault' })]);
});

test('a list of operations: reports everything that would stop a start, and a list that nothing requires', async () => {
  const file = join(folder(), 'operations.json');
  const check = async (list: string, required = 'browser') => {
    await writeFile(file, list);
    const { code, of } = await examine({
      GRAPHQL_OPERATIONS_FILE: list === '' ? '' : file,
      GRAPHQL_OPERATIONS_REQUIRED: required,
    });
    return {
      code,
      findings: of('GRAPHQL_OPERATIONS_FILE').map(({ verdict, finding }) => [verdict, finding]),
    };
  };
  expect(await check('{"a": "{ pets { id } }", "b": "{ plans { id } }"}')).toEqual({
    code: 0,
    findings: [['ok', `${file} lists 2 operations that are valid`]],
  });
  expect(await check('{"a": "{ nothing }", "b": "{"}')).toEqual({
    code: 1,
    findings: [
      ['fault', expect.stringContaining(`${file}: a: Cannot query field "nothing" on type "Query".`)],
      ['fault', expect.stringContaining(`${file}: b: Syntax Error: Expected Name, found <EOF>.`)],
    ],
  });
  expect(await check('', 'all')).toEqual({
    code: 0,
    findings: [['warning', expect.stringContaining('GRAPHQL_OPERATIONS_REQUIRED=all has no effect')]],
  });
});

test('a collector that accepts traces, one that does not, and none', async () => {
  const receiver = await startOtlpReceiver();
  try {
    const outputs = await Promise.all(
      [`${receiver.url}/v1/traces`, `${receiver.url}/elsewhere`, 'http://127.0.0.1:1/v1/traces'].map((url) =>
        examineApart({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url }),
      ),
    );
    expect(outputs).toEqual([
      { code: 0, output: expect.stringMatching(/^✓ traces: the collector takes them$/m) as string },
      {
        code: 0,
        output: expect.stringMatching(/^! traces: the collector does not take them: .*404/m) as string,
      },
      { code: 0, output: expect.stringMatching(/^! traces: .*ECONNREFUSED 127\.0\.0\.1:1/m) as string },
    ]);
    expect(receiver.headers()).toHaveLength(1);
    expect(receiver.spans()).toEqual([]);
  } finally {
    await receiver.close();
  }
});

test('names that are all but a setting, and those in .env that are none', async () => {
  await writeFile(join(folder(), '.env'), 'KEY_CACHE_TTL=5\nPORT=1\n');
  const mistyped = { GRAPHQL_OPERATION_FILE: '/etc/pets/operations.json', LOGLEVEL: 'warn' };
  expect(await examineApart(mistyped)).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^! settings: GRAPHQL_OPERATION_FILE is not a setting$[^]*^! settings: LOGLEVEL is not a setting$[^]*^! settings: KEY_CACHE_TTL in \.env is not a setting/m,
    ) as string,
  });
});

test('a mistyped setting in .env stops every command, with the setting that is meant', async () => {
  await writeFile(join(folder(), '.env'), 'MONGODB_URL=mongodb://127.0.0.1/pets\n');
  expect(await examineApart({ MONGODB_URI: '' })).toEqual({
    code: 2,
    output: expect.stringContaining(
      '- MONGODB_URL in .env is not a setting. Did you mean MONGODB_URI?',
    ) as string,
  });
});

/** In a process of its own, as OpenTelemetry's SDK and `.env` need it. */
function examineApart(env: Record<string, string>) {
  return runProgram(process.execPath, [join(__dirname, '../../bin/pets-gateway.js'), 'doctor'], {
    cwd: folder(),
    env: { MONGODB_URI: database.uri, PORT: '1', ...env },
  });
}
