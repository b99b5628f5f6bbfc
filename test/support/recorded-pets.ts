import type { PetsStore } from '../../src/features/pets/pets-store.js';

export type StoreCall = [method: string, ...given: unknown[]];

/** The same store, and what it was asked, noted at once. */
export function recordedPets(store: PetsStore): { store: PetsStore; calls: StoreCall[] } {
  const calls: StoreCall[] = [];
  const recorded = new Proxy(store, {
    get:
      (target, name: keyof PetsStore) =>
      (...given: unknown[]) => {
        calls.push([name, ...given]);
        return (target[name] as (...args: unknown[]) => unknown)(...given);
      },
  });
  return { store: recorded, calls };
}
