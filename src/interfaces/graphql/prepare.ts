import {
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  getOperationAST,
  Kind,
  type DocumentNode,
} from 'graphql';
import { DAY_MS, type Clock } from '../../lib/clock.js';
import { ApiError } from '../../lib/errors.js';
import { OTHER_OPERATION } from '../../features/usage/usage.js';
import { type AllowedDocuments, findDocument } from './find-document.js';
import {
  answerSize,
  MAX_FIELDS,
  MAX_FIELDS_PER_UNIT,
  MAX_NODES,
  type MeasuredAnswer,
} from './answer-size.js';
import { readRoot, type RootFields } from './cost.js';
import { MAX_TOKENS, type DocumentCache } from './document-cache.js';
import { variableErrors } from './input-faults.js';
import { formatDocumentError, formatRefusal } from './format-error.js';
import type { PersistedOperations } from './persisted-operations.js';
import type { JsonObject } from '../../lib/parse-json.js';
import { cut } from '../../lib/received.js';
import type { AskedOperation, GraphQLRequest } from './read-requests.js';

/** What an operation asks for, before it is executed. */
type Measures = RootFields & MeasuredAnswer;

/** An operation before the charge, with its cost: 1 if there is no operation to execute. */
export interface Prepared extends Measures {
  request: GraphQLRequest;
  /**
   * Why the operation cannot be executed: the document is missing or invalid, has no such operation, or the variables do
   * not fit it.
   */
  errors: readonly GraphQLFormattedError[];
  /** Undefined if there is no operation to execute. */
  operation: OperationDefinitionNode | undefined;
}

export interface Preparing {
  /**
   * Finds, parses, validates and measures the documents of one request. Executes nothing and reads no store. All
   * documents together have at most MAX_TOKENS: the document that exceeds the limit and those after it are not parsed.
   */
  prepare(asked: readonly AskedOperation[], allowed: AllowedDocuments): Prepared[];
  /** Whether `prepare` would have to parse a document that this process has not cached. */
  parses(asked: readonly AskedOperation[]): boolean;
}

export function createPreparing(
  schema: GraphQLSchema,
  documents: DocumentCache,
  clock: Clock,
  operations?: PersistedOperations,
): Preparing {
  function prepareOne(asked: AskedOperation, allowed: AllowedDocuments, tokens: { left: number }): Prepared {
    const { operationName, variables } = asked;
    const found = findDocument(asked, operations, allowed);
    if (found instanceof ApiError)
      return notExecuted({ query: '', operationName, variables }, [formatRefusal(found)]);
    const request = { query: found, operationName, variables };
    const checked = documents.check(found, tokens.left);
    tokens.left = Math.max(0, tokens.left - checked.tokens);
    const { document, errors } = checked;
    if (document === undefined || errors.length > 0)
      return notExecuted(
        request,
        errors.map((error) => formatDocumentError(error)),
      );
    const operation = chooseOperation(document, operationName);
    if (operation instanceof GraphQLError) return notExecuted(request, [formatDocumentError(operation)]);
    // Not a spread, which takes a microsecond before Node.js 24.
    const measures = measuresOf(document, operation, variables);
    return {
      request,
      errors: variableErrors(schema, operation, variables).map((error) => formatDocumentError(error)),
      operation,
      name: measures.name,
      isSharedRead: measures.isSharedRead,
      isIdempotent: measures.isIdempotent,
      cost: measures.cost,
      petsCost: measures.petsCost,
      nodes: measures.nodes,
      fields: measures.fields,
      introspected: measures.introspected,
      deprecated: measures.deprecated,
      variesByCaller: measures.variesByCaller,
    };
  }

  function measure(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: JsonObject,
    nowMs: number,
  ): Measures {
    return {
      ...readRoot(schema, document, operation, variables),
      ...answerSize(schema, document, operation, variables, nowMs),
    };
  }

  /** A document stays the same object while it is in use. */
  const measured = new WeakMap<OperationDefinitionNode, { day: number; measures: Measures }>();

  /** Measures an operation without variables once a day: a range up to now has one day more tomorrow. */
  function measuresOf(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: JsonObject,
  ): Measures {
    const nowMs = clock();
    if ((operation.variableDefinitions ?? []).length > 0)
      return measure(document, operation, variables, nowMs);
    const day = Math.floor(nowMs / DAY_MS);
    const known = measured.get(operation);
    if (known?.day === day) return known.measures;
    const measures = measure(document, operation, {}, nowMs);
    measured.set(operation, { day, measures });
    return measures;
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
    isSharedRead: false,
    isIdempotent: false,
    petsCost: 0,
    nodes: 0,
    fields: 0,
    introspected: 0,
    deprecated: [],
    variesByCaller: false,
  };
  return { request, errors, cost: 1, ...nothing };
}

/**
 * Rejects pages within pages that request too many nodes, and requests for too many fields. @throws ApiError
 * query_too_costly
 */
export function assertFewNodes(prepared: readonly Prepared[]): void {
  const nodes = Math.max(...prepared.map((one) => one.nodes));
  if (nodes > MAX_NODES)
    throw new ApiError(
      'query_too_costly',
      `One root field requests up to ${nodes} nodes, and the limit is ${MAX_NODES}. Request fewer or smaller pages within pages.`,
      { details: { nodes, limit: MAX_NODES } },
    );
  const [fields, cost] = [sumOf(prepared, 'fields'), sumOf(prepared, 'cost')];
  const limit = Math.min(MAX_FIELDS, cost * MAX_FIELDS_PER_UNIT + sumOf(prepared, 'introspected'));
  if (fields > limit)
    throw new ApiError(
      'query_too_costly',
      `The response could have ${fields} fields, and the limit of a request that costs ${cost} is ${limit}. Request fewer fields or smaller pages, or send several requests.`,
      { details: { fields, limit } },
    );
}

function sumOf(prepared: readonly Prepared[], name: 'fields' | 'introspected' | 'cost'): number {
  return prepared.reduce((sum, one) => sum + one[name], 0);
}

const MOST_NAMED = 10;

/** Returns the requested operation of a valid document, or an error if `operationName` does not identify one. */
export function chooseOperation(
  document: DocumentNode,
  operationName: string | undefined,
): OperationDefinitionNode | GraphQLError {
  return getOperationAST(document, operationName) ?? new GraphQLError(noOperation(document, operationName));
}

function noOperation({ definitions }: DocumentNode, asked: string | undefined): string {
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const names = operations.flatMap(({ name }) => name?.value ?? []);
  const listed = (names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), '…'] : names).join(', ');
  if (asked === undefined)
    return `The document has several operations. Name the one to execute in "operationName": ${listed}.`;
  const none = `The document has no operation ${JSON.stringify(cut(asked))}`;
  return names.length === 0
    ? `${none}. Its only operation has no name, so omit "operationName".`
    : `${none}. Set "operationName" to one of ${listed}.`;
}
