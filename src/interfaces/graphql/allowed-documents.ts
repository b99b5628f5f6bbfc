import type { Response } from 'express';
import type { ApiKeyRole } from '../../features/keys/api-key.js';
import type { Config } from '../../config/config.js';
import { callerOf, requestContextOf } from '../../http/steps/request-context.js';

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
