import { rawDatabase } from '../../../support/raw-database.js';
import { markServed, newShop, startDomainsGateway } from './graphql-client.js';
import { useStarted } from '../../../support/gateway.js';

const gateway = useStarted(startDomainsGateway);
let raw: Awaited<ReturnType<typeof rawDatabase>>;
beforeAll(async () => {
  raw = await rawDatabase(gateway);
});
afterAll(() => raw.close());

let next = 0;
/** A project with so many domains that are served. */
async function servedShop(count: number) {
  const shop = await newShop(gateway);
  const registrable = `routing-${next++}.example`;
  const domains = [];
  for (const label of ['a', 'b', 'c', 'd'].slice(0, count)) {
    const { id, name } = await shop.add(`${label}.${registrable}`);
    await markServed(raw, id);
    domains.push({ id, name });
  }
  const [a, b, c, d] = domains.map(({ name }) => name);
  return { ...shop, domains, a, b, c, d };
}

describe('the primary domain', () => {
  test('is one that was chosen, and the platform host again with null', async () => {
    const { domains, run, projectId, project, host, a } = await servedShop(2);
    const chosen = await run('setPrimaryDomain', { projectId, domainId: domains[0]?.id });
    expect(chosen.project).toMatchObject({
      primaryDomain: a,
      domains: [
        { isPrimary: true, status: 'active', certificateExpiresAt: '2100-01-01T00:00:00.000Z' },
        { isPrimary: false },
      ],
    });
    expect(await project()).toEqual(chosen.project);
    const back = await run('setPrimaryDomain', { projectId, domainId: null });
    expect(back.project).toMatchObject({
      primaryDomain: host,
      domains: [{ isPrimary: false }, { isPrimary: false }],
    });
  });

  test('has to be verified: precondition_failed', async () => {
    const { add, refusal, projectId, project, host } = await newShop(gateway);
    const { id } = await add('unverified.example');
    expect(await refusal('setPrimaryDomain', { projectId, domainId: id })).toEqual(['precondition_failed']);
    expect(await project()).toMatchObject({ primaryDomain: host });
  });

  test('does not redirect elsewhere: precondition_failed, with the domain that it leads to', async () => {
    const { domains, run, send, projectId, project, host, a, b } = await servedShop(2);
    const choose = { projectId, domainId: domains[0]?.id };
    await run('setRedirect', { projectId, from: a, to: b });
    expect((await send('setPrimaryDomain', choose)).errors).toMatchObject([
      {
        message: expect.stringContaining(`${a} redirects to ${b}`) as string,
        extensions: { code: 'precondition_failed' },
      },
    ]);
    expect(await project()).toMatchObject({ primaryDomain: host });
    await run('removeRedirect', { projectId, from: a });
    expect((await run('setPrimaryDomain', choose)).project).toMatchObject({ primaryDomain: a });
  });

  test('is a domain of the project: not_found otherwise', async () => {
    const [one, other] = [await servedShop(0), await servedShop(1)];
    for (const domainId of [other.domains[0]?.id, 'dom_none'])
      expect(await one.refusal('setPrimaryDomain', { projectId: one.projectId, domainId })).toEqual([
        'not_found',
      ]);
  });

  test('20 choices at once leave exactly one', async () => {
    const { domains, send, projectId, project } = await servedShop(4);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        send('setPrimaryDomain', { projectId, domainId: domains[i % domains.length]?.id }),
      ),
    );
    // Those that go on colliding for seconds, as on a busy machine, get a 503 and must retry.
    const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'ok');
    expect(codes).toContain('ok');
    expect(codes.filter((code) => code !== 'ok' && code !== 'service_unavailable')).toEqual([]);
    const { primaryDomain, domains: after } = await project();
    expect(after.filter(({ isPrimary }) => isPrimary).map(({ name }) => name)).toEqual([primaryDomain]);
  });
});

