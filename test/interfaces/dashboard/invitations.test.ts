import { inspect } from 'node:util';
import { freezeDate, moveDateBy, releaseDate } from '../../support/fake-date.js';
import { startGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { askGraphQL, codesOf, dataOf } from '../graphql/client.js';
import { bodyOf, dashboardClient, messageOf, refusalOf, type SessionBody } from './client.js';

/** An owner invites a person by a link. Two nodes, as behind a proxy. */
let here: Awaited<ReturnType<typeof startGateway>>;
let there: Awaited<ReturnType<typeof startGateway>>;
let nodes: ReturnType<typeof dashboardClient>[];
beforeAll(async () => {
  // The proxy of the test says who asks: failed attempts count for a minute.
  const env = { TRUST_PROXY: 'loopback', ADMIN_API_KEY: 'configured-admin-key-of-this-test' };
  here = await startGateway({ env });
  there = await startGateway({ env, beside: here });
  nodes = [here, there].map((node) => dashboardClient(node, { host: 'localhost' }));
});
afterAll(async () => {
  await there.close();
  await here.close();
});
afterEach(releaseDate);

const OVER = [401, 'invalid_api_key'];
const OVER_MESSAGE =
  'This invitation was used already, was replaced by a newer one, or has expired. Ask the owner of the project for a new one.';
const DAY_MS = 86_400_000;

const newOwner = () => here.keyOn('business', undefined, { name: 'Owner', role: 'owner' });

interface Payload {
  apiKey: { id: string; name: string; role: string; state: string; invitedUntil: string | null };
  path: string;
  expiresAt: string;
}
const FIELDS = '{ apiKey { id name role state invitedUntil } path expiresAt }';

async function invite(key: string, name = 'Maria', node = here): Promise<Payload> {
  const query = `mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) ${FIELDS} }`;
  const answer = askGraphQL<{ createInvitation: Payload }>(node, key, query, { input: { name } });
  return (await dataOf(answer)).createInvitation;
}
async function renew(key: string, apiKeyId: string): Promise<Payload> {
  const query = `mutation ($input: RenewInvitationInput!) { renewInvitation(input: $input) ${FIELDS} }`;
  const answer = askGraphQL<{ renewInvitation: Payload }>(here, key, query, { input: { apiKeyId } });
  return (await dataOf(answer)).renewInvitation;
}
const revoke = (key: string, id: string) =>
  dataOf(askGraphQL(here, key, `mutation { revokeApiKey(input: { id: "${id}" }) { apiKey { state } } }`));
const invitationOf = ({ path }: Payload) =>
  /^\/dashboard#invitation=(key_\w{16}\.[\w-]{43})$/.exec(path)?.[1] ?? 'no invitation';

let lastClient = 0;
function post(path: string, body: unknown, { node = 0, from = '', headers = {} } = {}) {
  const client = nodes[node];
  if (client === undefined) throw new Error('no such node');
  const all = {
    'x-forwarded-for': from || `198.51.100.${++lastClient}`,
    origin: client.origin,
    'content-type': 'application/json',
    ...headers,
  };
  return client.send('POST', path, all, JSON.stringify(body));
}
const look = (invitation: unknown, node = 0) => post('/dashboard/invitation', { invitation }, { node });
const accept = (invitation: unknown, node = 0) => post('/dashboard/session', { invitation }, { node });

/** A person who has accepted: the key, and the session of the browser at a node. */
async function person(ownerKey: string, name = 'Maria') {
  const invited = await invite(ownerKey, name);
  const answer = await accept(invitationOf(invited));
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  const session = JSON.parse(answer.text) as SessionBody & { apiKey: string };
  const cookie = answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
  return {
    id: invited.apiKey.id,
    session,
    graphql: (query: string, node = 0) =>
      post('/graphql', { query }, { node, headers: { cookie, 'x-csrf-token': session.csrfToken } }),
    who: (node = 0) => nodes[node]?.send('GET', '/dashboard/session', { cookie }),
  };
}

test('an owner invites; the person sees the name and the project, accepts, and works under this name', async () => {
  freezeDate();
  const { secret, apiKey } = await newOwner();
  const invited = await invite(secret, 'Maria Ruiz');
  const until = new Date(Date.now() + 7 * DAY_MS).toISOString();
  expect(invited).toMatchObject({
    apiKey: { name: 'Maria Ruiz', role: 'staff', state: 'active', invitedUntil: until },
    expiresAt: until,
  });
  const shown = await look(invitationOf(invited));
  expect([shown.status, JSON.parse(shown.text)]).toEqual([
    200,
    { name: 'Maria Ruiz', projectName: 'business project', expiresAt: until },
  ]);
  expect(shown.headers['set-cookie']).toBeUndefined();
  expect(shown.headers['cache-control']).toBe('no-store');

  const answer = await accept(invitationOf(invited), 1);
  expect(answer.headers['cache-control']).toBe('no-store');
  const session = JSON.parse(answer.text) as SessionBody & { apiKey: string };
  expect([answer.status, session]).toEqual([
    201,
    expect.objectContaining({
      role: 'staff',
      keyId: invited.apiKey.id,
      keyName: 'Maria Ruiz',
      projectId: apiKey.projectId,
      apiKey: expect.stringMatching(/^pets_live_\w{38}$/) as string,
    }),
  ]);
  // Later: with the personal key, at any gateway.
  const again = await nodes[0]?.signIn(session.apiKey, { 'x-forwarded-for': '198.51.100.250' });
  const later = JSON.parse(again?.text ?? '') as SessionBody;
  expect([again?.status, later]).toEqual([201, expect.objectContaining({ keyId: invited.apiKey.id })]);
  expect(later).not.toHaveProperty('apiKey');
});

test('to look at an invitation, however often and by whatever GET, does not use it up', async () => {
  const { secret } = await newOwner();
  const invited = await invite(secret);
  for (let i = 0; i < 3; i++) expect((await look(invitationOf(invited), i % 2)).status).toBe(200);
  for (const path of ['/dashboard', '/dashboard/invitation', '/dashboard/session'])
    await nodes[0]?.send('GET', path);
  expect((await accept(invitationOf(invited))).status).toBe(201);
});

test('of many browsers that accept at the same moment, at two nodes, one gets the key', async () => {
  const { secret } = await newOwner();
  const text = invitationOf(await invite(secret));
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => accept(text, i % 2)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const others = answers.filter(({ status }) => status !== 201);
  expect(others.map(refusalOf)).toEqual(Array.from({ length: 19 }, () => OVER));
  const [won] = answers.filter(({ status }) => status === 201);
  const { apiKey } = JSON.parse(won?.text ?? '') as { apiKey: string };
  expect((await here.request('/v1/pets', { key: apiKey })).status).toBe(200);
});

test('an invitation ends when it is used, after seven days, when it is renewed, and with its key', async () => {
  const { secret } = await newOwner();
  const used = await invite(secret, 'Used');
  await accept(invitationOf(used));
  freezeDate();
  const early = await invite(secret, 'Early');
  const late = await invite(secret, 'Late');
  const replaced = await invite(secret, 'Replaced');
  const renewed = await renew(secret, replaced.apiKey.id);
  const revoked = await invite(secret, 'Revoked');
  await revoke(secret, revoked.apiKey.id);
  expect((await accept(invitationOf(renewed))).status).toBe(201);
  moveDateBy(7 * DAY_MS - 1);
  expect((await accept(invitationOf(early))).status).toBe(201);
  moveDateBy(1);
  for (const over of [used, late, replaced, revoked]) {
    const answers = [await look(invitationOf(over)), await accept(invitationOf(over))];
    expect(answers.map(refusalOf)).toEqual([OVER, OVER]);
    expect(answers.map(messageOf)).toEqual([OVER_MESSAGE, OVER_MESSAGE]);
    expect(answers.flatMap(({ headers }) => headers['set-cookie'] ?? [])).toEqual([]);
  }
});

test('an invitation of a disabled person is rejected, and works again once the person is enabled', async () => {
  const { secret } = await newOwner();
  const invited = await invite(secret);
  const set = (action: 'disable' | 'enable') =>
    dataOf(
      askGraphQL(
        here,
        secret,
        `mutation { ${action}ApiKey(input: { id: "${invited.apiKey.id}" }) { apiKey { state } } }`,
      ),
    );
  await set('disable');
  for (const node of [0, 1]) {
    expect(refusalOf(await look(invitationOf(invited), node))).toEqual(OVER);
    expect(refusalOf(await accept(invitationOf(invited), node))).toEqual(OVER);
  }
  await set('enable');
  expect((await accept(invitationOf(invited), 1)).status).toBe(201);
});

test('an invitation of an expired key can neither be looked at nor accepted, and a new link needs a later expiry', async () => {
  freezeDate();
  const { secret } = await newOwner();
  const invited = await invite(secret);
  const { id } = invited.apiKey;
  const expiresAt = new Date(Date.now() + 1000).toISOString();
  await dataOf(
    askGraphQL(
      here,
      secret,
      `mutation { updateApiKey(input: { id: "${id}", expiresAt: "${expiresAt}" }) { apiKey { id } } }`,
    ),
  );
  moveDateBy(1000);
  const answers = [await look(invitationOf(invited)), await accept(invitationOf(invited))];
  expect(answers.map(refusalOf)).toEqual([OVER, OVER]);
  const renewal = `mutation { renewInvitation(input: { apiKeyId: "${id}" }) { path } }`;
  const message = (await askGraphQL(here, secret, renewal)).errors?.[0]?.message;
  expect(message).toContain(`${id} expired on ${expiresAt}`);
  expect(message).toContain('then create the link.');
});

test('an invitation ends with its project', async () => {
  const { secret, apiKey } = await newOwner();
  const invited = await invite(secret);
  const { projectId = '' } = apiKey;
  const change = here.services.administration({ role: 'command line' });
  await change.deleteProject(projectId, 'business project');
  expect(refusalOf(await look(invitationOf(invited), 1))).toEqual(OVER);
  expect(refusalOf(await accept(invitationOf(invited), 1))).toEqual(OVER);
});

test.each([
  ['a made-up token', 'key_0123456789abcdef.' + 'A'.repeat(43), [401, 'invalid_api_key']],
  ['nonsense', 'nonsense', [401, 'invalid_api_key']],
  ['a number', 5, [400, 'invalid_request']],
  ['nothing', undefined, [400, 'invalid_request']],
])('%s is no invitation', async (_what, text, refusal) => {
  expect(refusalOf(await look(text))).toEqual(refusal);
  expect(refusalOf(await accept(text))).toEqual(refusal);
});

test('the id of the key with another token is no invitation, and leaves the right one open', async () => {
  const { secret } = await newOwner();
  const text = invitationOf(await invite(secret));
  const other = invitationOf(await invite(secret, 'Omar'));
  const mixed = `${text.split('.')[0] ?? ''}.${other.split('.')[1] ?? ''}`;
  expect(refusalOf(await accept(mixed))).toEqual(OVER);
  expect((await accept(text)).status).toBe(201);
});

test('a page of another origin can neither look nor accept, and the invitation stays open', async () => {
  const { secret } = await newOwner();
  const invitation = invitationOf(await invite(secret));
  const headers = { origin: 'https://elsewhere.example' };
  for (const path of ['/dashboard/invitation', '/dashboard/session'])
    expect(refusalOf(await post(path, { invitation }, { headers }))).toEqual([403, 'forbidden']);
  expect((await accept(invitation)).status).toBe(201);
});

test('guesses count as failed sign-ins: after ten within a minute, none is checked, not even a valid one', async () => {
  freezeDate();
  const { secret } = await newOwner();
  const invitation = invitationOf(await invite(secret));
  const from = '203.0.113.7';
  for (let i = 0; i < 10; i++) {
    const path = i % 2 === 0 ? '/dashboard/invitation' : '/dashboard/session';
    expect(refusalOf(await post(path, { invitation: 'nonsense' }, { from }))).toEqual(OVER);
  }
  for (const path of ['/dashboard/invitation', '/dashboard/session'])
    expect(refusalOf(await post(path, { invitation }, { from }))).toEqual([429, 'rate_limit_exceeded']);
  expect((await accept(invitation)).status).toBe(201);
});

describe('the access of a person', () => {
  const READ = '{ petsConnection { totalCount } }';

  test('ends at once at the node that revokes, and elsewhere as quickly as with any key', async () => {
    const { secret } = await newOwner();
    const maria = await person(secret);
    const omar = await person(secret, 'Omar');
    for (const node of [0, 1]) expect((await maria.graphql(READ, node)).status).toBe(200);
    await revoke(secret, maria.id);
    expect(refusalOf(await maria.graphql(READ))).toEqual(OVER);
    // The change stream of the other node, half a second at most while it works.
    const deadline = Date.now() + 5000;
    let last = 200;
    while (last === 200 && Date.now() < deadline) last = (await maria.graphql(READ, 1)).status;
    expect(last).toBe(401);
    expect((await maria.who(1))?.status).toBe(401);
    expect((await here.request('/v1/pets', { key: maria.session.apiKey })).status).toBe(401);
    expect((await omar.graphql(READ, 1)).status).toBe(200);
  });

  test('a new link ends the old key and its sessions at once, and the person keeps the name and the history', async () => {
    const { secret } = await newOwner();
    const maria = await person(secret);
    const invited = await renew(secret, maria.id);
    expect(invited.apiKey).toMatchObject({ id: maria.id, name: 'Maria', state: 'active' });
    expect(refusalOf(await maria.graphql(READ))).toEqual(OVER);
    expect((await maria.who())?.status).toBe(401);
    expect((await here.request('/v1/pets', { key: maria.session.apiKey })).status).toBe(401);
    const answer = await accept(invitationOf(invited));
    const session = JSON.parse(answer.text) as SessionBody & { apiKey: string };
    expect([answer.status, session.keyId]).toEqual([201, maria.id]);
    expect(session.apiKey).not.toBe(maria.session.apiKey);
  });

  test('is the animals of the project: no keys, no people, no audit log, no site', async () => {
    const { secret } = await newOwner();
    const maria = await person(secret);
    const added = await maria.graphql(
      'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id project { id } } }',
    );
    expect(bodyOf(added).data).toMatchObject({ createPet: { project: { id: maria.session.projectId } } });
    for (const query of [
      '{ apiKeys { edges { node { id } } } }',
      'mutation { createInvitation(input: { name: "x" }) { path } }',
      `mutation { renewInvitation(input: { apiKeyId: "${maria.id}" }) { path } }`,
      `mutation { rotateApiKey(input: { id: "${maria.id}" }) { secret } }`,
      'mutation { createApiKey(input: { name: "x" }) { secret } }',
      '{ auditLog { edges { node { id } } } }',
      `mutation { createDeploy(input: { projectId: "${maria.session.projectId ?? ''}" }) { deploy { id } } }`,
    ])
      expect(refusalOf(await maria.graphql(query))[1]).toBe('forbidden');
  });

  test('is charged to the own key of the person', async () => {
    const { secret } = await newOwner();
    const maria = await person(secret);
    await maria.graphql(READ);
    await maria.graphql(READ);
    const answer = await maria.graphql('{ quota { windows { name used } } }');
    expect(bodyOf(answer).data).toMatchObject({ quota: { windows: [{ used: 2 }, { used: 2 }] } });
  });
});

test('another project sees nothing of a person, and cannot change anything', async () => {
  const [own, foreign] = [await newOwner(), await newOwner()];
  const maria = await person(own.secret);
  const { id } = maria;
  const asked = [
    `mutation { renewInvitation(input: { apiKeyId: "${id}" }) { path } }`,
    `mutation { revokeApiKey(input: { id: "${id}" }) { apiKey { id } } }`,
    `mutation { createInvitation(input: { name: "x", projectId: "${own.apiKey.projectId ?? ''}" }) { path } }`,
  ];
  for (const query of asked)
    expect(await codesOf(askGraphQL(here, foreign.secret, query))).toEqual(['not_found']);
  // And a person of another project changes none of its animals, and none of its imports.
  const rex = await maria.graphql('mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }');
  const { createPet } = bodyOf(rex).data as { createPet: { id: string } };
  const mallory = await person(foreign.secret, 'Mallory');
  const change = `mutation { updatePet(input: { id: "${createPet.id}", name: "Max" }) { pet { id } } }`;
  expect(refusalOf(await mallory.graphql(change))[1]).toBe('forbidden');
  const made = await maria.graphql('mutation { createPetsImport(input: {}) { petsImport { id } } }');
  const { createPetsImport } = bodyOf(made).data as { createPetsImport: { petsImport: { id: string } } };
  const importId = createPetsImport.petsImport.id;
  const upload = (key: string) =>
    here.request(`/imports/${importId}/file`, {
      method: 'PUT',
      key,
      body: '{"name":"Rex","categoryId":1}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    });
  expect((await upload(mallory.session.apiKey)).status).toBe(404);
  const start = `mutation { startPetsImport(input: { id: "${importId}" }) { petsImport { id } } }`;
  expect(refusalOf(await mallory.graphql(start))[1]).toBe('not_found');
  expect((await upload(maria.session.apiKey)).status).toBe(200);
});

test('a staff key is made by an invitation only, and only its person gets a secret', async () => {
  const { secret } = await newOwner();
  const maria = await person(secret);
  const message = async (query: string) => (await askGraphQL(here, secret, query)).errors?.[0]?.message;
  expect(await message('mutation { createApiKey(input: { name: "x", role: staff }) { secret } }')).toBe(
    'input.role: a staff key belongs to a person: use createInvitation, or `pets-gateway staff invite`',
  );
  expect(await message(`mutation { rotateApiKey(input: { id: "${maria.id}" }) { secret } }`)).toBe(
    `The API key ${maria.id} belongs to a person, Maria. Only this person gets its secret: create a new invitation ` +
      'instead (renewInvitation, or `pets-gateway staff link`).',
  );
  expect((await maria.who())?.status).toBe(200);
  await revoke(secret, maria.id);
  expect(
    await codesOf(
      askGraphQL(here, secret, `mutation { renewInvitation(input: { apiKeyId: "${maria.id}" }) { path } }`),
    ),
  ).toEqual(['conflict']);
});

test('an invited person counts as a key of the plan', async () => {
  const { secret } = await here.keyOn('free', undefined, { role: 'owner' });
  for (const name of ['A', 'B', 'C', 'D']) await invite(secret, name);
  const fifth = askGraphQL(here, secret, 'mutation { createInvitation(input: { name: "E" }) { path } }');
  expect(await codesOf(fifth)).toEqual(['plan_required']);
});

test('the audit log names the person in whatever the person does, and who invited', async () => {
  const { secret, apiKey } = await newOwner();
  const maria = await person(secret, 'Maria Ruiz');
  const added = await maria.graphql('mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }');
  const { createPet } = bodyOf(added).data as { createPet: { id: string } };
  const petId = createPet.id;
  await maria.graphql(`mutation { updatePet(input: { id: "${petId}", status: pending }) { pet { id } } }`);
  await maria.graphql(`mutation { deletePet(input: { id: "${petId}" }) { deletedPetId } }`);
  const query =
    '{ auditLog(first: 20) { edges { node { action actorName actorRole actorKeyId apiKeyName petId } } } }';
  interface Log {
    auditLog: { edges: { node: Record<string, string | null> }[] };
  }
  const { auditLog } = await dataOf(askGraphQL<Log>(here, secret, query));
  const records = auditLog.edges
    .map(({ node }) => node)
    .map(({ action, actorName, actorRole }) => `${action ?? ''} by ${actorName ?? ''} (${actorRole ?? ''})`);
  expect(records).toEqual([
    'pet.delete by Maria Ruiz (staff)',
    'pet.update by Maria Ruiz (staff)',
    'pet.create by Maria Ruiz (staff)',
    'session.signIn by Maria Ruiz (staff)',
    'invitation.accept by Maria Ruiz (staff)',
    'invitation.create by Owner (owner)',
  ]);
  expect(auditLog.edges.at(-1)?.node).toMatchObject({ actorKeyId: apiKey.id, apiKeyName: 'Maria Ruiz' });
});

test('the audit log names the person who changes an animal with the personal key, over REST and GraphQL', async () => {
  const { secret } = await newOwner();
  const { apiKey: key } = (await person(secret, 'Maria Ruiz')).session;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
  const added = await here.request('/v1/pets', { method: 'POST', key, headers, body });
  const { id } = (await added.json()) as { id: number };
  await dataOf(
    askGraphQL(here, key, `mutation { updatePet(input: { id: "${id}", status: sold }) { pet { id } } }`),
  );
  expect((await here.request(`/v1/pets/${id}`, { method: 'DELETE', key })).status).toBe(204);
  const query = '{ auditLog(first: 3) { edges { node { action actorName actorRole petId petName } } } }';
  interface Log {
    auditLog: { edges: { node: Record<string, string | null> }[] };
  }
  const { auditLog } = await dataOf(askGraphQL<Log>(here, secret, query));
  const ofMaria = { actorName: 'Maria Ruiz', actorRole: 'staff', petId: String(id), petName: 'Rex' };
  expect(auditLog.edges.map(({ node }) => node)).toEqual([
    { action: 'pet.delete', ...ofMaria },
    { action: 'pet.update', ...ofMaria },
    { action: 'pet.create', ...ofMaria },
  ]);
});

test('the token, and the secret of the person, are in no log and not in the database', async () => {
  const { secret } = await newOwner();
  const open = invitationOf(await invite(secret)).split('.')[1] ?? 'no token';
  const invited = await invite(secret, 'Omar');
  const used = invitationOf(invited);
  const answer = await accept(used);
  await accept(used);
  await look(used);
  const { apiKey } = JSON.parse(answer.text) as { apiKey: string };
  const raw = await rawDatabase(here);
  try {
    const stored: string[] = [];
    for (const { name } of (await raw.db?.listCollections().toArray()) ?? [])
      stored.push(
        inspect(await raw.db?.collection(name).find().toArray(), { depth: 9, maxArrayLength: null }),
      );
    const everything = [...stored, ...here.logLines, ...there.logLines].join('\n');
    expect(everything).toContain(invited.apiKey.id);
    for (const hidden of [open, used.split('.')[1] ?? 'no token', apiKey])
      expect(everything).not.toContain(hidden);
  } finally {
    await raw.close();
  }
});
