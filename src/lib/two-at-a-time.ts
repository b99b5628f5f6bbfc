/**
 * Runs an asynchronous function for each item, for two at a time, and resolves with the results in the order of the
 * items. For calls of a store that a busy machine answers late: the MongoDB driver opens at most two connections at
 * once, and each call beyond those waits for a connection under a time limit.
 * @throws the first error; what runs already goes on, and no further item begins
 */
export async function twoAtATime<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  let isFailed = false;
  const runRest = async () => {
    for (const [i, item] of left) {
      if (isFailed) return;
      results[i] = await run(item).catch((error: unknown) => {
        isFailed = true;
        throw error;
      });
    }
  };
  await Promise.all([runRest(), runRest()]);
  return results;
}
