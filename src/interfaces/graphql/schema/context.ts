import type { ApiKey, ApiKeyRole } from '../../../features/keys/api-key.js';
import type { Caller } from '../../../features/keys/caller.js';
import { ApiError } from '../../../lib/errors.js';
import type { Actor } from '../../../features/audit/audit-record.js';
import type { Verdict } from '../../../features/quotas/quotas-service.js';
import type { Loaders } from './loaders.js';

/** What resolvers know of the request beside their arguments. */
export interface GraphQLContext {
  requestId: string;
  caller: Caller;
  /** The caller's quota after the charge of this request. */
  verdict: Verdict;
  /** Whether the dashboard asks: then the verdict tells of the key's windows only where the request is about pets. */
  isBySession?: boolean;
  loaders: Loaders;
}

/** @throws ApiError forbidden unless the caller has one of the roles */
export function requireRole({ caller }: GraphQLContext, ...roles: readonly ApiKeyRole[]): void {
  const { role } = caller.key;
  if (!roles.includes(role))
    throw new ApiError(
      'forbidden',
      `This needs a key with the role ${roles.join(' or ')}; this key is ${role}.`,
    );
}

/** Every role but browser, whose key anybody can read in a page: that one is for pets. @throws ApiError forbidden */
export function requireNotBrowser(context: GraphQLContext): void {
  requireRole(context, 'server', 'owner', 'admin');
}

/**
 * Owners act within their own project, admins everywhere.
 * @throws ApiError forbidden
 */
export function requireProjectAccess(context: GraphQLContext, projectId: string | undefined): void {
  requireRole(context, 'owner', 'admin');
  const { key, project } = context.caller;
  if (key.role !== 'admin' && project?.id !== projectId)
    throw new ApiError('forbidden', 'An owner key reaches its own project only.');
}

/** Owners see the keys of their own project, admins all. */
export function mayReachKey({ caller }: GraphQLContext, key: ApiKey): boolean {
  return caller.key.role === 'admin' || (key.projectId !== undefined && key.projectId === caller.project?.id);
}

/** In whose name a change is made. Only who passed requireRole or requireProjectAccess gets here. */
export function actorOf({ caller }: GraphQLContext): Actor {
  return { keyId: caller.key.id, role: caller.key.role === 'admin' ? 'admin' : 'owner' };
}
