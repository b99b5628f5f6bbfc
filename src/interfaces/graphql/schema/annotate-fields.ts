import { defaultFieldResolver, isObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import type { Clock } from '../../../lib/clock.js';
import { factsOf, type DeprecatedField, type FieldFacts } from '../field-facts.js';
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
  const deprecated = {
    field: coordinate,
    reason,
    deprecatedAt: new Date(deprecation.deprecatedMs).toISOString(),
    sunset: new Date(deprecation.sunsetMs).toISOString(),
  };
  field.extensions = { ...field.extensions, facts: { ...factsOf(field), deprecated } satisfies FieldFacts };
  field.resolve = (...asked) => {
    assertNotRemoved(name, deprecation, clock);
    return resolve(...asked);
  };
}

/** Sets the headers of a deprecated operation for the requested field that will be removed first, if there is one. */
export function announceDeprecations(res: Response, deprecated: readonly DeprecatedField[]): void {
  const [first] = [...deprecated].sort((a, b) => Date.parse(a.sunset) - Date.parse(b.sunset));
  if (first === undefined) return;
  const { publicUrl } = requestContextOf(res);
  const [deprecatedMs, sunsetMs] = [Date.parse(first.deprecatedAt), Date.parse(first.sunset)];
  setDeprecationHeaders(res, { deprecatedMs, sunsetMs }, publicUrl);
}
