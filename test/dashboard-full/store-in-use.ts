import type { Browser } from 'playwright-core';
import { chooseFreePort } from '../support/free-port.js';
import type { Project } from '../../src/features/projects/project.js';
import { launchChromium } from '../support/chromium.js';
import {
  isActive,
  startDomainGateway,
  startDomainWorld,
  type DomainGateway,
  type DomainWorld,
} from '../support/domain-gateway.js';

/** A gateway, what its domains need, and a browser in front of it. */
export interface DashboardWorld {
  world: DomainWorld;
  gateway: DomainGateway;
  browser: Browser;
  /** The secret of an owner key of the project. */
  ownerOf: (project: Pick<Project, 'id'>) => Promise<string>;
  admin: () => Promise<string>;
  close: () => Promise<void>;
}

export async function startDashboardWorld(env: Record<string, string> = {}): Promise<DashboardWorld> {
  const [world, browser] = await Promise.all([startDomainWorld(), launchChromium()]);
  const HTTPS_PORT = String(await chooseFreePort());
  const gateway = await startDomainGateway(world, { env: { HTTPS_PORT, ...env } });
  world.answerers.push(gateway.domains);
  await gateway.domains.startJobs();
  const { apiKeys } = gateway.services;
  return {
    world,
    gateway,
    browser,
    ownerOf: async ({ id }) =>
      (await apiKeys.create({ name: 'Owner key', role: 'owner', projectId: id })).secret,
    admin: async () => (await apiKeys.create({ name: 'Store admin', role: 'admin' })).secret,
    async close() {
      await browser.close();
      await gateway.close();
      await world.close();
    },
  };
}

/** A store that has been going for a while: pets, keys and their use, deploys, domains in every state. */
export async function fillStore({ world, gateway }: DashboardWorld) {
  const { services } = gateway;
  const names = ['Luna', 'Rex', 'Milo', 'Flöckchen', 'Bella', 'Bruno', 'Oskar', 'Nala', 'Coco', 'Minka'];
  const project = await gateway.project('Happy Tails');
  await services.petsStore.insertMany(
    Array.from({ length: 30 }, (_, i) => ({
      name: names[i % names.length] ?? '',
      categoryId: BigInt((i % 3) + 1),
      status: (['available', 'available', 'pending', 'sold'] as const)[i % 4] ?? 'available',
    })),
    project.id,
  );
  const change = services.administration({ role: 'command line' });
  await change.createDeploy({ projectId: project.id, template: 'storefront', message: 'New photographs' });
  const web = await services.apiKeys.create({ name: 'Web shop', role: 'server', projectId: project.id });
  const app = await services.apiKeys.create({ name: 'Phone app', role: 'server', projectId: project.id });
  for (const name of ['Maria Ruiz', 'Jonas Weber'])
    await services.apiKeys.invite({ name, projectId: project.id });
  for (const [secret, count] of [
    [web.secret, 40],
    [app.secret, 9],
  ] as const)
    for (let i = 0; i < count; i++) await (await gateway.request('/v1/pets?limit=1', { key: secret })).text();

  const add = (name: string) => services.administration({ role: 'command line' }).addDomain(project.id, name);
  const shop = await add('shop.happy-tails.test');
  await world.knot.set(shop.name, 'CNAME', `${project.host}.`);
  await gateway.verify(shop);
  await gateway.reaches(shop, 'active', isActive);
  await change.setPrimaryDomain(project.id, shop.id);
  const adopt = await add('adopt.happy-tails.test');
  await world.knot.set(adopt.name, 'A', '192.0.2.80');
  await gateway.verify(adopt);
  await gateway.reaches(adopt, 'not verified', ({ problem }) => problem !== undefined);
  await add('happytails.test');
  await change.setRedirect(project.id, { from: project.host, to: shop.name });

  await services.projects.create({ name: 'Paws & Whiskers', plan: 'free' });
  await services.projects.create({ name: 'Second Chance Kennels', plan: 'business' });
  return { project, key: web.apiKey };
}
