import { readFileSync } from 'node:fs';
import type { GraphQLSchema } from 'graphql';
import { sha256 } from '../../lib/sha256.js';
import type { Config } from '../../config/config.js';
import { ConfigError } from '../../config/config-error.js';
import { checkDocument } from './document-cache.js';
import { parseManifest, type ManifestEntry } from '../../config/operations-manifest.js';

/** The documents in the operator's list. */
export interface PersistedOperations {
  /** By the id in the list, or by the SHA-256 of the text in hexadecimal digits. */
  byId: (id: string) => string | undefined;
  has: (document: string) => boolean;
  /** Whether the document is one of the dashboard's own, which need not be listed. */
  isOfDashboard: (document: string) => boolean;
}

const MOST_FAULTS = 20;

/**
 * Creates the list of documents; undefined if the operator has none. The list always contains the document of the
 * built-in storefront, because its sites would be empty without it.
 */
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
 * Returns the settings with the documents listed in GRAPHQL_OPERATIONS_FILE. The file is read once for all worker
 * processes: it may change at any time, and all processes of a gateway must use the same list.
 * @throws ConfigError if the file cannot be read, or with one line for each document that cannot be executed and each
 * id that stands for two documents
 */
export function withListedOperations(config: Config, makeSchema: () => GraphQLSchema): Config {
  const { file } = config.graphqlOperations;
  if (file === undefined) return config;
  const { listed, faults } = readOperations(file, makeSchema);
  if (faults.length > 0)
    throw new ConfigError(faults.map((fault) => `GRAPHQL_OPERATIONS_FILE ${file}: ${fault}`));
  return { ...config, graphqlOperations: { ...config.graphqlOperations, listed } };
}

/**
 * Reads the documents listed in the file, and the faults that make it unusable: the first MOST_FAULTS, and the number
 * of the others.
 */
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

/**
 * The document of the built-in storefront, identical to the one in
 * src/features/publishing/storefront/page/read-animals.js.
 */
export const STOREFRONT_DOCUMENT = `query Animals($first: Int!, $status: PetStatus, $after: String) {
  petsConnection(first: $first, status: $status, after: $after) {
    edges { node { id name categoryId status } }
    pageInfo { hasNextPage endCursor }
  }
}`;
