/** A value that is known at once, or will be. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Continues with a value as soon as it is known. With a value from memory, nothing waits: a promise, and a timer beside
 * it, take longer than a look-up in a cache.
 */
export function whenKnown<T, R>(value: Awaitable<T>, proceed: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(proceed) : proceed(value);
}
