/** Returns a function that calls `act` at the first call and does nothing afterwards. */
export function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
