/** Aborted by Ctrl-C or a SIGTERM, so that what was started can be ended in order. */
export function untilInterrupted(): AbortSignal {
  const interruption = new AbortController();
  // Once: a second one ends the process at once, and the kernel what it has started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interruption.abort(new Error(`ended by ${signal}`)));
  return interruption.signal;
}
