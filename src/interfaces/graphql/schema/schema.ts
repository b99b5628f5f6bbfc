import 'reflect-metadata';
import { GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import type { GraphQLParts } from '../parts.js';
import { createApiKeyTypes } from './keys/api-key-page.js';
import { annotateFields } from './annotate-fields.js';
import { ApiKeysResolver } from './keys/api-keys-resolver.js';
import { AuditResolver } from './audit/audit-resolver.js';
import { DeployChangesResolver } from './deploys/deploy-changes-resolver.js';
import { DeploysResolver } from './deploys/deploys-resolver.js';
import { DomainsResolver } from './domains/domains-resolver.js';
import { PetsResolver } from './pets/pets-resolver.js';
import { ProjectsResolver } from './projects/projects-resolver.js';
import { DomainNeedingActionResolver, SystemResolver } from './system/system-resolver.js';
import { TrafficResolver } from './usage/traffic-resolver.js';
import {
  KeyUsageResolver,
  ProjectUsageResolver,
  RefusalResolver,
  UsageUnderPlanResolver,
} from './usage/usage-resolver.js';

/**
 * Creates the schema with these services. `validate` is false because the domain checks input once, for both
 * interfaces.
 */
export function createSchema(services: GraphQLParts): GraphQLSchema {
  const keyTypes = createApiKeyTypes(services.clock);
  const resolvers = new Map<unknown, object>([
    [PetsResolver, new PetsResolver(services.pets, services.authority)],
    [ProjectsResolver, new ProjectsResolver(services, keyTypes)],
    [ApiKeysResolver, new ApiKeysResolver(services, keyTypes)],
    [DeploysResolver, new DeploysResolver(services)],
    [DeployChangesResolver, new DeployChangesResolver()],
    [DomainsResolver, new DomainsResolver(services)],
    [AuditResolver, new AuditResolver(services.audit, keyTypes)],
    [KeyUsageResolver, new KeyUsageResolver(services.usage)],
    [ProjectUsageResolver, new ProjectUsageResolver(services.usage)],
    [RefusalResolver, new RefusalResolver(keyTypes)],
    [UsageUnderPlanResolver, new UsageUnderPlanResolver()],
    [TrafficResolver, new TrafficResolver(services.traffic)],
    [DomainNeedingActionResolver, new DomainNeedingActionResolver()],
    [SystemResolver, new SystemResolver(services.system)],
  ]);
  const schema = buildSchema((resolver) => resolvers.get(resolver));
  return annotateFields(schema, services.operations, services.clock);
}

/** Creates the schema without services, for uses that execute nothing. */
export function createSchemaAlone(): GraphQLSchema {
  return buildSchema(() => undefined);
}

function buildSchema(get: (resolver: unknown) => unknown): GraphQLSchema {
  return buildSchemaSync({
    resolvers: [
      PetsResolver,
      ProjectsResolver,
      ApiKeysResolver,
      DeploysResolver,
      DeployChangesResolver,
      DomainsResolver,
      AuditResolver,
      KeyUsageResolver,
      ProjectUsageResolver,
      RefusalResolver,
      UsageUnderPlanResolver,
      TrafficResolver,
      SystemResolver,
      DomainNeedingActionResolver,
    ],
    container: { get },
    validate: false,
    // The executor asserts that the schema is valid. This check would run an introspection query for that at each
    // start.
    skipCheck: true,
  });
}

/** Prints the SDL as committed in schema/schema.graphql. */
export function printSdl(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

/**
 * Creates the schema of a published site's /graphql: `pets`, `petsConnection`, `petsByIds` and `pet`, as at the
 * operator's host, without mutations. Fields outside the schema cannot be requested with any key.
 */
export function createSiteSchema({
  pets,
  authority,
  operations,
  clock,
}: Pick<GraphQLParts, 'pets' | 'authority' | 'operations' | 'clock'>): GraphQLSchema {
  const resolver = new PetsResolver(pets, authority);
  const schema = buildSchemaSync({
    resolvers: [PetsResolver],
    container: { get: () => resolver },
    validate: false,
  });
  // Without a list of types, only the types that a query can reach are left.
  const small = new GraphQLSchema({ ...schema.toConfig(), mutation: undefined, types: [] });
  return annotateFields(small, operations, clock);
}
