const DUPLICATE_KEY = 11_000;

/** Whether MongoDB refused a write because a unique key is taken. */
export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown }).code === DUPLICATE_KEY;
}
