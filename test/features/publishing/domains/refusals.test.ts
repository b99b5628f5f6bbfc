import { useGateway } from '../../../support/gateway.js';
import { rawDatabase } from '../../../support/raw-database.js';
import { until } from '../../../support/until.js';
import { newShop } from './graphql-client.js';

/** What no look at DNS could make good: nobody is asked here. */
const ENV = {
  PUBLIC_URL: 'https://api.example.org',
  PLATFORM_HOST: 'pets.example.net',
  DNS_SERVERS: '127.0.0.1:1',
};
const gateway = useGateway({ env: ENV });

const domains = () => {
  const { customerDomains } = gateway.services;
  if (customerDomains === undefined) throw new Error('PLATFORM_HOST is set');
  return customerDomains;
};

describe('no project can add', () => {
  it.each([
    ["the operator's host", 'api.example.org', /one site with the platform's/],
    ["a name beside the operator's host", 'shop.example.org', /one site with the platform's/],
    ["the domain that the operator's host is under", 'example.org', /one site with the platform's/],
    ["a name below the operator's host", 'shop.api.example.org', /one site with the platform's/],
    ["a name beside the platform's host", 'shop.example.net', /one site with the platform's/],
    ["the domain that the platform's host is under", 'example.net', /one site with the platform's/],
    ["the platform's host", 'pets.example.net', /the platform assigns the names under pets\.example\.net/],
    [
      "another project's host",
      'zoo.pets.example.net',
      /the platform assigns the names under pets\.example\.net/,
    ],
  ])('%s: %s', async (_what, name, message) => {
    const { projectId } = await newShop(gateway);
    await expect(domains().service.add(projectId, name)).rejects.toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ field: 'name', message: expect.stringMatching(message) as string }] },
    });
  });
});

it('names everything that the project lacks at once', async () => {
  const { projectId } = await newShop(gateway, { plan: 'free', deployed: false });
  await expect(domains().service.add(projectId, 'shop.lacks-both.com')).rejects.toMatchObject({
    code: 'plan_required',
    message: expect.stringMatching(/paid plan.*Upgrade the project\..*Deploy the project too\./) as string,
  });
});

describe('Verify fails at the check', () => {
  const chosen: Record<'free' | 'bare', string> = { free: '', bare: '' };

  beforeAll(async () => {
    const { service, startJobs } = domains();
    const [free, bare] = [await newShop(gateway, { plan: 'pro' }), await newShop(gateway, { plan: 'pro' })];
    chosen.free = (await service.add(free.projectId, 'shop.free-paws.com')).id;
    chosen.bare = (await service.add(bare.projectId, 'shop.bare-paws.com')).id;
    for (const id of Object.values(chosen)) await service.verify(id);

    await gateway.services.projects.changePlan(free.projectId, 'free');
    const raw = await rawDatabase(gateway);
    await raw
      .collection<{ _id: string }>('projects')
      .updateOne({ _id: bare.projectId }, { $unset: { liveDeployId: 1 } });
    await raw.close();
    await startJobs();
  });

  it.each([
    ['the plan includes no domains any more', 'plan_required', 'free', 'Upgrade the project'],
    ['nothing is deployed any more', 'not_deployed', 'bare', 'Deploy the project, then choose Verify'],
  ] as const)('and %s: %s', async (_what, code, which, advice) => {
    const found = await until('a problem', async () => {
      const now = await domains().service.get(chosen[which]);
      return now.problem !== undefined && now;
    });
    expect(found).toMatchObject({
      holds: false,
      dns: { state: 'failed' },
      problem: { code, message: expect.stringContaining(advice) as string },
    });
  });
});
