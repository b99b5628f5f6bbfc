import {
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { ApiError } from '../../lib/errors.js';
import type { Lookups } from '../../lib/lookups.js';
import { OTHER_OPERATION } from '../../features/usage/usage.js';
import type { AllowedDocuments } from './allowed-documents.js';
import { MAX_FIELDS, mostFields } from './answer-size.js';
import { chooseOperation } from './choose-operation.js';
import { costOf } from './cost.js';
import type { DeprecatedField } from './deprecated-fields.js';
import { createDocumentCache } from './document-cache.js';
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
  nodes: number;
  fields: number;
  /** What it asks for that will be removed. */
  deprecated: readonly DeprecatedField[];
}

/**
 * Finds the document, parses, validates and measures; executes nothing and asks no store.
 */
export function createPrepare(
  schema: GraphQLSchema,
  operations?: PersistedOperations,
  lookups?: Lookups,
): (asked: AskedOperation, allowed: AllowedDocuments) => Prepared {
  const check = createDocumentCache(schema, lookups, operations?.has);
  return ({ query, documentId, hash, ...rest }, allowed) => {
    const found = findDocument({ query, documentId, hash }, operations, allowed);
    if (found instanceof ApiError) return notExecuted({ ...rest, query: '' }, [formatRefusal(found)]);
    const request = { ...rest, query: found };
    const { operationName, variables } = request;
    const { document, errors, deprecated = [] } = check(found);
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
      nodes: mostNodes(schema, document, operation, variables),
      fields: mostFields(schema, document, operation, variables),
      deprecated,
    };
  };
}

function notExecuted(request: GraphQLRequest, errors: readonly GraphQLFormattedError[]): Prepared {
  const nothing = { operation: undefined, name: OTHER_OPERATION, nodes: 0, fields: 0, deprecated: [] };
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
