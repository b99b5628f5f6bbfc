import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import { LRUCache } from 'lru-cache';
import { noStatistics } from '../../lib/cache-statistics.js';
import {
  GraphQLError,
  Kind,
  Lexer,
  OperationTypeNode,
  OverlappingFieldsCanBeMergedRule,
  parse,
  Source,
  specifiedRules,
  TokenKind,
  validate,
  type ASTVisitor,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { deprecatedFields, type DeprecatedField } from './deprecated-fields.js';
import { overlappingFieldsRule, tooMuchWork } from './overlapping-fields.js';
import { sha256 } from '../../lib/sha256.js';

/** A source text after parsing and validation; with errors there is nothing to execute. */
export interface CheckedDocument {
  document?: DocumentNode;
  errors: readonly GraphQLError[];
  tokens: number;
  /** Of one that can be executed. */
  deprecated?: readonly DeprecatedField[];
}

export interface DocumentCache {
  /** @param most the tokens that the document may have */
  check(source: string, most?: number): CheckedDocument;
  /** Whether `check` has nothing to parse. */
  has(source: string): boolean;
  /** For Apollo, which asks by the SHA-256 of a source: what was checked is executed as it is, and not parsed again. */
  store: NonNullable<ApolloServerOptions<BaseContext>['documentStore']>;
}

/**
 * Bounds the work of parsing and validating, for all documents of a request together; the introspection query of the
 * common tools has fewer than 400 tokens.
 */
export const MAX_TOKENS = 2000;
/**
 * Processor time for the validation of one document: many times what the costliest document needs that is known. The
 * other bounds are counts, which are the same on every machine; this one is for what nobody has thought of.
 */
const MAX_VALIDATION_MS = 1000;
/** Asking for the time costs about as much as visiting a node. */
const NODES_BETWEEN_LOOKS = 50;
const RULES = [
  endInTime,
  ...specifiedRules.map((rule) => (rule === OverlappingFieldsCanBeMergedRule ? overlappingFieldsRule : rule)),
];
/** The message with which graphql-js gives up, when fragments take too many steps of its own. */
const GIVEN_UP = 'Validation aborted.';
const MAX_CACHED_BYTES = 32 * 1024 * 1024;
/** What a document of one field holds in memory, and what each character adds: measured, rounded up. */
const BYTES_OF_A_DOCUMENT = 10_000;
const BYTES_OF_A_CHARACTER = 250;
/** With these a key of Apollo's ends; the schema's hash stands before them. */
const SHA256_DIGITS = 64;

/**
 * Parses and validates each source text once while it is in use. Only what can be executed is kept: errors hold their
 * stacks, some 60 KB for a document of twenty characters, and nobody needs a mistake to be fast. What the operator has
 * listed is kept for good.
 */
export function createDocumentCache(
  schema: GraphQLSchema,
  cacheStatistics = noStatistics(),
  isListed: (source: string) => boolean = () => false,
): DocumentCache {
  const listed = new Map<string, CheckedDocument>();
  const byHash = new Map<string, DocumentNode>();
  const checked = new LRUCache<string, CheckedDocument>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: (_document, source) => bytesOf(source),
    dispose: (_document, source) => byHash.delete(sha256(source)),
  });

  function keep(source: string, result: CheckedDocument): void {
    (isListed(source) ? listed : checked).set(source, result);
    if (result.document !== undefined) byHash.set(sha256(source), result.document);
  }

  return {
    has: (source) => listed.has(source) || checked.has(source),
    check(source, most = MAX_TOKENS) {
      const known = listed.get(source) ?? checked.get(source);
      if (known !== undefined) {
        cacheStatistics.hits += 1;
        return known.tokens > most ? { errors: [tooManyTokens(most)], tokens: known.tokens } : known;
      }
      cacheStatistics.misses += 1;
      const result = checkDocument(schema, source, most);
      if (result.errors.length === 0) keep(source, result);
      return result;
    },
    store: {
      get: (key) => Promise.resolve(byHash.get(key.slice(-SHA256_DIGITS))),
      // One that was pushed out between its check and its execution is parsed once more, and checked the next time.
      set: () => Promise.resolve(),
      delete: () => Promise.resolve(false),
    },
  };
}

function bytesOf(source: string): number {
  return BYTES_OF_A_DOCUMENT + source.length * BYTES_OF_A_CHARACTER;
}

/** @param most the tokens that the document may have */
export function checkDocument(schema: GraphQLSchema, source: string, most = MAX_TOKENS): CheckedDocument {
  let document: DocumentNode;
  try {
    document = parse(source, { maxLexicalTokens: most });
  } catch (error) {
    const tokens = countTokens(source, most);
    const fault = error as GraphQLError;
    return { errors: [tokens > most ? tooManyTokens(most, fault) : fault], tokens };
  }
  const tokens = document.tokenCount ?? most;
  const errors = validateDocument(schema, document);
  if (errors.length > 0) return { document, errors, tokens };
  const deprecated = deprecatedFields(schema, document);
  return { document, errors: unsupportedOperations(schema, document), tokens, deprecated };
}

/** graphql-js tells the tokens only of what it could parse. Counts no further than one more than `most`. */
function countTokens(source: string, most: number): number {
  const lexer = new Lexer(new Source(source));
  let tokens = 0;
  try {
    while (tokens <= most && lexer.advance().kind !== TokenKind.EOF) tokens += 1;
  } catch {
    // What is no token ends the document for the parser as well.
  }
  return tokens;
}

/** graphql-js names the limit, and not what to do. */
function tooManyTokens(most: number, at?: GraphQLError): GraphQLError {
  return new GraphQLError(
    most === MAX_TOKENS
      ? `The document has more than ${MAX_TOKENS} tokens: ask in several requests, or write what repeats as a fragment.`
      : `The documents of this batch have more than ${MAX_TOKENS} tokens together: send them in several requests.`,
    { source: at?.source, positions: at?.positions },
  );
}

function validateDocument(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  try {
    const errors = validate(schema, document, RULES, { maxErrors: 10 });
    return errors.map((error) => (error.message === GIVEN_UP ? tooMuchWork() : error));
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** A rule that finds no fault, but ends a validation that takes too long. */
function endInTime(): ASTVisitor {
  const began = process.cpuUsage();
  let nodes = 0;
  return {
    enter() {
      nodes += 1;
      if (nodes % NODES_BETWEEN_LOOKS > 0) return;
      const { user, system } = process.cpuUsage(began);
      if ((user + system) / 1000 > MAX_VALIDATION_MS) throw tooMuchWork();
    },
  };
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
