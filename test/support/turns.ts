/** Waits for so many turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise(setImmediate);
}
