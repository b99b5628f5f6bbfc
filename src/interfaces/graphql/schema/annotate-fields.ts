import {
  defaultFieldResolver,
  isObjectType,
  type GraphQLField,
  type GraphQLSchema,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FragmentSpreadNode,
  type OperationDefinitionNode,
} from 'graphql';
import type { Clock } from '../../../lib/clock.js';
import { fragmentsOf } from '../cost.js';
import type { Operation, Stability } from '../../../http/versioning/operation.js';
import type { Operations } from '../../../http/versioning/operations.js';
import type { Response } from 'express';
import { requestContextOf } from '../../../http/steps/request-context.js';
import { assertNotRemoved, reasonOf, setDeprecationHeaders } from '../../../http/versioning/removal.js';

const MARKERS: Record<Stability, string> = {
  stable: '',
  beta: '\nStability: beta.',
  experimental: '\nStability: experimental.',
};

const ROOTS = {
  Query:
    'Read operations. Each root field costs one unit of quota. A root field without a stability note is stable.',
  Mutation:
    'Write operations, which run one after another in document order. Each root field costs one unit of quota.',
};

/**
 * Adds the declared stability of each field to its description, and makes deprecated fields fail from their sunset on.
 * Returns the same schema, changed. The stability is part of the description, because custom directives appear in
 * neither introspection nor printed SDL. Operations that this schema does not have are skipped: a site's own schema is
 * smaller.
 */
export function annotateFields(schema: GraphQLSchema, { graphql }: Operations, clock: Clock): GraphQLSchema {
  // type-graphql offers no way to describe the root types.
  for (const [name, description] of Object.entries(ROOTS)) {
    const type = schema.getType(name);
    if (type != null) type.description = description;
  }
  for (const [coordinate, operation] of Object.entries(graphql)) {
    const field = fieldAt(schema, coordinate);
    if (field !== undefined) mark(coordinate, field, operation, clock);
  }
  return schema;
}

function fieldAt(schema: GraphQLSchema, coordinate: string): GraphQLField<unknown, unknown> | undefined {
  const [typeName = '', fieldName = ''] = coordinate.split('.');
  const type = schema.getType(typeName);
  return isObjectType(type) ? type.getFields()[fieldName] : undefined;
}

function mark(
  coordinate: string,
  field: GraphQLField<unknown, unknown>,
  { stability, deprecation }: Operation,
  clock: Clock,
): void {
  field.description = `${field.description ?? ''}${MARKERS[stability]}`;
  if (deprecation === undefined) return;
  const { name, resolve = defaultFieldResolver } = field;
  const reason = reasonOf(name, deprecation);
  field.deprecationReason = reason;
  field.extensions = {
    ...field.extensions,
    deprecated: {
      field: coordinate,
      reason,
      deprecatedAt: new Date(deprecation.deprecatedMs).toISOString(),
      sunset: new Date(deprecation.sunsetMs).toISOString(),
    } satisfies DeprecatedField,
  };
  field.resolve = (...asked) => {
    assertNotRemoved(name, deprecation, clock);
    return resolve(...asked);
  };
}

/** A requested field that will be removed, as listed in `extensions.deprecations` of the response. */
export interface DeprecatedField {
  /** The schema coordinate: `Query.pet`. */
  field: string;
  reason: string;
  /** RFC 3339. */
  deprecatedAt: string;
  sunset: string;
}

/** A document stays the same object while it is in use. */
const found = new WeakMap<OperationDefinitionNode, readonly DeprecatedField[]>();

/**
 * Returns the fields of an operation of a valid document that will be removed, each once: its own in the order of the
 * document, then those of its fragments. @skip and @include are not applied.
 */
export function deprecatedFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly DeprecatedField[] {
  let fields = found.get(operation);
  if (fields === undefined) found.set(operation, (fields = findDeprecated(schema, document, operation)));
  return fields;
}

function findDeprecated(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly DeprecatedField[] {
  const fragments = fragmentsOf(document);
  const deprecated = new Set<DeprecatedField>();
  const spread = new Set<string>();
  const types = new TypeInfo(schema);
  const collect = {
    Field: () => {
      const field = types.getFieldDef()?.extensions['deprecated'];
      if (field !== undefined) deprecated.add(field as DeprecatedField);
    },
    FragmentSpread: ({ name }: FragmentSpreadNode) => void spread.add(name.value),
  };
  visit(operation, visitWithTypeInfo(types, collect));
  // A set also visits what is added meanwhile, so each fragment is visited once.
  for (const name of spread) {
    const fragment = fragments.get(name);
    if (fragment !== undefined) visit(fragment, visitWithTypeInfo(types, collect));
  }
  return [...deprecated];
}

/** Sets the headers of a deprecated operation for the requested field that will be removed first, if there is one. */
export function announceDeprecations(res: Response, deprecated: readonly DeprecatedField[]): void {
  const [first] = [...deprecated].sort((a, b) => Date.parse(a.sunset) - Date.parse(b.sunset));
  if (first === undefined) return;
  const { publicUrl } = requestContextOf(res);
  const [deprecatedMs, sunsetMs] = [Date.parse(first.deprecatedAt), Date.parse(first.sunset)];
  setDeprecationHeaders(res, { deprecatedMs, sunsetMs }, publicUrl);
}
