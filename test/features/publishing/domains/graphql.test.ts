import { NO_CERTIFICATE, statusOf } from '../../../../src/features/publishing/domains/domain.js';
import { DAY_MS } from '../../../../src/lib/clock.js';
import { askGraphQL, codesOf, dataOf } from '../../../interfaces/graphql/client.js';
import { startGateway, useStarted } from '../../../support/gateway.js';
import { rawDatabase } from '../../../support/raw-database.js';
import { AMPLE } from '../../../support/rest-client.js';
import { domainsClient, markServed, newShop, startDomainsGateway } from './graphql-client.js';

const gateway = useStarted(startDomainsGateway);
let raw: Awaited<ReturnType<typeof rawDatabase>>;
beforeAll(async () => {
  raw = await rawDatabase(gateway);
});
afterAll(() => raw.close());

test('during the grace period after a downgrade, a domain is active and says until when it is served', async () => {
  const { add, domain, projectId } = await newShop(gateway, { plan: 'pro' });
  const { id } = await add('shop.paws-grace.example');
  await markServed(raw, id);
  expect(await domain(id)).toMatchObject({ status: 'active', servedUntil: null, problem: null });
  const change = gateway.services.administration({ role: 'command line' });
  await change.changePlan(projectId, 'free');
  const { domainsLapsedAt } = await gateway.services.projects.get(projectId);
  const end = new Date((domainsLapsedAt?.getTime() ?? 0) + 7 * DAY_MS);
  const lapsing = await domain(id);
  expect(lapsing).toMatchObject({
    status: 'active',
    servedUntil: end.toISOString(),
    problem: { code: 'plan_required' },
  });
  expect(lapsing?.problem?.message).toContain(`until ${end.toISOString().slice(0, 10)}`);
  await change.changePlan(projectId, 'pro');
  expect(await domain(id)).toMatchObject({ servedUntil: null, problem: null });
});

describe('adding a domain shows the DNS records to add', () => {
  test('a subdomain: CNAME with the subdomain label, the platform host and TTL 3600', async () => {
    const { add, domain, project, host } = await newShop(gateway);
    const added = await add('Shop.Paws-one.example.');
    expect(added).toMatchObject({
      name: 'shop.paws-one.example',
      unicodeName: 'shop.paws-one.example',
      isApex: false,
      status: 'pending',
      dnsState: 'pending',
      certificateState: 'none',
      isPrimary: false,
      verifiedAt: null,
      certificateExpiresAt: null,
      servedUntil: null,
      problem: null,
      records: [{ type: 'CNAME', name: 'shop', fullName: 'shop.paws-one.example', value: host, ttl: 3600 }],
    });
    expect(await domain(added.id)).toEqual(added);
    expect(await project()).toMatchObject({ primaryDomain: host, domains: [added], redirects: [] });
  });

  test('an apex domain: ALIAS', async () => {
    const { add, host } = await newShop(gateway);
    const { isApex, records } = await add('paws-two.example');
    expect({ isApex, records }).toEqual({
      isApex: true,
      records: [{ type: 'ALIAS', name: '@', fullName: 'paws-two.example', value: host, ttl: 3600 }],
    });
  });

  test('a domain that another project holds or held: TXT as well, to prove ownership', async () => {
    const [before, now] = [await newShop(gateway), await newShop(gateway)];
    const held = { name: 'shop.paws-held.example', registrable: 'paws-held.example' };
    await raw
      .collection<{ _id: string; name: string; registrable: string; projectId: string }>('domainHoldings')
      .insertOne({ _id: `${held.name} ${before.projectId}`, ...held, projectId: before.projectId });
    const { records } = await now.add(held.name);
    expect(records).toMatchObject([
      { type: 'CNAME', name: 'shop', value: now.host },
      {
        type: 'TXT',
        name: '_pets-gateway.shop',
        fullName: '_pets-gateway.shop.paws-held.example',
        value: expect.stringMatching(/^pets-gateway=\w{32}$/) as string,
        ttl: 3600,
      },
    ]);
    expect((await before.add(held.name)).records).toHaveLength(1);
  });

  test('unicode is shown, ASCII is stored', async () => {
    const { add } = await newShop(gateway);
    expect(await add('bücher.example')).toMatchObject({
      name: 'xn--bcher-kva.example',
      unicodeName: 'bücher.example',
    });
  });

  test('several, oldest first', async () => {
    const { add, project } = await newShop(gateway);
    const names = ['b.paws-three.example', 'a.paws-three.example', 'paws-three.example'];
    for (const name of names) await add(name);
    expect((await project()).domains.map(({ name }) => name)).toEqual(names);
  });
});

