import type { CreateApiKey, IssuedKey } from '../features/keys/api-keys-service.js';
import type { FirstStart } from './first-start-mark.js';
import { PET_STATUSES, type NewPet } from '../features/pets/pet.js';
import type { Services } from '../app/services.js';

/** Secrets that this start created. They are shown once. */
export interface Seeded {
  adminSecret?: string;
  demoSecret?: string;
}

const NAMES: readonly string[] = [
  'Rex', 'Luna', 'Milo', 'Bella', 'Oskar', 'Nala', 'Simba', 'Coco', 'Balu', 'Lilly',
  'Felix', 'Maja', 'Bruno', 'Kira', 'Paula', 'Sammy', 'Emma', 'Charlie', 'Mia', 'Rocky',
  'Lotte', 'Max', 'Amy', 'Flöckchen', 'Ginger', 'Hasso', 'Minka', 'Tommy', 'Wanda', 'Zorro',
]; // prettier-ignore

/**
 * Seeds an embedded database on the first start: an admin key unless one is configured, and, with SEED_DEMO, a demo
 * project with a Free key and 30 pets. Completes an interrupted first start: the mark is set last, and secrets that
 * nobody has seen are replaced.
 */
export async function seedFirstStart(services: Services, firstStart: FirstStart): Promise<Seeded> {
  const { config, petsStore, projects } = services;
  if (await firstStart.done()) return {};
  const seeded: Seeded = {};

  if (config.seedDemo) {
    const existing = (await projects.list()).find(({ name }) => name === DEMO_PROJECT);
    const project = existing ?? (await projects.create({ name: DEMO_PROJECT }));
    if ((await petsStore.list({ limit: 1 })).pets.length === 0)
      await petsStore.insertMany(demoPets(), project.id);
    const demo = await issue(services, { name: 'Demo key', projectId: project.id });
    seeded.demoSecret = demo.secret;
  }
  if (config.adminApiKey === undefined) {
    const admin = await issue(services, { name: 'First admin key', role: 'admin' });
    seeded.adminSecret = admin.secret;
  }
  await firstStart.markDone();
  return seeded;
}

const DEMO_PROJECT = 'Demo store';

/** Creates a key, and revokes older keys of the same name: until the mark is set, nobody has seen their secrets. */
async function issue({ apiKeys }: Services, input: CreateApiKey): Promise<IssuedKey> {
  for (const { id, name } of await apiKeys.list()) if (name === input.name) await apiKeys.revoke(id);
  return apiKeys.create(input);
}

function demoPets(): NewPet[] {
  return NAMES.map((name, i) => ({
    name,
    categoryId: BigInt((i % 3) + 1),
    status: PET_STATUSES[[0, 0, 1, 0, 2][i % 5] ?? 0] ?? 'available',
  }));
}
