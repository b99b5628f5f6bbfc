import { observed } from '../../lib/observed.js';

/** The result of one call of a store. */
export interface StoreCall {
  operation: string;
  seconds: number;
  failed: boolean;
}

/** Returns the same store. Calls `report` after each call that returns a promise. */
export function timed<Store extends object>(store: Store, report: (call: StoreCall) => void): Store {
  return observed(store, (operation, run) => {
    const beganMs = performance.now();
    const answer = run();
    if (!(answer instanceof Promise)) return answer;
    const finish = (failed: boolean) =>
      report({ operation, seconds: (performance.now() - beganMs) / 1000, failed });
    return answer.then(
      (value: unknown) => {
        finish(false);
        return value;
      },
      (error: unknown) => {
        finish(true);
        throw error;
      },
    );
  });
}
