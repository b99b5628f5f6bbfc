import { useState } from 'preact/hooks';

export interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

export interface Pages {
  /** For the query: where this page begins; null for the first. */
  after: string | null;
  /** 1, 2, … */
  number: number;
  next: (pageInfo: PageInfo) => void;
  previous: () => void;
  /** Back to the first page, as when a filter changes. */
  reset: () => void;
}

/** Forwards and back through a Relay connection, which is read forwards only. */
export function usePages(): Pages {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  return {
    after: cursors.at(-1) ?? null,
    number: cursors.length + 1,
    next: ({ endCursor }) => {
      if (endCursor !== null) setCursors([...cursors, endCursor]);
    },
    previous: () => setCursors(cursors.slice(0, -1)),
    reset: () => setCursors([]),
  };
}
