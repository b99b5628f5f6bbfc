import { Kind, type FieldNode } from 'graphql';
import { PAGE_SIZE } from '../../features/pets/page.js';

/**
 * The size that a field asks for in an argument; undefined when it leaves that to the default. What is no number stops
 * execution anyway.
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
  // A default of the variable itself is within the bounds of a page, or refused.
  return typeof value === 'number' ? value : PAGE_SIZE.maximum;
}
