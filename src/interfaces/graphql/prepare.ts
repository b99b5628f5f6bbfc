import {
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { ApiError } from '../../lib/errors.js';
import { OTHER_OPERATION } from '../../features/usage/usage.js';
import type { AllowedDocuments } from './allowed-documents.js';
import { MAX_FIELDS, mostFields } from './answer-size.js';
import { chooseOperation } from './choose-operation.js';
import { costOf, petsCostOf } from './cost.js';
import type { DeprecatedField } from './deprecated-fields.js';
import { MAX_TOKENS, type DocumentCache } from './document-cache.js';
import { formatDocumentError, formatRefusal } from './format-error.js';
import { MAX_NODES, mostNodes } from './nodes.js';
import { countedAs } from './operation-name.js';
import { findDocument } from './find-document.js';
import type { PersistedOperations } from './persisted-operations.js';
import type { AskedOperation, GraphQLRequest } from './read-requests.js';

/** An operation before it is charged: what it is, and what it costs. */
export interface Prepared {
  request: GraphQLRequest;
  /** Why nothing can be executed: there is no document, it is not valid, or has no such operation. */
  errors: readonly GraphQLFormattedError[];
  /** Undefined when nothing can be executed. */
  operation: OperationDefinitionNode | undefined;
  /** What it is counted as. */
  name: string;
  /** 1 when nothing can be executed. */
  cost: number;
  /** The part of the cost that is for pets. */
  petsCost: number;
  nodes: number;
  fields: number;
  /** What it asks for that will be removed. */
  deprecated: readonly DeprecatedField[];
}

export interface Preparing {
  /**
   * Finds the documents of one request, parses, validates and measures them; executes nothing and asks no store. The
   * documents have MAX_TOKENS together: the one that exceeds them is not parsed, nor is any after it.
   */
  prepare(asked: readonly AskedOperation[], allowed: AllowedDocuments): Prepared[];
  /** Whether `prepare` has a document to parse, one that this process does not remember. */
  parses(asked: readonly AskedOperation[]): boolean;
}

export function createPreparing(
  schema: GraphQLSchema,
  documents: DocumentCache,
  operations?: PersistedOperations,
): Preparing {
  function prepareOne(
    { query, documentId, hash, ...rest }: AskedOperation,
    allowed: AllowedDocuments,
    tokens: { left: number },
  ): Prepared {
    const found = findDocument({ query, documentId, hash }, operations, allowed);
    if (found instanceof ApiError) return notExecuted({ ...rest, query: '' }, [formatRefusal(found)]);
    const request = { ...rest, query: found };
    const { operationName, variables } = request;
    const checked = documents.check(found, tokens.left);
    tokens.left = Math.max(0, tokens.left - checked.tokens);
    const { document, errors, deprecated = [] } = checked;
    if (document === undefined || errors.length > 0)
      return notExecuted(
        request,
        errors.map((error) => formatDocumentError(schema, document, error)),
      );
    const operation = chooseOperation(document, operationName);
    if (operation instanceof GraphQLError)
      return notExecuted(request, [formatDocumentError(schema, document, operation)]);
    return {
      request,
      errors: [],
      operation,
      name: countedAs(document, operation),
      cost: costOf(document, operation, variables),
      petsCost: petsCostOf(document, operation, variables),
      nodes: mostNodes(schema, document, operation, variables),
      fields: mostFields(schema, document, operation, variables),
      deprecated,
    };
  }

  return {
    prepare(asked, allowed) {
      const tokens = { left: MAX_TOKENS };
      return asked.map((one) => prepareOne(one, allowed, tokens));
    },
    parses: (asked) => asked.some(({ query }) => query !== undefined && !documents.has(query)),
  };
}

function notExecuted(request: GraphQLRequest, errors: readonly GraphQLFormattedError[]): Prepared {
  const nothing = {
    operation: undefined,
    name: OTHER_OPERATION,
    petsCost: 0,
    nodes: 0,
    fields: 0,
    deprecated: [],
  };
  return { request, errors, cost: 1, ...nothing };
}

/** @throws ApiError query_too_costly for pages within pages, and for more fields than are answered at once */
export function assertFewNodes(prepared: readonly Prepared[]): void {
  const nodes = Math.max(...prepared.map((one) => one.nodes));
  if (nodes > MAX_NODES)
    throw new ApiError(
      'query_too_costly',
      `One field asks for up to ${nodes} nodes, more than ${MAX_NODES}: ask for fewer or smaller pages within pages.`,
      { details: { nodes, limit: MAX_NODES } },
    );
  if (prepared.reduce((sum, one) => sum + one.fields, 0) > MAX_FIELDS)
    throw new ApiError(
      'query_too_costly',
      `The answer could have more than ${MAX_FIELDS} fields: ask for fewer of them, for smaller pages, or in several requests.`,
      { details: { limit: MAX_FIELDS } },
    );
}
