import type { Connection } from 'mongoose';
import { createRemovals } from '../../../src/features/administration/removals.js';
import { createRemoveProject } from '../../../src/features/administration/remove-project.js';
import { createMongoPetsImportsStore } from '../../../src/features/synchronization/mongo-pets-imports-store.js';
import { createMongoIdempotencyStore } from '../../../src/features/pets/idempotency/mongo-idempotency-store.js';
import { createMongoProjectRemovals } from '../../../src/features/projects/mongo-project-removals.js';
import { createMongoStrikesStore } from '../../../src/features/quotas/mongo-strikes-store.js';
import { createMongoSessionsStore } from '../../../src/features/keys/sessions/mongo-sessions-store.js';
import { createMongoUsageStore } from '../../../src/features/usage/mongo-usage-store.js';
import { useGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';

const PROJECTS = 5;

const gateway = useGateway();
let raw: Connection;
beforeAll(async () => {
  raw = await rawDatabase(gateway);
  const { apiKeys, projects, administration } = gateway.services;
  for (let i = 0; i < PROJECTS; i++) {
    const { id } = await projects.create({ name: 'Due' });
    await apiKeys.create({ name: 'one', projectId: id });
    await administration({ role: 'command line' }).deleteProject(id, 'Due');
  }
});
afterAll(() => raw.close());

const count = (collection: string, filter = {}) => raw.collection(collection).countDocuments(filter);

test('a stop waits for the current part of a removal; the next gateway removes the rest', async () => {
  const { config, clock, deploysStore, apiKeysStore } = gateway.services;
  const begun: string[] = [];
  const failures: unknown[] = [];
  let isBegun: () => void = () => undefined;
  const beginning = new Promise<void>((resolve) => (isBegun = resolve));
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));

  const newRemovals = () =>
    createRemovals({
      removals: createMongoProjectRemovals(raw),
      removeProject: createRemoveProject({
        deploys: deploysStore,
        keys: apiKeysStore,
        sessions: createMongoSessionsStore(raw, clock),
        strikes: createMongoStrikesStore(raw, config.ban),
        petsImports: createMongoPetsImportsStore(raw),
        idempotency: createMongoIdempotencyStore(raw, clock),
        usage: createMongoUsageStore(raw),
        pets: gateway.services.petsStore,
        removeCounters: () => Promise.resolve(),
        async removeDomains(projectId) {
          begun.push(projectId);
          isBegun();
          await held;
        },
        clock,
      }),
      onError: (error) => failures.push(error),
      clock,
    });

  const removals = newRemovals();
  removals.startJob();
  await beginning;
  const closed = removals.close();
  letGo();
  await closed;
  expect(begun).toHaveLength(1);
  expect(await count('apiKeys')).toBe(PROJECTS);
  expect(await count('projects', { removalDueAt: { $lte: new Date() } })).toBe(PROJECTS - 1);

  await newRemovals().removeDue();
  expect(new Set(begun).size).toBe(PROJECTS);
  expect(await count('apiKeys')).toBe(1);
  expect(failures).toEqual([]);
});