describe('a domain needs', () => {
  test('a paid plan: plan_required on Free, and none is added', async () => {
    const { refusal, projectId, project } = await newShop(gateway, { plan: 'free' });
    expect(await refusal('addDomain', { projectId, name: 'shop.free.example' })).toEqual(['plan_required']);
    expect((await project()).domains).toEqual([]);
  });

  test('Pro is enough', async () => {
    const { add } = await newShop(gateway, { plan: 'pro' });
    expect(await add('shop.pro.example')).toMatchObject({ status: 'pending' });
  });

  test('a successful deploy: precondition_failed', async () => {
    const { refusal, projectId } = await newShop(gateway, { deployed: false });
    const input = { projectId, name: 'shop.early.example' };
    expect(await refusal('addDomain', input)).toEqual(['precondition_failed']);
  });

  test.each([
    '',
    'localhost',
    'co.uk',
    '192.0.2.1',
    '*.example.com',
    'https://shop.example.com/x',
    'shop.example.com:80',
    'shop.example.com/x',
    'paws.pets.test',
  ])('a valid name, unlike %j: invalid_request that names the field', async (name) => {
    const { send, projectId } = await newShop(gateway);
    const { errors } = await send('addDomain', { projectId, name });
    expect(errors).toMatchObject([
      { extensions: { code: 'invalid_request', details: { fields: [{ field: 'input.name' }] } } },
    ]);
  });

  test('a project: not_found for an admin', async () => {
    const { secret } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' });
    const { refusal } = domainsClient(gateway, secret, 'proj_none');
    const input = { projectId: 'proj_none', name: 'shop.example' };
    expect(await refusal('addDomain', input)).toEqual(['not_found']);
  });

  test('a name that is new to its project, in any spelling: conflict', async () => {
    const { add, refusal, projectId, project } = await newShop(gateway);
    await add('bücher.paws-four.example');
    const input = { projectId, name: 'XN--BCHER-KVA.Paws-four.example.' };
    expect(await refusal('addDomain', input)).toEqual(['conflict']);
    expect((await project()).domains).toHaveLength(1);
  });

  test('one of the 50 slots of its project, however many are added at once', async () => {
    const { add, refusal, project, projectId } = await newShop(gateway);
    for (let i = 0; i < 47; i++) await add(`shop-${i}.many.example`);
    const refusals = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        refusal('addDomain', { projectId, name: `late-${i}.many.example` }),
      ),
    );
    expect(refusals.flat()).toEqual(Array<string>(3).fill('invalid_request'));
    expect((await project()).domains).toHaveLength(50);
  });
});

test('the same name added 20 times at once is there once', async () => {
  const { send, projectId, project } = await newShop(gateway);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => send('addDomain', { projectId, name: 'shop.race.example' })),
  );
  const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'ok');
  expect(codes.filter((code) => code === 'ok').length).toBeLessThanOrEqual(1);
  // Those that go on colliding for seconds, as on a busy machine, get a 503 and must retry.
  expect(codes.filter((code) => !['ok', 'conflict', 'service_unavailable'].includes(code))).toEqual([]);
  expect((await project()).domains).toHaveLength(1);
});

test('two projects can add the same name: verification decides who gets it', async () => {
  const [one, two] = [await newShop(gateway), await newShop(gateway)];
  await one.add('shop.contested.example');
  expect(await two.add('shop.contested.example')).toMatchObject({ status: 'pending' });
});

describe('verify', () => {
  test('requests a DNS check', async () => {
    const { add, run } = await newShop(gateway);
    const { id } = await add('shop.verify.example');
    const { domain } = await run('verifyDomain', { id });
    expect(domain).toMatchObject({ id, status: 'verifying', dnsState: 'verifying' });
  });

  test('needs a paid plan as well: plan_required after a downgrade; the domain is kept', async () => {
    const { add, refusal, projectId, project } = await newShop(gateway, { plan: 'pro' });
    const { id } = await add('shop.downgrade.example');
    await gateway.services.administration({ role: 'command line' }).changePlan(projectId, 'free');
    expect(await refusal('verifyDomain', { id })).toEqual(['plan_required']);
    expect((await project()).domains).toMatchObject([{ id, dnsState: 'pending' }]);
  });
});

