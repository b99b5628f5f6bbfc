import { createMongoUsageStore } from '../../src/features/usage/mongo-usage-store.js';
import type { Refusal, UsageGroup } from '../../src/features/usage/usage.js';
import { rawDatabase } from '../support/raw-database.js';
import type { DashboardWorld } from './store-in-use.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Names that a layout has trouble with: as long as they may be without a space, and from right to left. */
export const LONG_NAME = `Warenwirtschaftssystemschnittstelle_${'x'.repeat(63)}`;
export const HEBREW_NAME = 'בית המחסה לבעלי חיים, סניף צפון (2)';
export const ARABIC_NAME = 'ملجأ الحيوانات في القاهرة: الفرع ١';

const NAMES = [LONG_NAME, HEBREW_NAME, ARABIC_NAME, 'Shop'];
const GROUPS: readonly UsageGroup[] = [
  ...['listPets', 'getPet', 'createPet'].flatMap((operation) =>
    [200, 404, 429, 503].map((status, at) => ({
      interface: 'rest' as const,
      operation,
      status,
      requests: 90_000 >> (2 * at),
      cost: 90_000 >> (2 * at),
    })),
  ),
  ...['pets', 'petsConnection', 'petsByIds', 'several'].map((operation) => ({
    interface: 'graphql' as const,
    operation,
    status: 200,
    requests: 30_000,
    cost: 120_000,
  })),
];

/**
 * A project with a full page of everything, whose names are hard to lay out, and one key that everything happened to:
 * months of use, rejections, a ban, changes, an old secret, several origins.
 */
export async function fillCrowded({ gateway }: Pick<DashboardWorld, 'gateway'>) {
  const { services } = gateway;
  const project = await gateway.project(LONG_NAME);
  const change = services.administration({ role: 'command line' });
  await change.changePlan(project.id, 'business');
  for (const name of [HEBREW_NAME, ARABIC_NAME, `${LONG_NAME.slice(0, -1)}y`])
    await services.projects.create({ name, plan: 'free' });
  for (let at = 0; at < 24; at++)
    await services.apiKeys.create({ name: NAMES[at % 4] ?? '', role: 'server', projectId: project.id });
  for (const name of NAMES) await services.apiKeys.invite({ name, projectId: project.id });
  await services.petsStore.insertMany(
    Array.from({ length: 24 }, (_, at) => ({
      name: at % 4 === 0 ? 'x'.repeat(255) : (NAMES[at % 4] ?? ''),
      categoryId: 2n ** 63n - 1n,
      status: 'available' as const,
    })),
    project.id,
  );
  for (let at = 0; at < 4; at++)
    await change.createDeploy({
      projectId: project.id,
      template: 'storefront',
      message: NAMES[at] === LONG_NAME ? `${LONG_NAME}${LONG_NAME}` : (NAMES[at] ?? ''),
    });
  const label = 'a-name-as-long-as-a-label-of-a-domain-may-be-which-is-sixty-3';
  await change.addDomain(project.id, `${label}.${label}.example.com`);
  await change.addDomain(project.id, 'xn--4dbrk0ce.example.com');

  const created = await change.createApiKey({
    name: HEBREW_NAME,
    role: 'browser',
    projectId: project.id,
    allowedOrigins: ['https://shop.example', `https://${label}.${label}.example.com`],
  });
  const { id } = created.apiKey;
  for (let at = 0; at < 6; at++) await change.updateApiKey(id, { name: NAMES[at % 4] ?? '' });
  await change.rotateApiKey(id, 86_400);
  await change.updateApiKey(id, { name: LONG_NAME });
  await writePast(gateway, project.id, id);
  return { project, keyId: id };
}

/** 30 days of use, ten rejections and a ban that holds for hours. */
async function writePast(gateway: DashboardWorld['gateway'], projectId: string, keyId: string) {
  const nowMs = Date.now();
  const raw = await rawDatabase(gateway);
  await createMongoUsageStore(raw).add({
    writer: 'past',
    number: 1,
    keyDays: Array.from({ length: 30 }, (_, ago) => ({
      keyId,
      projectId,
      day: new Date(nowMs - ago * DAY_MS).toISOString().slice(0, 10),
      groups: GROUPS,
      bans: ago % 7 === 0 ? 1 : 0,
      refusals: ago === 0 ? refusalsAt(nowMs) : [],
    })),
  });
  await raw.close();
  await gateway.services.apiKeysStore.ban(keyId, nowMs, {
    banSeconds: 4 * 3600,
    maxBanSeconds: 4 * 3600,
  });
}

function refusalsAt(nowMs: number): Refusal[] {
  return Array.from({ length: 10 }, (_, at) => ({
    at: new Date(nowMs - (10 - at) * MINUTE_MS),
    code: 'rate_limit_exceeded',
    message: 'The minute limit is used up.',
    interface: 'rest',
    operation: 'listPets',
    window: 'minute',
    limit: 600,
    cost: 1,
    resetAt: new Date(nowMs - (9 - at) * MINUTE_MS),
  }));
}
