import { MAX_DOMAINS } from '../domains/domains-service.js';

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
]);

export function longList(typeName: string | undefined, fieldName: string): LongList | undefined {
  return LONG_LISTS.get(`${typeName}.${fieldName}`);
}
