import { z } from 'zod';

/** A document that clients can request by its id. */
export interface ManifestEntry {
  id: string;
  /** The name of the operation, for people. */
  name?: string | undefined;
  body: string;
}

const text = z.string().min(1);

/** The format of @apollo/generate-persisted-query-manifest. An id is the SHA-256 of the body in hexadecimal digits. */
const apollo = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: text, name: z.string().optional(), body: text })),
});

/** The format of Relay's compiler with `persistConfig.file`: documents by their hashes. */
const relay = z.record(text, text);

/** Reads the formats of Apollo and Relay. @throws Error whose message can be shown to people */
export function parseManifest(json: string): ManifestEntry[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new Error(`is not JSON: ${(error as Error).message}`, { cause: error });
  }
  const isApollo = typeof value === 'object' && value !== null && 'format' in value;
  const parsed = (isApollo ? apollo : relay).safeParse(value);
  if (!parsed.success) {
    const [{ path, message } = { path: [], message: 'unknown' }] = parsed.error.issues;
    const where = path.length === 0 ? '' : `, at ${path.join('.')}`;
    throw new Error(
      `is neither a persisted query manifest of Apollo's, version 1, nor a map of ids to documents${where}: ${message}`,
    );
  }
  return 'operations' in parsed.data && Array.isArray(parsed.data.operations)
    ? parsed.data.operations
    : Object.entries(parsed.data as z.infer<typeof relay>).map(([id, body]) => ({ id, body }));
}
