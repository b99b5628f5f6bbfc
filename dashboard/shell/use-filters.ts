import { useCallback } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

/** The filters of a page with their allowed values; `text` allows any value. */
export type FilterShape = Readonly<Record<string, readonly string[] | 'text'>>;

export type Filters<Shape extends FilterShape> = {
  [Name in keyof Shape]: (Shape[Name] extends readonly (infer Value)[] ? Value : string) | undefined;
};

export interface UsedFilters<Shape extends FilterShape> {
  /** A filter is undefined if it is not set. */
  filters: Filters<Shape>;
  /** An empty value clears a filter; filters that are not named stay. */
  change: (changes: { [Name in keyof Shape]?: string | undefined }) => void;
}

/** Keeps filters in the URL, so that back, forward and shared links keep them. */
export function useFilters<const Shape extends FilterShape>(shape: Shape): UsedFilters<Shape> {
  const { path, query, route } = useLocation();
  const filters = readFilters(shape, query);

  const change: UsedFilters<Shape>['change'] = useCallback(
    (changes) => {
      // From the address bar: two fields may change before the page is drawn again with the first change.
      const now = Object.fromEntries(new URLSearchParams(window.location.search));
      const search = new URLSearchParams();
      const entries = Object.entries<string | undefined>({ ...readFilters(shape, now), ...changes });
      for (const [name, value] of entries) if (value) search.set(name, value);
      // A word that is being typed makes one entry in the history, not one per letter.
      const isTyping = Object.keys(changes).every((name) => shape[name] === 'text' && now[name]);
      route(search.size === 0 ? path : `${path}?${search.toString()}`, isTyping);
    },
    [path, route, shape],
  );
  return { filters, change };
}

/** Ignores unknown filters and values in the URL. */
function readFilters<Shape extends FilterShape>(
  shape: Shape,
  query: Readonly<Record<string, string>>,
): Filters<Shape> {
  const entries = Object.entries(shape).map(([name, values]) => {
    const value = query[name];
    const isKnown = Boolean(value) && (values === 'text' || values.includes(value ?? ''));
    return [name, isKnown ? value : undefined];
  });
  return Object.fromEntries(entries) as Filters<Shape>;
}