test('a problem reports what is wrong, what was expected and found, and the next check', async () => {
  const { add, domain } = await newShop(gateway);
  const { id } = await add('shop.problem.example');
  const problem = {
    code: 'cname_mismatch',
    message: 'Change it.',
    expected: 'right.example',
    found: 'wrong.example',
    at: new Date('2026-01-01T00:00:00Z'),
    retryAt: new Date('2100-01-01T00:00:00Z'),
  };
  const domains = raw.collection<{ _id: string }>('domains');
  await domains.updateOne(
    { _id: id },
    { $set: { problem, 'dns.state': 'failed', status: 'action_required' } },
  );
  expect(await domain(id)).toMatchObject({
    status: 'action_required',
    dnsState: 'failed',
    problem: { ...problem, at: problem.at.toISOString(), retryAt: problem.retryAt.toISOString() },
  });
});

test('reports a domain without a certificate for 30 minutes as overdue', async () => {
  const { add, domain } = await newShop(gateway);
  const { id } = await add('shop.overdue.example');
  const verifiedAt = new Date(Date.now() - 31 * 60_000);
  const dns = { state: 'verified', verifiedAt, failures: 0 } as const;
  const status = statusOf({ dns, certificate: NO_CERTIFICATE }, verifiedAt.getTime());
  await raw
    .collection<{ _id: string }>('domains')
    .updateOne({ _id: id }, { $set: { dns, holds: true, ...status } });
  expect(await domain(id)).toMatchObject({
    status: 'action_required',
    dnsState: 'verified',
    problem: { code: 'ssl_overdue' },
  });
});

test('the domains of a page of projects count as nodes', async () => {
  const { secret } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' });
  const ask = (first: number) =>
    codesOf(
      askGraphQL(
        gateway,
        secret,
        `{ projects(first: ${first}) { edges { node { domains { id } redirects { from } } } } }`,
      ),
    );
  expect(await ask(20)).toEqual([]);
  expect(await ask(100)).toEqual(['query_too_costly']);
});

test('without PLATFORM_HOST a project has no domains, and changes are precondition_failed, which names the setting', async () => {
  const plain = await startGateway();
  try {
    const { secret, apiKey } = await plain.keyOn('enterprise', AMPLE, { role: 'owner' });
    const { projectId = '' } = apiKey;
    const { send } = domainsClient(plain, secret, projectId);
    const answers = [
      await send('addDomain', { projectId, name: 'shop.example.com' }),
      await send('verifyDomain', { id: 'dom_none' }),
      await send('setPrimaryDomain', { projectId, domainId: null }),
      await send('removeRedirect', { projectId, from: 'shop.example.com' }),
      await askGraphQL(plain, secret, '{ domain(id: "dom_none") { id } }'),
    ];
    for (const { errors } of answers)
      expect(errors).toMatchObject([
        {
          message: expect.stringContaining('PLATFORM_HOST') as string,
          extensions: { code: 'precondition_failed' },
        },
      ]);
    const query = `query ($id: ID!) { project(id: $id) { slug primaryDomain site { host } domains { id } redirects { to } } }`;
    const { project } = await dataOf(
      askGraphQL<{ project: unknown }>(plain, secret, query, { id: projectId }),
    );
    const slug = expect.any(String) as string;
    expect(project).toEqual({ slug, primaryDomain: null, site: null, domains: [], redirects: [] });
  } finally {
    await plain.close();
  }
});

describe('adding a domain with its counterpart', () => {
  test.each([
    ['paws-pair.example', 'www.paws-pair.example'],
    ['www.paws-pair-two.example', 'paws-pair-two.example'],
    ['shop.paws-pair-three.example', 'www.shop.paws-pair-three.example'],
  ])('%s adds %s too, with a redirect to the first', async (name, other) => {
    const { projectId, run, project } = await newShop(gateway);
    const { domain, counterpart } = await run('addDomain', { projectId, name, withCounterpart: true });
    expect([domain.name, counterpart?.name]).toEqual([name, other]);
    expect(await project()).toMatchObject({
      domains: [domain, counterpart],
      redirects: [{ from: other, to: name, status: 301 }],
    });
  });

  test('adds both or none', async () => {
    const { projectId, add, refusal, project } = await newShop(gateway);
    const existing = await add('www.paws-half.example');
    const input = { projectId, name: 'paws-half.example', withCounterpart: true };
    expect(await refusal('addDomain', input)).toEqual(['conflict']);
    expect(await project()).toMatchObject({ domains: [existing], redirects: [] });
  });

  test('without the option, there is none', async () => {
    const { projectId, run } = await newShop(gateway);
    const name = 'paws-alone.example';
    expect((await run('addDomain', { projectId, name })).counterpart).toBeNull();
    const other = { projectId, name: 'paws-alone-too.example', withCounterpart: null };
    expect((await run('addDomain', other)).counterpart).toBeNull();
  });
});
