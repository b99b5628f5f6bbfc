import { MAX_DOMAINS } from '../../features/publishing/domains/domains-service.js';
import { MAX_USAGE_DAYS } from '../../features/usage/usage-range.js';

export interface FieldWeight {
  /** Maximum number of items of a list, or for another field the number of items that it counts as. */
  mostItems: number;
  /** True if the items are read separately for their parent; false if they are a part of it. */
  areNodes: boolean;
}

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
  // Not lists, but each is computed from one record per day, so it weighs as much as several nodes.
  ['ApiKey.usage', { mostItems: 20, areNodes: true }],
  ['Project.usage', { mostItems: 20, areNodes: true }],
  ['Usage.underPlan', { mostItems: 10, areNodes: true }],
]);

export function fieldWeight(typeName: string | undefined, fieldName: string): FieldWeight | undefined {
  return WEIGHTS.get(`${typeName}.${fieldName}`);
}
