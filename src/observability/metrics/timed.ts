import { observed } from '../../lib/observed.js';

/** The result of one call of a store. */
export interface StoreCall {
  operation: string;
  seconds: number;
  failed: boolean;
}

/** Returns the same store. Calls `told` after each call that returns a promise. */
export function timed<Store extends object>(store: Store, told: (call: StoreCall) => void): Store {
  return observed(store, (operation, run) => {
    const beganMs = performance.now();
    const answer = run();
    if (!(answer instanceof Promise)) return answer;
    const tell = (failed: boolean) =>
      told({ operation, seconds: (performance.now() - beganMs) / 1000, failed });
    return answer.then(
      (value: unknown) => {
        tell(false);
        return value;
      },
      (error: unknown) => {
        tell(true);
        throw error;
      },
    );
  });
}