describe('a redirect', () => {
  test('leads from one domain to another, 301 by default; another from the same domain replaces it', async () => {
    const { run, projectId, project, a, b, c } = await servedShop(3);
    const first = await run('setRedirect', { projectId, from: a, to: b });
    expect(first.project.redirects).toEqual([{ from: a, to: b, status: 301 }]);
    const second = await run('setRedirect', { projectId, from: a?.toUpperCase(), to: `${c}.`, status: 308 });
    expect(second.project.redirects).toEqual([{ from: a, to: c, status: 308 }]);
    expect((await project()).redirects).toEqual(second.project.redirects);
  });

  test('leads to and from the platform host as well', async () => {
    const { run, projectId, host, a, b } = await servedShop(2);
    await run('setRedirect', { projectId, from: host, to: a });
    const { project } = await run('setRedirect', { projectId, from: b, to: host, status: 302 });
    expect(project.redirects).toEqual([
      { from: host, to: a, status: 301 },
      { from: b, to: host, status: 302 },
    ]);
  });

  test('is removed by the domain that it is from; not_found when there is none', async () => {
    const { run, refusal, projectId, a, b } = await servedShop(2);
    await run('setRedirect', { projectId, from: a, to: b });
    const { project } = await run('removeRedirect', { projectId, from: a });
    expect(project.redirects).toEqual([]);
    expect(await refusal('removeRedirect', { projectId, from: a })).toEqual(['not_found']);
  });

  test('cannot form a loop: invalid_request, and nothing changes', async () => {
    const { run, send, projectId, project, a, b, c } = await servedShop(3);
    await run('setRedirect', { projectId, from: a, to: b });
    await run('setRedirect', { projectId, from: b, to: c });
    for (const [from, to, way] of [
      [a, a, `${a} → ${a}`],
      [c, a, `${c} → ${a} → ${b} → ${c}`],
    ])
      expect((await send('setRedirect', { projectId, from, to })).errors).toMatchObject([
        {
          message: expect.stringContaining(way ?? '') as string,
          extensions: { code: 'invalid_request', details: { fields: [{ field: 'input.to' }] } },
        },
      ]);
    expect((await project()).redirects).toHaveLength(2);
  });

  test('two concurrent redirects that would form a loop: one is rejected', async () => {
    const { send, projectId, project, a, b } = await servedShop(2);
    const answers = await Promise.all([
      send('setRedirect', { projectId, from: a, to: b }),
      send('setRedirect', { projectId, from: b, to: a }),
    ]);
    expect(answers.flatMap(({ errors = [] }) => errors)).toMatchObject([
      { extensions: { code: 'invalid_request' } },
    ]);
    expect((await project()).redirects).toHaveLength(1);
  });

  test('leads to a served domain: precondition_failed otherwise', async () => {
    const { add, refusal, projectId, a } = await servedShop(1);
    const { name } = await add('not-served.example');
    expect(await refusal('setRedirect', { projectId, from: a, to: name })).toEqual(['precondition_failed']);
    expect(await refusal('setRedirect', { projectId, from: name, to: a })).toEqual([]);
  });

  test('is between domains of the project: not_found otherwise', async () => {
    const [one, other] = [await servedShop(1), await servedShop(1)];
    const { refusal, projectId, a } = one;
    expect(await refusal('setRedirect', { projectId, from: a, to: other.a })).toEqual(['not_found']);
    expect(await refusal('setRedirect', { projectId, from: other.a, to: a })).toEqual(['not_found']);
    // What is under the platform's host is nobody's to name but its project's.
    expect(await refusal('setRedirect', { projectId, from: a, to: other.host })).toEqual(['invalid_request']);
  });

  test.each([0, 200, 300, 303, 304, 399, 1e9])('has no status %i: invalid_request', async (status) => {
    const { refusal, projectId, a, b } = await servedShop(2);
    expect(await refusal('setRedirect', { projectId, from: a, to: b, status })).toEqual(['invalid_request']);
  });
});

describe('removing a domain', () => {
  test('takes its redirects, from it and to it, and its being primary with it', async () => {
    const { domains, run, projectId, project, domain, host, a, b, c } = await servedShop(3);
    await run('setPrimaryDomain', { projectId, domainId: domains[1]?.id });
    await run('setRedirect', { projectId, from: a, to: b });
    await run('setRedirect', { projectId, from: b, to: c });
    await run('setRedirect', { projectId, from: host, to: c });

    const removed = await run('removeDomain', { id: domains[1]?.id });
    expect(removed).toMatchObject({
      domainId: domains[1]?.id,
      project: {
        primaryDomain: host,
        domains: [{ name: a }, { name: c }],
        redirects: [{ from: host, to: c }],
      },
    });
    expect(await project()).toEqual(removed.project);
    expect(await domain(domains[1]?.id ?? '')).toBeNull();
  });

  test('leaves another primary as it is', async () => {
    const { domains, run, projectId, a } = await servedShop(2);
    await run('setPrimaryDomain', { projectId, domainId: domains[0]?.id });
    const { project } = await run('removeDomain', { id: domains[1]?.id });
    expect(project).toMatchObject({ primaryDomain: a, redirects: [] });
  });

  test('again: not_found', async () => {
    const { domains, run, refusal } = await servedShop(1);
    await run('removeDomain', { id: domains[0]?.id });
    for (const mutation of ['removeDomain', 'verifyDomain'] as const)
      expect(await refusal(mutation, { id: domains[0]?.id })).toEqual(['not_found']);
  });

  test('also removes concurrent redirects to it', async () => {
    for (let round = 0; round < 10; round++) {
      const { domains, send, projectId, project, host, a, b } = await servedShop(2);
      await Promise.all([
        send('setPrimaryDomain', { projectId, domainId: domains[0]?.id }),
        send('removeDomain', { id: domains[0]?.id }),
        send('setRedirect', { projectId, from: b, to: a }),
      ]);
      expect(await project()).toMatchObject({ primaryDomain: host, domains: [{ name: b }], redirects: [] });
    }
  });
});
