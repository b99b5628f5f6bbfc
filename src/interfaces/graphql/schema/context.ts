import type { ApiKey, ApiKeyRole } from '../../../features/keys/api-key.js';
import type { Caller } from '../../../features/keys/caller.js';
import { ApiError } from '../../../lib/errors.js';
import type { Charged } from '../../../http/steps/enforce-quota.js';
import type { HeavyRead } from '../heavy-reads.js';
import type { Loaders } from './loaders.js';

/** The resolvers' information about the request, in addition to their arguments. */
export interface GraphQLContext {
  requestId: string;
  /** As in RequestContext. */
  gatewayUrl: string | undefined;
  caller: Caller;
  /** The caller's quota after the charge of this request. */
  verdict: Charged;
  /**
   * Whether the request comes from a dashboard session. If so, the verdict contains the key's windows only if the
   * request is about pets.
   */
  isBySession?: boolean;
  /** Set at a site that shows the pets of its project only: the id of the project. Other pets do not exist there. */
  onlyPetsOf?: string | undefined;
  /** The Idempotency-Key of the request, whose only root field accepts one. */
  idempotencyKey: string | undefined;
  /** Sets the header that says that an earlier request had this result. */
  announceReplay: () => void;
  loaders: () => Loaders;
  /** Runs a read that may take long, in its turn, and ends it with the request. */
  heavyRead: HeavyRead;
  /** Aborted when the request has ended. */
  signal: AbortSignal;
}

const anyOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** @throws ApiError forbidden unless the caller has one of the roles */
export function requireRole({ caller }: GraphQLContext, ...roles: readonly ApiKeyRole[]): void {
  const { role } = caller.key;
  if (!roles.includes(role))
    throw new ApiError(
      'forbidden',
      `This needs a key with the role ${anyOf.format(roles)}. This key has the role ${role}.`,
    );
}

/** Denies browser keys, which anyone can read in a page: they are for pets only. @throws ApiError forbidden */
export function requireNotBrowser(context: GraphQLContext): void {
  requireRole(context, 'server', 'staff', 'owner', 'admin');
}

/**
 * Allows owners within their own project, and admins everywhere.
 * @throws ApiError forbidden
 */
export function requireProjectAccess(context: GraphQLContext, projectId: string | undefined): void {
  requireRole(context, 'owner', 'admin');
  requireOwnProject(context, projectId);
}

/**
 * Allows staff and owners within their own project, and admins everywhere.
 * @throws ApiError forbidden
 */
export function requireProjectMember(context: GraphQLContext, projectId: string | undefined): void {
  requireRole(context, 'staff', 'owner', 'admin');
  requireOwnProject(context, projectId);
}

function requireOwnProject(
  { caller: { key, project } }: GraphQLContext,
  projectId: string | undefined,
): void {
  if (key.role === 'admin' || project?.id === projectId) return;
  const ofRole = key.role === 'owner' ? 'An owner' : 'A staff';
  throw new ApiError('forbidden', `${ofRole} key can use its own project only.`);
}

/** Whether the caller may see the key: owners see the keys of their own project, admins all keys. */
export function mayReachKey({ caller }: GraphQLContext, key: ApiKey): boolean {
  return caller.key.role === 'admin' || (key.projectId !== undefined && key.projectId === caller.project?.id);
}
