import { MAX_DOMAINS } from '../../features/publishing/domains/domains-service.js';
import { MAX_USAGE_DAYS } from '../../features/usage/usage-range.js';

export interface FieldWeight {
  /** How many items a list has at most, or as how many another field weighs. */
  mostItems: number;
  /** Whether they are read for their parent, or are a part of it. */
  areNodes: boolean;
}

/** What neither a page size nor the schema tells, by type and field: lists that are not short, and fields that are dear. */
const WEIGHTS: ReadonlyMap<string, FieldWeight> = new Map([
  ['Project.domains', { mostItems: MAX_DOMAINS, areNodes: true }],
  // One from each domain, and one from the platform's host.
  ['Project.redirects', { mostItems: MAX_DOMAINS + 1, areNodes: false }],
  ['Usage.days', { mostItems: MAX_USAGE_DAYS, areNodes: false }],
  ['Usage.groups', { mostItems: 100, areNodes: false }],
  ['UsageUnderPlan.daysOver', { mostItems: MAX_USAGE_DAYS, areNodes: false }],
  // No lists, but each is read from as many records as there are days: it weighs as much as some nodes.
  ['ApiKey.usage', { mostItems: 20, areNodes: true }],
  ['Project.usage', { mostItems: 20, areNodes: true }],
  ['Usage.underPlan', { mostItems: 10, areNodes: true }],
]);

export function fieldWeight(typeName: string | undefined, fieldName: string): FieldWeight | undefined {
  return WEIGHTS.get(`${typeName}.${fieldName}`);
}
