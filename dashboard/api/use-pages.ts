import { useEffect, useState } from 'preact/hooks';

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

/**
 * Forwards and back through a Relay connection, which is read forwards only.
 * @param list what tells it from another, such as its filters: another one begins at its first page
 */
export function usePages(list = ''): Pages {
  const [state, setState] = useState<{ list: string; cursors: readonly string[] }>({ list, cursors: [] });
  const cursors = state.list === list ? state.cursors : [];
  // So that it begins at its first page once more when somebody comes back to it.
  useEffect(() => setState((before) => (before.list === list ? before : { list, cursors: [] })), [list]);
  const turnTo = (to: readonly string[]) => setState({ list, cursors: to });
  return {
    after: cursors.at(-1) ?? null,
    number: cursors.length + 1,
    next: ({ endCursor }) => {
      if (endCursor !== null) turnTo([...cursors, endCursor]);
    },
    previous: () => turnTo(cursors.slice(0, -1)),
    reset: () => turnTo([]),
  };
}
