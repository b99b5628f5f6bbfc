/** Runs a call of a store, and returns what the call returns. */
export type Around = (operation: string, run: () => unknown) => unknown;

/** Returns the same store with each call made through `around`. Members that are no functions stay as they are. */
export function observed<Store extends object>(store: Store, around: Around): Store {
  const members = Object.entries(store).map(([operation, member]: [string, unknown]) => [
    operation,
    typeof member === 'function'
      ? (...args: unknown[]) => around(operation, () => member.apply(store, args) as unknown)
      : member,
  ]);
  return Object.fromEntries(members) as Store;
}
