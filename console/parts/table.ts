/** A table: what its columns show of each row, sorted by the reader among the rows that are there. */
import { useState } from 'preact/hooks';
import { html, type Children } from './html.ts';

export interface Column<T> {
  readonly name: string;
  readonly show: (row: T) => Children;
  /** Absent: the table is not sorted by this column. */
  readonly by?: (row: T) => string | number;
  readonly isNumber?: boolean;
  /** Each value is a word or a time: it is not broken. */
  readonly isShort?: boolean;
}

interface TableProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

export function Table<T>({ caption, columns, rows, keyOf }: TableProps<T>) {
  const [sort, setSort] = useState<{ name: string; down: boolean } | null>(null);
  const by = columns.find(({ name }) => name === sort?.name)?.by;
  const sorted =
    by === undefined
      ? rows
      : rows.toSorted((a, b) => {
          const [one, other] = [by(a), by(b)];
          const order = one < other ? -1 : one > other ? 1 : 0;
          return sort?.down === true ? -order : order;
        });
  const head = ({ name, by: sorts, isNumber }: Column<T>) => {
    const order = sort?.name !== name ? 'none' : sort.down ? 'descending' : 'ascending';
    const turn = (): void => {
      setSort({ name, down: order === 'ascending' });
    };
    return html`<th
      scope="col"
      class=${isNumber === true ? 'number' : ''}
      aria-sort=${sorts === undefined ? undefined : order}
    >
      ${sorts === undefined ? name : html`<button type="button" class="plain" onClick=${turn}>${name}</button>`}
    </th>`;
  };
  return html`<div class="scroll" role="region" aria-label=${caption} tabindex="0">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(head)}
        </tr>
      </thead>
      <tbody>
        ${sorted.map(
          (row) =>
            html`<tr key=${keyOf(row)}>
              ${columns.map(({ show, isNumber, isShort }) => html`<td class=${isNumber === true ? 'number' : isShort === true ? 'short' : ''}>${show(row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Names and values, one pair a line. */
export const facts = (pairs: readonly (readonly [name: string, value: Children] | false)[]) =>
  html`<dl class="facts">
    ${pairs
      .filter((pair) => pair !== false)
      .map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
  </dl>`;
