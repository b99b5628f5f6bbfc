import { runCommand, runJson } from '../support/command-line.js';
import { startGateway } from '../support/gateway.js';
import { dashboardClient, type SessionBody } from '../interfaces/dashboard/client.js';

let gateway: Awaited<ReturnType<typeof startGateway>>;
let database: { uri: string };
beforeAll(async () => {
  gateway = await startGateway();
  const uri = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  uri.pathname = `/${gateway.databaseName}`;
  database = { uri: uri.href };
});
afterAll(() => gateway.close());

const env = () => ({ PORT: new URL(gateway.url).port });
const run = (...args: string[]) => runCommand(database, args, env());
const json = <T>(...args: string[]) => runJson<T>(database, args, env());

interface Person {
  id: string;
  name: string;
  state: string;
  invitedUntil: string | null;
  link: string;
}

/** As a browser does that opens the link. */
async function accept(link: string): Promise<[number, SessionBody & { apiKey: string }]> {
  const { origin, pathname, hash } = new URL(link);
  expect([origin, pathname]).toEqual([gateway.url, '/dashboard']);
  const client = dashboardClient(gateway);
  const headers = { origin: client.origin, 'content-type': 'application/json' };
  const body = JSON.stringify({ invitation: hash.replace('#invitation=', '') });
  const answer = await client.send('POST', '/dashboard/session', headers, body);
  return [answer.status, JSON.parse(answer.text) as SessionBody & { apiKey: string }];
}

test('invites a person, lists, makes a new link and ends the access', async () => {
  const { apiKey } = await gateway.keyOn('pro', undefined, { name: 'Website' });
  const { projectId = '' } = apiKey;
  expect(await run('staff', 'list', '--project', projectId)).toEqual({
    code: 0,
    stdout: 'Nobody has been invited yet.\n',
    stderr: '',
  });
  const invited = await json<Person>('staff', 'invite', 'Maria Ruiz', '--project', projectId);
  expect(invited).toMatchObject({ name: 'Maria Ruiz', state: 'active' });
  const [status, session] = await accept(invited.link);
  expect([status, session.role, session.keyId]).toEqual([201, 'staff', invited.id]);
  expect(await json('staff', 'list', '--project', projectId)).toEqual([
    expect.objectContaining({ id: invited.id, name: 'Maria Ruiz', invitedUntil: null }),
  ]);

  const again = await run('staff', 'link', 'Maria Ruiz', '--project', projectId);
  expect([again.code, again.stderr]).toEqual([
    0,
    '\nSend the link to Maria Ruiz only. It works once, and the gateway shows it only this once.\n',
  ]);
  const link = /(http\S+)\n$/.exec(again.stdout)?.[1] ?? 'no link';
  expect((await accept(invited.link))[0]).toBe(401);
  expect((await accept(link))[0]).toBe(201);

  // Nobody can confirm here: see "keys revoke" for what a person at a terminal types.
  const asked = await run('staff', 'remove', 'Maria Ruiz', '--project', projectId);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('error: --yes: ')]);
  expect((await gateway.services.apiKeys.get(invited.id)).revokedAt).toBeUndefined();
  const removed = await json<Person>('staff', 'remove', 'Maria Ruiz', '--project', projectId, '--yes');
  expect(removed).toMatchObject({ id: invited.id, state: 'revoked' });
  expect(await run('staff', 'link', invited.id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is revoked') as string,
  });
});

test('a name is that of a person of the project, not of another project or of a program', async () => {
  const [own, other] = [await gateway.keyOn('pro'), await gateway.keyOn('pro', undefined, { name: 'Omar' })];
  const [ownId, otherId] = [own, other].map(({ apiKey }) => apiKey.projectId ?? '');
  const invited = await json<Person>('staff', 'invite', 'Omar', '--project', otherId ?? '');
  const { apiKey } = (await accept(invited.link))[1];
  for (const action of ['link', 'remove']) {
    const yes = action === 'remove' ? ['--yes'] : [];
    const args = ['staff', action, 'Omar', ...yes];
    expect(await run(...args, '--project', ownId ?? '')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no API key with the name Omar.') as string,
    });
    expect(await run(...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('choose one of the projects') as string,
    });
    expect(await run('staff', action, invited.id, ...yes, '--project', ownId ?? '')).toMatchObject({
      code: 1,
    });
  }
  expect((await gateway.request('/v1/pets', { key: apiKey })).status).toBe(200);
  const again = await json<Person>('staff', 'link', 'Omar', '--project', otherId ?? '');
  expect(again.id).toBe(invited.id);
});

test('a program is not a person', async () => {
  const { apiKey } = await gateway.keyOn('pro', undefined, { name: 'Shop backend' });
  for (const action of ['link', 'remove'])
    expect(await run('staff', action, apiKey.id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Shop backend is a key with the role server, not a person.') as string,
    });
  expect((await gateway.services.apiKeys.get(apiKey.id)).revokedAt).toBeUndefined();
  const made = await run('keys', 'create', '--role', 'staff', '--project', apiKey.projectId ?? '');
  expect([made.code, made.stderr]).toEqual([2, expect.stringContaining("argument 'staff' is invalid")]);
});
