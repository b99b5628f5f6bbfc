import { registerEnumType } from 'type-graphql';

/**
 * Registers a GraphQL enum for a string type of the domain: each value is its own name. The code compiles only if
 * `values` describes every value.
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
