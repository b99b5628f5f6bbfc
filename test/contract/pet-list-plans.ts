import type { Connection } from 'mongoose';
import { petsCollection } from '../../src/features/pets/mongo-pets-store.js';
import { partsAfter, scopeOf, sortOf } from '../../src/features/pets/mongo-pets-reads.js';
import type { PetsQuery } from '../../src/features/pets/page.js';

/** MongoDB reads the list through the index of its scope, in order, without sorting. */
export async function expectPlan(raw: Connection, query: PetsQuery): Promise<void> {
  const { hint, within, besides } = scopeOf(query);
  for (const part of partsAfter(query)) {
    const plan = await raw
      .collection(petsCollection.name)
      .find({ ...within, ...part, ...besides } as never, {
        sort: sortOf(query),
        limit: query.limit + 1,
        ...(hint !== undefined && { hint }),
      })
      .explain('queryPlanner');
    const stages = JSON.stringify(plan['queryPlanner'], withoutBigInt).match(/"stage":"[A-Z_]+"/g) ?? [];
    expect({ query, stages }).toMatchObject({
      stages: expect.arrayContaining(['"stage":"IXSCAN"']) as unknown,
    });
    expect({ query, stages }).toMatchObject({
      stages: expect.not.arrayContaining(['"stage":"SORT"', '"stage":"COLLSCAN"']) as unknown,
    });
  }
}

function withoutBigInt(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
