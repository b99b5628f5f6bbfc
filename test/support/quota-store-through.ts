import type { QuotaStore } from '../../src/features/limiter/quota-store.js';

/** Makes a call of a quota store, or does not. It may wait before and after it. `id` is of the first key asked about. */
export type ThroughStore = <T>(call: () => Promise<T>, id: string) => Promise<T>;

/** A quota store whose every call that decides, adds or reads goes through `through`. */
export function quotaStoreThrough(store: QuotaStore, through: ThroughStore): QuotaStore {
  return {
    ...store,
    decide: (meter, ...given) => through(() => store.decide(meter, ...given), meter.id),
    add: (meter, ...given) => through(() => store.add(meter, ...given), meter.id),
    read: (meters) => through(() => store.read(meters), meters[0]?.id ?? ''),
  };
}
