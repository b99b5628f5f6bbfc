import { registerEnumType } from 'type-graphql';

/**
 * The words of the domain as a GraphQL enum: each value is its own name. The record of what they mean has every one, or
 * it does not compile.
 */
export function enumOf<T extends string>(
  name: string,
  description: string,
  values: Record<T, string>,
): Record<T, T> {
  const members = Object.fromEntries(Object.keys(values).map((value) => [value, value])) as Record<T, T>;
  const valuesConfig = Object.fromEntries(
    Object.entries<string>(values).map(([value, meaning]) => [value, { description: meaning }]),
  ) as Record<T, { description: string }>;
  registerEnumType(members, { name, description, valuesConfig });
  return members;
}
