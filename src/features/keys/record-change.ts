/** A change, made in any process, of a key or a project. Caches evict the affected entries. */
export type RecordChange = { keyId: string } | { projectId: string };
