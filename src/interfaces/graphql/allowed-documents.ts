import type { Response } from 'express';
import type { ApiKeyRole } from '../../features/keys/api-key.js';
import type { Config } from '../../config/config.js';
import { callerOf, requestContextOf } from '../../http/steps/request-context.js';

/** Which documents who asks may execute. */
export type AllowedDocuments = 'any' | 'listed' | 'listed or of the dashboard';

/**
 * Admins may ask for anything, or nobody could look at what is wrong. A session may do what its key may, and execute
 * what its page asks for, which is the operator's own.
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
