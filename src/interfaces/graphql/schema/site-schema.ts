import 'reflect-metadata';
import { GraphQLSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import type { GraphQLParts } from '../parts.js';
import { annotateFields } from './annotate-fields.js';
import { PetsResolver } from './pets/pets-resolver.js';

/**
 * Creates the schema of a published site's /graphql: `pets`, `petsConnection`, `petsByIds` and `pet`, as at the
 * operator's host, without mutations. Fields outside the schema cannot be requested with any key.
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
  // Without a list of types, only the types that a query can reach are left.
  const small = new GraphQLSchema({ ...schema.toConfig(), mutation: undefined, types: [] });
  return annotateFields(small, operations, clock);
}
