import { LRUCache } from 'lru-cache';
import { parse, validate, type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';

/** A source text after parsing and validation; with errors there is nothing to execute. */
export interface CheckedDocument {
  document?: DocumentNode;
  errors: readonly GraphQLError[];
}

/** Bounds the work of parsing and validating; the introspection query of the common tools has about 400 tokens. */
export const MAX_TOKENS = 2000;
/** Characters of source kept. Together with the parsed form about ten times as many bytes. */
const MAX_CACHED_CHARACTERS = 1_000_000;

/** Parses and validates each source text once while it is in use. */
export function createDocumentCache(schema: GraphQLSchema): (source: string) => CheckedDocument {
  const checked = new LRUCache<string, CheckedDocument>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (_document, source) => source.length + 1,
    memoMethod: (source) => check(schema, source),
  });
  return (source) => checked.memo(source);
}

function check(schema: GraphQLSchema, source: string): CheckedDocument {
  try {
    const document = parse(source, { maxTokens: MAX_TOKENS });
    return { document, errors: validate(schema, document, undefined, { maxErrors: 10 }) };
  } catch (error) {
    return { errors: [error as GraphQLError] };
  }
}
