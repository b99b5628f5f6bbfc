import type { Caller } from '../../features/keys/caller.js';
import type { Prepared } from './prepare.js';
import type { GraphQLContext } from './schema/context.js';

type Asking = Pick<GraphQLContext, 'onlyPetsOf'> & {
  caller: Pick<Caller, 'project'> & { key: Pick<Caller['key'], 'role'> };
};

/**
 * Returns the same text for callers that get the same response to the same operation: for all callers, unless the
 * operation asks for what depends on the caller. At a site, only for callers that see the same pets.
 */
export function audienceOf(
  { variesByCaller }: Pick<Prepared, 'variesByCaller'>,
  { onlyPetsOf = '', caller }: Asking,
): string {
  return variesByCaller ? `${onlyPetsOf} ${caller.key.role} ${caller.project?.id ?? ''}` : onlyPetsOf;
}
