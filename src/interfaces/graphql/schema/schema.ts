import 'reflect-metadata';
import { GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import type { GraphQLParts } from '../parts.js';
import { annotateFields } from './annotate-fields.js';
import { ApiKeysResolver } from './keys/api-keys-resolver.js';
import { QuotaResolver } from './keys/quota-resolver.js';
import { AuditResolver } from './audit/audit-resolver.js';
import { DeployChangesResolver } from './deploys/deploy-changes-resolver.js';
import { DeploysResolver } from './deploys/deploys-resolver.js';
import { DomainsResolver } from './domains/domains-resolver.js';
import { InvitationsResolver } from './keys/invitations-resolver.js';
import { PetsImportsResolver } from './pets/pets-imports-resolver.js';
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

type ResolverClass = new (services: GraphQLParts) => object;

const RESOLVERS = [
  PetsResolver,
  PetsImportsResolver,
  ProjectsResolver,
  ApiKeysResolver,
  QuotaResolver,
  InvitationsResolver,
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
] satisfies [ResolverClass, ...ResolverClass[]];

/** Creates the schema with these services. */
export function createSchema(services: GraphQLParts): GraphQLSchema {
  return annotateFields(buildSchema(RESOLVERS, services), services.operations, services.clock);
}

/** Creates the schema without services, for uses that execute nothing. */
export function createSchemaAlone(): GraphQLSchema {
  return buildSchema(RESOLVERS, undefined);
}

/** `validate` is false because the domain checks input once, for both interfaces. */
function buildSchema(
  resolvers: [ResolverClass, ...ResolverClass[]],
  services: GraphQLParts | undefined,
): GraphQLSchema {
  const created = new Map<unknown, object | undefined>(
    resolvers.map((Resolver) => [Resolver, services && new Resolver(services)]),
  );
  return buildSchemaSync({
    resolvers,
    container: { get: (resolver) => created.get(resolver) },
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
export function createSiteSchema(services: GraphQLParts): GraphQLSchema {
  const schema = buildSchema([PetsResolver], services);
  // Without a list of types, only the types that a query can reach are left.
  const small = new GraphQLSchema({ ...schema.toConfig(), mutation: undefined, types: [] });
  return annotateFields(small, services.operations, services.clock);
}
