import { askGraphQL, dataOf } from '../../../interfaces/graphql/client.js';
import { useStarted } from '../../../support/gateway.js';
import { rawDatabase } from '../../../support/raw-database.js';
import { domainsClient, markServed, newShop, startDomainsGateway } from './graphql-client.js';

const gateway = useStarted(startDomainsGateway);
let raw: Awaited<ReturnType<typeof rawDatabase>>;
beforeAll(async () => {
  raw = await rawDatabase(gateway);
});
afterAll(() => raw.close());

test('an owner cannot distinguish another project’s domain from a missing one', async () => {
  const [own, foreign] = [await newShop(gateway), await newShop(gateway)];
  const { id } = await foreign.add('foreign.example');
  for (const mutation of ['verifyDomain', 'removeDomain'] as const) {
    const messages = [];
    for (const asked of [id, 'dom_none'])
      messages.push(
        (await own.send(mutation, { id: asked })).errors?.map(({ message, extensions }) => [
          extensions.code,
          message.replace(asked, '…'),
        ]),
      );
    expect(messages).toEqual([[['not_found', expect.any(String)]], messages[0]]);
  }
  expect([await own.domain(id), await own.domain('dom_none')]).toEqual([null, null]);
  expect((await foreign.project()).domains).toMatchObject([{ id, dnsState: 'pending' }]);
});

test('an admin can do in any project what its owner can', async () => {
  const { projectId, project } = await newShop(gateway);
  const { secret } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' });
  const admin = domainsClient(gateway, secret, projectId);
  const added = await admin.add('by-admin.example');
  expect(await admin.domain(added.id)).toEqual(added);
  await markServed(raw, added.id);
  const chosen = await admin.run('setPrimaryDomain', { projectId, domainId: added.id });
  expect(await project()).toEqual(chosen.project);
});

test('the audit log has every change and its actor, but no rejected calls', async () => {
  const { add, run, refusal, projectId, keyId, secret, host } = await newShop(gateway);
  const [a, b] = [await add('a.audit.example'), await add('b.audit.example')];
  await run('verifyDomain', { id: a.id });
  for (const { id } of [a, b]) await markServed(raw, id);
  await run('setPrimaryDomain', { projectId, domainId: a.id });
  await run('setPrimaryDomain', { projectId, domainId: a.id });
  await run('setRedirect', { projectId, from: b.name, to: a.name });
  await run('setRedirect', { projectId, from: host, to: a.name, status: 302 });
  await run('removeRedirect', { projectId, from: host });
  await refusal('setRedirect', { projectId, from: a.name, to: b.name });
  await run('removeDomain', { id: a.id });

  interface Entry {
    action: string;
    actorKeyId: string;
    changes: { property: string; before: string | null; after: string | null }[];
  }
  const { auditLog } = await dataOf(
    askGraphQL<{ auditLog: { edges: { node: Entry }[] } }>(
      gateway,
      secret,
      '{ auditLog(first: 100) { edges { node { action actorKeyId changes { property before after } } } } }',
    ),
  );
  const own = auditLog.edges.map(({ node }) => node).filter(({ actorKeyId }) => actorKeyId === keyId);
  const listed = own
    .reverse()
    .map(({ action, changes }) => [
      action,
      ...changes.map(({ property, before, after }) => `${property}: ${before} > ${after}`),
    ]);
  const redirect = `${b.name} → ${a.name} 301`;
  const both = `${redirect}, ${host} → ${a.name} 302`;
  expect(listed).toEqual([
    ['domain.add', `domain: null > ${a.name}`],
    ['domain.add', `domain: null > ${b.name}`],
    ['domain.verify', `domain: null > ${a.name}`],
    ['domain.setPrimary', `primaryDomain: null > ${a.name}`],
    ['redirect.set', `redirects: null > ${redirect}`],
    ['redirect.set', `redirects: ${redirect} > ${both}`],
    ['redirect.remove', `redirects: ${both} > ${redirect}`],
    [
      'domain.remove',
      `domain: ${a.name} > null`,
      `primaryDomain: ${a.name} > null`,
      `redirects: ${redirect} > null`,
    ],
  ]);
});
