import { useMemo, useState } from 'preact/hooks';
import type { Column } from './table.js';

interface Selectable {
  id: string;
  name: string;
}

/** The rows of a list that the user has chosen. */
export interface Selection {
  isChosen: (id: string) => boolean;
  toggle: (id: string) => void;
  clear: () => void;
  /** The chosen ones among the rows on screen: nobody must act on rows that they no longer see. */
  chosenOf: <Row extends Selectable>(rows: readonly Row[]) => Row[];
}

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  return useMemo(
    () => ({
      isChosen: (id) => chosen.has(id),
      toggle: (id) =>
        setChosen((before) => {
          const after = new Set(before);
          if (!after.delete(id)) after.add(id);
          return after;
        }),
      clear: () => setChosen(new Set<string>()),
      chosenOf: (rows) => rows.filter(({ id }) => chosen.has(id)),
    }),
    [chosen],
  );
}

/** The column of a table with a checkbox for each row that can be chosen. */
export function selectColumn<Row extends Selectable>(
  { isChosen, toggle }: Selection,
  canChoose: (row: Row) => boolean,
): Column<Row> {
  return {
    header: 'Select',
    isHeaderHidden: true,
    cell: (row) =>
      canChoose(row) && (
        <input
          type="checkbox"
          class="checkbox"
          aria-label={`Select ${row.name}`}
          checked={isChosen(row.id)}
          onChange={() => toggle(row.id)}
        />
      ),
  };
}
