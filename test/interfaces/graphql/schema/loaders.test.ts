import type { Project } from '../../../../src/features/projects/project.js';
import type { GraphQLParts } from '../../../../src/interfaces/graphql/parts.js';
import { createHeavyReads } from '../../../../src/interfaces/graphql/heavy-reads.js';
import { createLoaders } from '../../../../src/interfaces/graphql/schema/loaders.js';

test('the site of the project of many keys is read once', async () => {
  const read: string[] = [];
  const project = { id: 'proj_a', name: 'Paws', plan: 'pro', createdAt: new Date(0) } as const;
  const site = { host: 'paws.pets.example' };
  const parts = {
    projects: { getMany: () => Promise.resolve([project]) },
    customerDomains: {
      platformHosts: {
        siteOf({ id }: Project) {
          read.push(id);
          return Promise.resolve(site);
        },
      },
    },
  } as unknown as GraphQLParts;
  const heavyRead = createHeavyReads().of('one', new AbortController().signal);
  const loaders = createLoaders(parts, heavyRead)();
  const loaded = await Promise.all(Array.from({ length: 100 }, () => loaders.site.load(project.id)));
  expect(loaded).toEqual(Array.from({ length: 100 }, () => site));
  expect(read).toEqual([project.id]);
});
