/**
 * Bounds an LRUCache to this many entries, in memory that grows with them. Its own `max` takes the memory for all of
 * them at the start, and the time to clear it: 1 MB and 5 ms for fifty thousand entries, used or not.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
