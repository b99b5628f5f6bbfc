import { LRUCache } from 'lru-cache';
import { GraphQLError, Kind, parse, validate, type DocumentNode, type GraphQLSchema } from 'graphql';

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
    const document = parse(source, { maxLexicalTokens: MAX_TOKENS });
    const errors = validate(schema, document, undefined, { maxErrors: 10 });
    return { document, errors: errors.length > 0 ? errors : unsupportedOperations(schema, document) };
  } catch (error) {
    return { errors: [error as GraphQLError] };
  }
}

/** graphql-js lets `subscription { __typename }` pass validation, and finds only in executing that there is none. */
function unsupportedOperations(schema: GraphQLSchema, { definitions }: DocumentNode): GraphQLError[] {
  return definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION && schema.getRootType(definition.operation) == null
      ? [new GraphQLError(`There is no ${definition.operation} here.`, { nodes: definition })]
      : [],
  );
}
