import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import { LRUCache } from 'lru-cache';
import { noLookups } from '../../lib/lookups.js';
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  validate,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { deprecatedFields, type DeprecatedField } from './deprecated-fields.js';

/** A source text after parsing and validation; with errors there is nothing to execute. */
export interface CheckedDocument {
  document?: DocumentNode;
  errors: readonly GraphQLError[];
  /** Of one that can be executed. */
  deprecated?: readonly DeprecatedField[];
}

/** Bounds the work of parsing and validating; the introspection query of the common tools has about 400 tokens. */
export const MAX_TOKENS = 2000;
const MAX_CACHED_BYTES = 32 * 1024 * 1024;
/** What a document of one field holds in memory, and what each character adds: measured, rounded up. */
const BYTES_OF_A_DOCUMENT = 10_000;
const BYTES_OF_A_CHARACTER = 250;

/**
 * Parses and validates each source text once while it is in use. Only what can be executed is kept: errors hold their
 * stacks, some 60 KB for a document of twenty characters, and nobody needs a mistake to be fast. What the operator has
 * listed is kept for good.
 */
export function createDocumentCache(
  schema: GraphQLSchema,
  lookups = noLookups(),
  isListed: (source: string) => boolean = () => false,
): (source: string) => CheckedDocument {
  const listed = new Map<string, CheckedDocument>();
  const checked = new LRUCache<string, CheckedDocument>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: (_document, source) => bytesOf(source),
  });
  return (source) => {
    const known = listed.get(source) ?? checked.get(source);
    if (known !== undefined) {
      lookups.hits += 1;
      return known;
    }
    lookups.misses += 1;
    const result = checkDocument(schema, source);
    if (result.errors.length === 0) (isListed(source) ? listed : checked).set(source, result);
    return result;
  };
}

/** What Apollo remembers. By itself it counts the length as JSON, a fraction of what a document holds. */
export function createDocumentStore(): NonNullable<ApolloServerOptions<BaseContext>['documentStore']> {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ loc }) => bytesOf(loc?.source.body ?? ''),
  });
  return {
    get: (key) => Promise.resolve(documents.get(key)),
    set: (key, document) => {
      documents.set(key, document);
      return Promise.resolve();
    },
    delete: (key) => Promise.resolve(documents.delete(key)),
  };
}

function bytesOf(source: string): number {
  return BYTES_OF_A_DOCUMENT + source.length * BYTES_OF_A_CHARACTER;
}

export function checkDocument(schema: GraphQLSchema, source: string): CheckedDocument {
  try {
    const document = parse(source, { maxLexicalTokens: MAX_TOKENS });
    const errors = validate(schema, document, undefined, { maxErrors: 10 });
    if (errors.length > 0) return { document, errors };
    const deprecated = deprecatedFields(schema, document);
    return { document, errors: unsupportedOperations(schema, document), deprecated };
  } catch (error) {
    return { errors: [tooManyTokens(error as GraphQLError)] };
  }
}

/** graphql-js names the limit, and not what to do. */
function tooManyTokens(error: GraphQLError): GraphQLError {
  if (!error.message.includes(`${MAX_TOKENS} tokens`)) return error;
  const { source, positions } = error;
  return new GraphQLError(
    `The document has more than ${MAX_TOKENS} tokens: ask in several requests, or write what repeats as a fragment.`,
    { source, positions },
  );
}

/** graphql-js lets `subscription { __typename }` pass validation, and finds only in executing that there is none. */
function unsupportedOperations(schema: GraphQLSchema, { definitions }: DocumentNode): GraphQLError[] {
  return definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION && schema.getRootType(definition.operation) == null
      ? [new GraphQLError(noSuchOperations(schema, definition.operation), { nodes: definition })]
      : [],
  );
}

function noSuchOperations(schema: GraphQLSchema, asked: OperationTypeNode): string {
  const { QUERY, MUTATION } = OperationTypeNode;
  const there = schema.getMutationType() ? 'queries and mutations' : 'queries';
  return asked === MUTATION
    ? `There are no mutations here, only ${there}.`
    : `There are no subscriptions here, only ${there}: ask again with a ${QUERY} for what may have changed.`;
}
