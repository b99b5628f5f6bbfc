import type { ComponentChildren } from 'preact';
import { classNames } from './class-names.js';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers are aligned right. */
  isNumber?: boolean;
  /** Shows the header to screen readers only, for example above buttons. */
  isHeaderHidden?: boolean;
}

export interface TableProps<Row> {
  /** Describes the list, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/** A table; on a phone, one card per row. The ARIA roles keep it a table for screen readers there. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <table class="table" role="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ header, isNumber, isHeaderHidden }) => (
            <th key={header} role="columnheader" scope="col" class={classNames(isNumber && 'is-number')}>
              {isHeaderHidden ? <span class="visually-hidden">{header}</span> : header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ header, cell, isNumber, isHeaderHidden }) => (
              <td
                key={header}
                role="cell"
                class={classNames(isNumber && 'is-number')}
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
}
