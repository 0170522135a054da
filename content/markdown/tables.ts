/**
 * Tables. A table of words, links and short lists is written as GitHub's tables are; one that lays out a page (cells that
 * hold code, headings or tables, or a single column) as its blocks below one another.
 */
import { lateBreak, latePipe } from './escape.ts';
import type { Flow } from './flow.ts';

/** Columns of a table: cells further right are added to the last one. */
const mostColumns = 100;
/** Rows of a table and places in them, covered ones included: what comes further down goes on in the last row. */
const mostPlaces = 300_000;
/** Lines of a cell: with more, a table is read as layout. */
const mostLines = 40;

type Alignment = 'left' | 'right' | 'center' | null;

export interface CellStart {
  readonly isHead: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly align: string | undefined;
}

interface Cell {
  readonly flow: Flow;
  readonly isHead: boolean;
}

export class Table {
  /** Null: a column that a cell further left, or above, covers. */
  readonly #rows: (Cell | null)[][] = [];
  readonly #alignments: Alignment[] = [];
  /** By column: in how many further rows a cell from above covers it. */
  readonly #covered: number[] = [];
  #inHead = false;
  #headRows = 0;
  #places = 0;
  #lastCell: Flow | null = null;

  beginHead(): void {
    this.#inHead = true;
  }

  endHead(): void {
    this.#inHead = false;
  }

  beginRow(): void {
    if (this.#places++ >= mostPlaces) return;
    this.#rows.push([]);
    if (this.#inHead) this.#headRows = this.#rows.length;
  }

  /** Adds a cell to the last row; null: it goes on with the row's last cell, for the row is too long. */
  addCell(flow: Flow, { isHead, columns, rows, align }: CellStart): Flow {
    if (this.#rows.length === 0) this.beginRow();
    const row = this.#rows.at(-1) ?? [];
    const before = row.length;
    this.#skipCovered(row);
    if (row.length >= mostColumns) {
      this.#places += row.length - before;
      return this.#lastCell ?? flow;
    }
    for (let column = 0; column < Math.min(columns, mostColumns - row.length); column++) {
      this.#covered[row.length + column] = rows - 1;
    }
    const place = row.length;
    row.push({ flow, isHead });
    for (let more = 1; more < columns && row.length < mostColumns; more++) row.push(null);
    this.#alignments[place] ??= alignmentOf(align);
    this.#places += row.length - before;
    this.#lastCell = flow;
    return flow;
  }

  #skipCovered(row: (Cell | null)[]): void {
    for (let left = this.#covered[row.length] ?? 0; left > 0; left = this.#covered[row.length] ?? 0) {
      this.#covered[row.length] = left - 1;
      row.push(null);
    }
  }

  /**
   * Writes the table below what is above it.
   * @param inCell of another table
   */
  writeTo(flow: Flow, inCell: boolean): void {
    const rows = this.#rows.filter((row) => row.some((cell) => cell?.flow.isEmpty === false));
    if (rows.length === 0) return;
    const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
    const cells = rows.flat().filter((cell) => cell !== null);
    if (cells.some(({ flow: { isComplex, text } }) => isComplex || hasManyLines(text)) || columns < 2) {
      for (const { flow: cell } of cells)
        flow.write(inCell ? keptLines(cell.text) : plainLines(cell.text), 'other');
      return;
    }
    const [first = []] = rows;
    const hasHead = this.#headRows > 0 || first.every((cell) => cell?.isHead !== false);
    const head = hasHead ? first : [];
    const line = (row: readonly (Cell | null)[], length: number): string =>
      `| ${Array.from({ length }, (_, at) => cellText(row[at] ?? null)).join(' | ')} |`;
    const rule = Array.from({ length: columns }, (_, at) => rules[this.#alignments[at] ?? 'none']);
    flow.isComplex = true;
    flow.write(
      [
        line(head, columns),
        `| ${rule.join(' | ')} |`,
        ...rows.slice(hasHead ? 1 : 0).map((row) => line(row, row.length)),
      ],
      'other',
    );
  }
}

const rules = { none: '---', left: ':---', right: '---:', center: ':---:' };

function alignmentOf(value: string | undefined): Alignment {
  const name = value?.toLowerCase();
  return name === 'left' || name === 'right' || name === 'center' ? name : null;
}

function hasManyLines(text: string): boolean {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
    if (++lines > mostLines) return true;
  return false;
}

const cellText = (cell: Cell | null): string =>
  cell === null
    ? ''
    : cell.flow.text
        .replaceAll(lateBreak, '\n')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join('<br>')
        .replaceAll(latePipe, '\\|');

/** Lines of a cell's blocks, as they go into another cell. */
export const keptLines = (text: string): string[] => (text === '' ? [] : text.trimEnd().split('\n'));

/** The same, as they are written outside of tables. */
export const plainLines = (text: string): string[] =>
  keptLines(text.replaceAll(latePipe, '|').replaceAll(lateBreak, '\\\n'));
