import 'reflect-metadata';
import { GraphQLSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import type { GraphQLParts } from '../parts.js';
import { annotateFields } from './annotate-fields.js';
import { PetsResolver } from './pets/pets-resolver.js';

/**
 * What a published site's own /graphql knows: `pets`, `petsConnection`, `petsByIds` and `pet`, as at the operator's
 * address, and nothing that changes anything. What is not in it cannot be asked for, whoever asks.
 */
export function createSiteSchema({
  pets,
  operations,
  clock,
}: Pick<GraphQLParts, 'pets' | 'operations' | 'clock'>): GraphQLSchema {
  const resolver = new PetsResolver(pets);
  const schema = buildSchemaSync({
    resolvers: [PetsResolver],
    container: { get: () => resolver },
    validate: false,
  });
  // Without a list of types, only those that can be reached from a query are left.
  const small = new GraphQLSchema({ ...schema.toConfig(), mutation: undefined, types: [] });
  return annotateFields(small, operations, clock);
}
