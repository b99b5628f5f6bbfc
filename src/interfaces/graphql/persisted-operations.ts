import { sha256 } from '../../lib/sha256.js';
import { readFileSync } from 'node:fs';
import type { GraphQLSchema } from 'graphql';
import { ConfigError, type Config } from '../../config/config.js';
import { checkDocument } from './document-cache.js';
import { parseManifest, type ManifestEntry } from '../../config/operations-manifest.js';
import { STOREFRONT_DOCUMENT } from './storefront-document.js';

/** The documents that the operator has listed. */
export interface PersistedOperations {
  /** By what the list calls it, or by the SHA-256 of its text in hexadecimal digits. */
  byId: (id: string) => string | undefined;
  has: (document: string) => boolean;
  /** Whether it is one of the dashboard's own, which need not be listed. */
  isOfDashboard: (document: string) => boolean;
}

const MOST_FAULTS = 20;

/** Undefined without a list. The built-in storefront's document is in every one, or its sites would show nothing. */
export function createPersistedOperations(
  entries: readonly ManifestEntry[] | undefined,
  pageDocuments: readonly string[] = [],
): PersistedOperations | undefined {
  if (entries === undefined) return undefined;
  const ofDashboard = new Set(pageDocuments);
  const listed = new Set([STOREFRONT_DOCUMENT, ...entries.map(({ body }) => body)]);
  const documents = new Map([...listed].map((body) => [sha256(body), body]));
  for (const { id, body } of entries) documents.set(id, body);
  return {
    byId: (id) => documents.get(id),
    has: (document) => listed.has(document),
    isOfDashboard: (document) => ofDashboard.has(document),
  };
}

/**
 * The settings with what GRAPHQL_OPERATIONS_FILE lists. Read once for all workers: the file may change meanwhile, and
 * one list is in force in a gateway.
 * @throws ConfigError for a file that cannot be read; naming each document that cannot be executed, and each id that
 * stands for two
 */
export function withListedOperations(config: Config, makeSchema: () => GraphQLSchema): Config {
  const { file } = config.graphqlOperations;
  if (file === undefined) return config;
  const { listed, faults } = readOperations(file, makeSchema);
  if (faults.length > 0)
    throw new ConfigError(faults.map((fault) => `GRAPHQL_OPERATIONS_FILE ${file}: ${fault}`));
  return { ...config, graphqlOperations: { ...config.graphqlOperations, listed } };
}

/** What the file lists, and why it cannot be used: the first faults, and how many more there are. */
export function readOperations(
  file: string,
  makeSchema: () => GraphQLSchema,
): { listed: readonly ManifestEntry[]; faults: readonly string[] } {
  let listed: ManifestEntry[];
  try {
    listed = parseManifest(readFileSync(file, 'utf8'));
  } catch (error) {
    return { listed: [], faults: [(error as Error).message] };
  }
  const schema = makeSchema();
  const faults = [...duplicates(listed), ...listed.flatMap((entry) => faultsOf(entry, schema))];
  const more = faults.length - MOST_FAULTS;
  return { listed, faults: more > 0 ? [...faults.slice(0, MOST_FAULTS), `and ${more} more`] : faults };
}

function duplicates(entries: readonly ManifestEntry[]): string[] {
  const bodies = new Map<string, string>();
  return entries.flatMap(({ id, name, body }) => {
    const other = bodies.get(id);
    bodies.set(id, body);
    return other === undefined || other === body ? [] : [`${titleOf({ id, name })}: another has the same id`];
  });
}

function faultsOf({ id, name, body }: ManifestEntry, schema: GraphQLSchema): string[] {
  return checkDocument(schema, body).errors.map(({ message, locations: [at] = [] }) => {
    const place = at === undefined ? '' : ` (${at.line}:${at.column})`;
    return `${titleOf({ id, name })}: ${message}${place}`;
  });
}

function titleOf({ id, name }: Pick<ManifestEntry, 'id' | 'name'>): string {
  return name === undefined ? id : `${name} (${id})`;
}
