/** Who holds a place. */
export interface PlaceHolder {
  /**
   * - `client`: a client without a key, or with a browser key, which is public
   * - `unverified`: a request that shows a key, until the key is checked
   * - `project`: a project, by its keys; an admin key counts as a project of its own
   * - `session`: a project, by the dashboard sessions of its keys
   */
  kind: 'client' | 'unverified' | 'project' | 'session';
  id: string;
}

export const UNVERIFIED: PlaceHolder = { kind: 'unverified', id: '' };

/**
 * The share of all places that all holders of a kind may take together, and that one of them may take. The keys of one
 * project and its sessions together leave some places to others.
 */
const SHARES: Record<PlaceHolder['kind'], { all: number; one: number }> = {
  client: { all: 1 / 4, one: 1 / 16 },
  unverified: { all: 1, one: 1 },
  project: { all: 1, one: 3 / 4 },
  session: { all: 1, one: 1 / 16 },
};

export interface PlaceCounts {
  /** Adds a request. Returns false if the holder, or its kind, has its share of `limit` places. A share is at least 1. */
  add: (holder: PlaceHolder, limit: number) => boolean;
  remove: (holder: PlaceHolder) => void;
}

/** Counts the places of each holder. */
export function createPlaceCounts(): PlaceCounts {
  const byHolder = new Map<string, number>();
  const byKind = { client: 0, unverified: 0, project: 0, session: 0 };
  const partOf = (limit: number, share: number) => Math.max(1, Math.floor(limit * share));

  return {
    add(holder, limit) {
      const { kind } = holder;
      const { all, one } = SHARES[kind];
      const name = nameOf(holder);
      const count = byHolder.get(name) ?? 0;
      if (byKind[kind] >= partOf(limit, all) || count >= partOf(limit, one)) return false;
      byKind[kind] += 1;
      byHolder.set(name, count + 1);
      return true;
    },
    remove(holder) {
      const name = nameOf(holder);
      byKind[holder.kind] -= 1;
      const left = (byHolder.get(name) ?? 0) - 1;
      if (left <= 0) byHolder.delete(name);
      else byHolder.set(name, left);
    },
  };
}

export function nameOf({ kind, id }: PlaceHolder): string {
  return `${kind} ${id}`;
}
