import type { Response } from 'express';
import type { ApiKeyRole } from '../../features/keys/api-key.js';
import type { Config } from '../../config/config.js';
import { callerOf, requestContextOf } from '../../http/steps/request-context.js';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import { sha256 } from '../../lib/sha256.js';
import type { PersistedOperations } from './persisted-operations.js';
import type { AskedDocument } from './read-requests.js';

/** The documents that a caller may execute. */
export type AllowedDocuments = 'any' | 'listed' | 'listed or of the dashboard';

/**
 * Returns the documents that the caller of this request may execute. Admins may execute any document, so that they can
 * investigate problems. A session may execute what its key may, and the documents of the dashboard, which are the
 * operator's own.
 */
export function allowedDocuments(
  res: Response,
  { file, requiredFor }: Config['graphqlOperations'],
): AllowedDocuments {
  if (file === undefined || !isRequired(requiredFor, callerOf(res).key.role)) return 'any';
  return requestContextOf(res).isBySession === true ? 'listed or of the dashboard' : 'listed';
}

function isRequired(requiredFor: Config['graphqlOperations']['requiredFor'], role: ApiKeyRole): boolean {
  switch (requiredFor) {
    case 'browser':
      return role === 'browser';
    case 'all':
      return role !== 'admin';
    case 'none':
      return false;
  }
}

/** Messages that the clients of Apollo and urql compare: on these, they send the document itself next. */
const NOT_SUPPORTED = 'PersistedQueryNotSupported';
const NOT_FOUND = 'PersistedQueryNotFound';

const SEND_IT = 'send the document in "query"';

/**
 * Returns the requested document, by its text or by its id (GraphQL over HTTP, appendix A; Apollo's persistedQuery
 * extension), or an error if it is unknown or not allowed.
 */
export function findDocument(
  { query, documentId, hash }: AskedDocument,
  operations: PersistedOperations | undefined,
  allowed: AllowedDocuments,
): string | ApiError {
  const id = documentId?.replace(/^sha256:/, '') ?? hash;
  const listed = id === undefined ? undefined : (operations?.byId(documentId ?? id) ?? operations?.byId(id));
  if (query === undefined) {
    if (listed !== undefined) return listed;
    if (allowed !== 'any') return notAllowed(allowed, 'None of them has this id.');
    return hash === undefined ? unknownId(documentId, operations) : unknownHash(operations);
  }
  if (id !== undefined && listed !== query && sha256(query) !== id)
    return invalidRequest({
      field: documentId === undefined ? 'extensions.persistedQuery.sha256Hash' : 'documentId',
      message: 'is not the SHA-256 of the document in "query"',
    });
  return isAllowed(query, operations, allowed)
    ? query
    : notAllowed(allowed, 'The document in "query" must be one of them, to the byte.');
}

function isAllowed(
  query: string,
  operations: PersistedOperations | undefined,
  allowed: AllowedDocuments,
): boolean {
  if (allowed === 'any' || operations?.has(query) === true) return true;
  return allowed === 'listed or of the dashboard' && operations?.isOfDashboard(query) === true;
}

function notAllowed(allowed: AllowedDocuments, reason: string): ApiError {
  const listed = 'the operations that the operator of this gateway has listed';
  return new ApiError(
    'forbidden',
    allowed === 'listed or of the dashboard'
      ? `This session may execute only ${listed} and those of the dashboard. ${reason} If you see this in the dashboard, reload the page: it is of another version.`
      : `This key may execute only ${listed}. ${reason}`,
  );
}

function unknownId(documentId: string | undefined, operations: PersistedOperations | undefined): ApiError {
  return operations === undefined
    ? invalidRequest({
        field: 'documentId',
        message: `names a document, but this gateway has no list of documents: ${SEND_IT}`,
      })
    : new ApiError('not_found', `No listed document has the id ${JSON.stringify(documentId)}: ${SEND_IT}.`);
}

/** The advice is in the details, because clients compare the message. */
function unknownHash(operations: PersistedOperations | undefined): ApiError {
  const fields = [{ field: 'extensions.persistedQuery', message: `names no listed document: ${SEND_IT}` }];
  return operations === undefined
    ? new ApiError('invalid_request', NOT_SUPPORTED, { details: { fields } })
    : new ApiError('not_found', NOT_FOUND, { details: { fields } });
}
