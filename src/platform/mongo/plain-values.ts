/** Converts a record to its stored form: removes undefined fields at every depth. */
export function toStored<T>(value: T): T {
  return mapValues(value, (inner) => inner);
}

type WithoutNulls<T> = { [Field in keyof T]: Exclude<T[Field], null> };

/** Converts a stored record back: removes nulls, and converts Binary values to Buffers. */
export function fromStored<T>(value: T): WithoutNulls<T> {
  return mapValues(value, (inner) =>
    isBinary(inner) ? Buffer.from(inner.buffer) : (inner ?? undefined),
  ) as WithoutNulls<T>;
}

function mapValues<T>(value: T, map: (inner: unknown) => unknown): T {
  const mapped = map(value);
  if (Array.isArray(mapped)) return mapped.map((inner: unknown) => mapValues(inner, map)) as T;
  if (!isRecord(mapped)) return mapped as T;
  const entries = Object.entries(mapped)
    .map(([name, inner]) => [name, mapValues(inner, map)] as const)
    .filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries) as T;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isBinary(value: unknown): value is { buffer: Uint8Array } {
  return (value as { _bsontype?: unknown } | null | undefined)?._bsontype === 'Binary';
}
