import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import { LRUCache } from 'lru-cache';
import { noStatistics } from '../../lib/cache-statistics.js';
import {
  GraphQLError,
  Kind,
  Lexer,
  OperationTypeNode,
  parse,
  Source,
  TokenKind,
  validate,
  type ASTVisitor,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { DOCUMENT_RULES } from './document-rules.js';
import { tooMuchWork } from './overlapping-fields.js';
import { sha256 } from '../../lib/sha256.js';

/** The result of parsing and validating a source text. A document with errors cannot be executed. */
export interface CheckedDocument {
  document?: DocumentNode;
  errors: readonly GraphQLError[];
  tokens: number;
}

export interface DocumentCache {
  /** @param most maximum number of tokens of the document */
  check(source: string, most?: number): CheckedDocument;
  /** Whether `check` finds the result without parsing. */
  has(source: string): boolean;
  /**
   * For Apollo, which looks up documents by the SHA-256 of the source: a checked document is executed without parsing
   * it again.
   */
  store: NonNullable<ApolloServerOptions<BaseContext>['documentStore']>;
}

/**
 * Maximum number of tokens of all documents of a request together. It bounds the work of parsing and validation. The
 * introspection query of the common tools has fewer than 400 tokens.
 */
export const MAX_TOKENS = 2000;
/**
 * Maximum CPU time for the validation of one document: many times the need of the costliest known document. The other
 * bounds are counts, which are the same on every machine; this one covers unknown cases.
 */
const MAX_VALIDATION_MS = 1000;
/** Nodes between two checks of the CPU time. Reading the time costs about as much as visiting a node. */
const NODES_BETWEEN_LOOKS = 50;
const RULES = [endInTime, ...DOCUMENT_RULES];
/** The message with which graphql-js stops validation after too many steps in fragments. */
const GIVEN_UP = 'Validation aborted.';
const MAX_CACHED_BYTES = 32 * 1024 * 1024;
/**
 * Memory of a cached document with one field, and of each character of the source; measured and rounded up, in bytes.
 */
const BYTES_OF_A_DOCUMENT = 10_000;
const BYTES_OF_A_CHARACTER = 250;
/** Apollo's key ends with this many digits; the schema's hash precedes them. */
const SHA256_DIGITS = 64;

/**
 * Creates a cache that parses and validates each source text once while the text is in use. Only executable documents
 * are cached: errors hold their stacks, some 60 KB for a document of twenty characters, and a repeated mistake need not
 * be fast. Documents in the operator's list stay cached for good.
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
      // A document that is evicted between its check and its execution is parsed by Apollo once more. The next request
      // checks it again.
      set: () => Promise.resolve(),
      delete: () => Promise.resolve(false),
    },
  };
}

function bytesOf(source: string): number {
  return BYTES_OF_A_DOCUMENT + source.length * BYTES_OF_A_CHARACTER;
}

/** @param most maximum number of tokens of the document */
export function checkDocument(schema: GraphQLSchema, source: string, most = MAX_TOKENS): CheckedDocument {
  let document: DocumentNode;
  try {
    document = parse(source, { maxLexicalTokens: most });
  } catch (error) {
    const tokens = countTokens(source, most);
    const fault = error as GraphQLError;
    return { errors: [tokens > most ? tooManyTokens(most, fault) : endsEarly(fault)], tokens };
  }
  const tokens = document.tokenCount ?? most;
  const errors = validateDocument(schema, document);
  if (errors.length > 0) return { document, errors, tokens };
  return { document, errors: unsupportedOperations(schema, document), tokens };
}

/**
 * Counts the tokens of a document that could not be parsed, for which graphql-js reports no count. Stops at `most` + 1.
 */
function countTokens(source: string, most: number): number {
  const lexer = new Lexer(new Source(source));
  let tokens = 0;
  try {
    while (tokens <= most && lexer.advance().kind !== TokenKind.EOF) tokens += 1;
  } catch {
    // The parser also stops at an invalid token.
  }
  return tokens;
}

/** The message of graphql-js names the limit and no remedy. */
function tooManyTokens(most: number, at?: GraphQLError): GraphQLError {
  return new GraphQLError(
    most === MAX_TOKENS
      ? `The document has more than ${MAX_TOKENS} tokens. Send several requests, or use fragments for repeated parts.`
      : `The documents of this batch have more than ${MAX_TOKENS} tokens together. Send them in several requests.`,
    { source: at?.source, positions: at?.positions },
  );
}

/** Adds a remedy to a syntax error at the end of the document. */
function endsEarly(fault: GraphQLError): GraphQLError {
  const { message, source, positions } = fault;
  if (source === undefined || positions?.[0] !== source.body.length) return fault;
  const remedy = 'The document ends too early: is a closing brace missing?';
  return new GraphQLError(`${message} ${remedy}`, { source, positions });
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

/** A rule that reports no faults, but stops a validation that takes too long. */
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

/**
 * graphql-js validates `subscription { __typename }`, and reports only at execution that the schema has no
 * subscriptions.
 */
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
    ? `This endpoint has no mutations, only ${there}.`
    : `The gateway has no subscriptions, only ${there}. Repeat a ${QUERY} to find changes.`;
}
