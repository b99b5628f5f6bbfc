import { ApiError, invalidRequest } from '../lib/errors.js';
import { sha256, type PersistedOperations } from './persisted-operations.js';
import type { AskedDocument } from './read-requests.js';

/** What Apollo's clients and urql's compare the message with, to send the document itself next. */
const NOT_SUPPORTED = 'PersistedQueryNotSupported';
const NOT_FOUND = 'PersistedQueryNotFound';

const SEND_IT = 'send the document in "query"';

/**
 * The document that is asked for, by its text or by its id (GraphQL over HTTP, appendix A; Apollo's persistedQuery
 * extension), or why there is none. `onlyPersisted`: what is not listed is refused.
 */
export function findDocument(
  { query, documentId, hash }: AskedDocument,
  operations: PersistedOperations | undefined,
  onlyPersisted: boolean,
): string | ApiError {
  const id = documentId?.replace(/^sha256:/, '') ?? hash;
  const listed = id === undefined ? undefined : (operations?.byId(documentId ?? id) ?? operations?.byId(id));
  if (query === undefined) {
    if (listed !== undefined) return listed;
    if (onlyPersisted) return notListed('There is no operation with this id among them.');
    return hash === undefined ? unknownId(documentId, operations) : unknownHash(operations);
  }
  if (id !== undefined && listed !== query && sha256(query) !== id)
    return invalidRequest({
      field: documentId === undefined ? 'extensions.persistedQuery.sha256Hash' : 'documentId',
      message: 'is not of the document in "query"',
    });
  if (onlyPersisted && operations?.has(query) !== true)
    return notListed('The document in "query" must be one of them, to the byte.');
  return query;
}

function notListed(reason: string): ApiError {
  return new ApiError(
    'forbidden',
    `This key may execute only the operations that the operator of this gateway has listed. ${reason}`,
  );
}

function unknownId(documentId: string | undefined, operations: PersistedOperations | undefined): ApiError {
  return operations === undefined
    ? invalidRequest({ field: 'documentId', message: `no documents are listed here: ${SEND_IT}` })
    : new ApiError(
        'not_found',
        `There is no document with the id ${JSON.stringify(documentId)}: ${SEND_IT}.`,
      );
}

/** The advice is in the details: the message belongs to the clients. */
function unknownHash(operations: PersistedOperations | undefined): ApiError {
  const fields = [
    { field: 'extensions.persistedQuery', message: `is of no document that is listed: ${SEND_IT}` },
  ];
  return operations === undefined
    ? new ApiError('invalid_request', NOT_SUPPORTED, { details: { fields } })
    : new ApiError('not_found', NOT_FOUND, { details: { fields } });
}
