import { MAX_DOMAINS } from '../domains/domains-service.js';
import { MAX_USAGE_DAYS } from '../usage/usage-range.js';

export interface LongList {
  mostItems: number;
  /** Whether they are read for their parent, or are a part of it. */
  areNodes: boolean;
}

/** Lists that are no pages and yet not short, by type and field. */
const LONG_LISTS: ReadonlyMap<string, LongList> = new Map([
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

export function longList(typeName: string | undefined, fieldName: string): LongList | undefined {
  return LONG_LISTS.get(`${typeName}.${fieldName}`);
}
