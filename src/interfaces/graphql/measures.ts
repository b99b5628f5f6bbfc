import { Kind, type DocumentNode, type FragmentDefinitionNode, type FieldNode } from 'graphql';
import { PAGE_SIZE } from '../../features/pets/page.js';
import { MAX_DOMAINS } from '../../features/publishing/domains/domains-service.js';
import { TRAFFIC_SOURCES } from '../../features/usage/traffic.js';
import { MAX_USAGE_DAYS } from '../../features/usage/usage-range.js';

/** Returns the fragments of a document by name. */
export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  return fragments;
}

/**
 * Returns the size that a field requests in an argument, or undefined if the default applies. A value that is not a
 * number stops execution in any case.
 */
export function askedSize(
  field: FieldNode,
  argument: string,
  variables: Readonly<Record<string, unknown>>,
): number | undefined {
  const given = field.arguments?.find(({ name }) => name.value === argument)?.value;
  if (given?.kind === Kind.INT) return Number(given.value);
  if (given?.kind !== Kind.VARIABLE) return undefined;
  const value = variables[given.name.value];
  // The default of a variable is either within the bounds of a page or rejected.
  return typeof value === 'number' ? value : PAGE_SIZE.maximum;
}

export interface FieldWeight {
  /** Maximum number of items of a list, or for another field the number of items that it counts as. */
  mostItems: number;
  /** True if the items are read separately for their parent; false if they are a part of it. */
  areNodes: boolean;
}

/** Each source over both interfaces. */
const MAX_GROUPS = 2 * TRAFFIC_SOURCES.length;

/**
 * Weights of fields by type and field, where neither a page size nor the schema limits them: lists that are not short,
 * and expensive fields.
 */
const WEIGHTS: ReadonlyMap<string, FieldWeight> = new Map([
  ['Project.domains', { mostItems: MAX_DOMAINS, areNodes: true }],
  // One redirect from each domain, and one from the platform's host.
  ['Project.redirects', { mostItems: MAX_DOMAINS + 1, areNodes: false }],
  ['Usage.days', { mostItems: MAX_USAGE_DAYS, areNodes: false }],
  ['Usage.groups', { mostItems: 100, areNodes: false }],
  ['UsageUnderPlan.daysOver', { mostItems: MAX_USAGE_DAYS, areNodes: false }],
  ['Traffic.periods', { mostItems: PAGE_SIZE.maximum, areNodes: false }],
  ['Traffic.groups', { mostItems: MAX_GROUPS, areNodes: false }],
  ['PeriodTraffic.groups', { mostItems: MAX_GROUPS, areNodes: false }],
  // Not lists, but each is computed from one record per day, so it weighs as much as several nodes.
  ['ApiKey.usage', { mostItems: 20, areNodes: true }],
  ['Project.usage', { mostItems: 20, areNodes: true }],
  ['Query.traffic', { mostItems: 20, areNodes: true }],
  ['Usage.underPlan', { mostItems: 10, areNodes: true }],
]);

export function fieldWeight(typeName: string | undefined, fieldName: string): FieldWeight | undefined {
  return WEIGHTS.get(`${typeName}.${fieldName}`);
}
