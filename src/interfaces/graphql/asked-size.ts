import { Kind, type FieldNode } from 'graphql';
import { PAGE_SIZE } from '../../features/pets/page.js';

/**
 * Returns the size that a field requests in an argument, or undefined if the default applies. A value that is not a
 * number stops execution in any case.
 */
export function askedSize(
  field: FieldNode,
  argument: string,
  variables: Readonly<Record<string, unknown>>,
): number | undefined {
  const given = field.arguments?.find(({ name }) => name.value === argument)?.value;
  if (given?.kind === Kind.INT) return Number(given.value);
  if (given?.kind !== Kind.VARIABLE) return undefined;
  const value = variables[given.name.value];
  // The default of a variable is either within the bounds of a page or rejected.
  return typeof value === 'number' ? value : PAGE_SIZE.maximum;
}
