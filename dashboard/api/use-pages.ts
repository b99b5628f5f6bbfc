import { useEffect, useState } from 'preact/hooks';

export interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

export interface Pages {
  /** The cursor after which this page begins, for the query; null for the first page. */
  after: string | null;
  /** 1, 2, … */
  number: number;
  next: (pageInfo: PageInfo) => void;
  previous: () => void;
  /** Returns to the first page, for example when a filter changes. */
  reset: () => void;
}

/**
 * Pages forwards and backwards through a Relay connection, which can only be read forwards.
 * @param list identifies the list, for example by its filters: another list starts at its first page
 */
export function usePages(list = ''): Pages {
  const [state, setState] = useState<{ list: string; cursors: readonly string[] }>({ list, cursors: [] });
  const cursors = state.list === list ? state.cursors : [];
  // When the user returns to a list, it starts at its first page again.
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
