import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.js';
import { classNames } from './class-names.js';
import { Icon } from './icon.js';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers are aligned right. */
  isNumber?: boolean;
  /** On a phone, meters stand side by side below everything else. */
  isMeter?: boolean;
  /** Shows the header to screen readers only, for example above buttons. */
  isHeaderHidden?: boolean;
  /** Makes the header a button that sorts the list by this column, highest first, or ends that. */
  sort?: Sort;
}

export interface Sort {
  isOn: boolean;
  onToggle: () => void;
}

export interface TableProps<Row> {
  /** Describes the list, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Shows only this many rows at first, and a button for the others. */
  shortTo?: number;
}

/** A table; on a phone, one card per row. The ARIA roles keep it a table for screen readers there. */
export function Table<Row>({ caption, columns, rows, keyOf, shortTo = rows.length }: TableProps<Row>) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, shortTo);
  const table = (
    <table class="table" role="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ header, isNumber, isHeaderHidden, sort }) => (
            <th
              key={header}
              role="columnheader"
              scope="col"
              class={classNames(isNumber && 'is-number')}
              aria-sort={sort?.isOn ? 'descending' : undefined}
            >
              {isHeaderHidden && <span class="visually-hidden">{header}</span>}
              {!isHeaderHidden && (sort ? <SortButton header={header} sort={sort} /> : header)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {shown.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ header, cell, isNumber, isMeter, isHeaderHidden }) => (
              <td
                key={header}
                role="cell"
                class={classNames(isNumber && 'is-number', isMeter && 'is-meter')}
                data-label={isHeaderHidden ? undefined : header}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
  if (shown.length === rows.length) return table;
  return (
    <>
      {table}
      <div>
        <Button isSmall onPress={() => setWhole(true)}>
          Show all {rows.length}
        </Button>
      </div>
    </>
  );
}

function SortButton({ header, sort }: { header: string; sort: Sort }) {
  return (
    <button type="button" class={classNames('sort', sort.isOn && 'is-on')} onClick={sort.onToggle}>
      {header}
      <Icon name="down" />
    </button>
  );
}
