/**
 * Blocks below one another, in quotations and items of lists: each line gets the signs of what is open around it. What
 * is open is a short list, however deep a page nests: what goes deeper is written at the last level.
 */

/** Open quotations, lists and items. */
const deepest = 40;
const longestNumber = 999_999_999;

/** A quotation or an item. */
interface Around {
  readonly kind: 'quote' | 'item';
  readonly first: string;
  readonly rest: string;
  /** Its first line has been written. */
  used: boolean;
}
interface List {
  readonly kind: 'list';
  readonly ordered: boolean;
  /** What follows the number, or the bullet itself: two lists below one another differ in it. */
  readonly sign: string;
  next: number;
  /** A blank line stands in it. */
  isLoose: boolean;
  /** `Flow.#blocks` after the last block of its items. */
  lastBlock: number;
}
type Open = Around | List;

/** What a block is to those before and after it. */
export type BlockKind = 'text' | 'fence' | 'other';

/** Characters that may still be written; shared by the flows of a page. */
export interface Room {
  left: number;
  /** Characters for which there was no room. */
  leftOut: number;
}

export class Flow {
  #written = '';
  readonly #open: Open[] = [];
  /** Open elements beyond the deepest, by kind. */
  readonly #beyond = { quote: 0, list: 0 };
  #blocks = 0;
  #lastKind: BlockKind = 'other';
  /** The list that ended last and its depth, until another block is written. */
  #ended: { readonly list: List; readonly depth: number } | null = null;
  readonly #room: Room;
  /** Holds what no cell of a table can: code of several lines, headings, tables. */
  isComplex = false;

  constructor(room: Room) {
    this.#room = room;
  }

  get isEmpty(): boolean {
    return this.#written === '';
  }

  get text(): string {
    return this.#written;
  }

  /** True: the next block is the first of its item. */
  get beginsItem(): boolean {
    const last = this.#open.at(-1);
    return last?.kind === 'item' && !last.used;
  }

  openQuote(): void {
    if (this.#open.length >= deepest) this.#beyond.quote++;
    else this.#open.push({ kind: 'quote', first: '> ', rest: '> ', used: false });
  }

  openList(ordered: boolean, start: number): void {
    if (this.#open.length >= deepest) {
      this.#beyond.list++;
      return;
    }
    const before = this.#ended;
    const follows = before?.depth === this.#open.length && before.list.ordered === ordered;
    const [sign, other] = ordered ? ['.', ')'] : ['-', '*'];
    const own = follows && before.list.sign === sign ? other : sign;
    this.#open.push({ kind: 'list', ordered, sign: own, next: start, isLoose: false, lastBlock: -1 });
  }

  /** An item of the innermost list, or of one that was never begun. */
  openItem(): void {
    if (this.#beyond.list > 0) return;
    const at = this.#open.findLastIndex(({ kind }) => kind === 'list');
    if (at < 0) this.openList(false, 1);
    else this.#closeTo(at + 1);
    const list = this.#open.at(-1);
    if (list?.kind !== 'list') return;
    const number = Math.min(Math.max(0, list.next++), longestNumber);
    const first = list.ordered ? `${String(number)}${list.sign} ` : `${list.sign} `;
    this.#open.push({ kind: 'item', first, rest: ' '.repeat(first.length), used: false });
  }

  close(kind: 'quote' | 'list'): void {
    if (this.#beyond[kind] > 0) {
      this.#beyond[kind]--;
      return;
    }
    const at = this.#open.findLastIndex((open) => open.kind === kind);
    if (at >= 0) this.#closeTo(at);
  }

  /** Closes the open item of the innermost list. */
  closeItem(): void {
    const at = this.#open.findLastIndex(({ kind }) => kind === 'list');
    if (at >= 0 && this.#beyond.list === 0) this.#closeTo(at + 1);
  }

  #closeTo(length: number): void {
    while (this.#open.length > length) {
      const last = this.#open.at(-1);
      // An empty item counts where items are counted, below the first one that says something.
      const list = this.#open.at(-2);
      const counts = list?.kind === 'list' && list.ordered && list.lastBlock >= 0;
      if (last?.kind === 'item' && !last.used && counts) this.write([''], 'other');
      this.#open.pop();
      if (last?.kind === 'list' && last.lastBlock === this.#blocks) {
        this.#ended = { list: last, depth: this.#open.length };
      }
    }
  }

  /** Writes a block, if it has lines and there is room for it. */
  write(lines: readonly string[], kind: BlockKind): void {
    if (lines.length === 0) return;
    const begins = this.#open.findIndex((open) => open.kind !== 'list' && !open.used);
    const text = this.#gap(begins, kind) + this.#prefixed(lines);
    if (text.length > this.#room.left) {
      this.#room.left = 0;
      this.#room.leftOut += lines.reduce((sum, line) => sum + line.length + 1, 0);
      return;
    }
    this.#room.left -= text.length;
    this.#written += text;
    this.#blocks++;
    this.#lastKind = kind;
    this.#ended = null;
    this.#open.forEach((open, at) => {
      if (open.kind !== 'list') open.used = true;
      else if (this.#open[at + 1]?.kind === 'item') open.lastBlock = this.#blocks;
    });
  }

  /** What stands between a block and the one before it. `begins`: where in `#open` it opens something; -1: nowhere. */
  #gap(begins: number, kind: BlockKind): string {
    if (this.#written === '') return '';
    const list = begins < 1 ? undefined : this.#open[begins - 1];
    if (list?.kind === 'list' && this.#isTight(list, begins, kind)) return '';
    const around = begins < 0 ? this.#open : this.#open.slice(0, begins);
    around.forEach((open, at) => {
      if (open.kind === 'list' && around[at + 1]?.kind === 'item') open.isLoose = true;
    });
    const end = around.findLastIndex((open) => open.kind === 'quote');
    const blank = around
      .slice(0, end + 1)
      .map((open) => (open.kind === 'list' ? '' : open.rest))
      .join('');
    return `${blank.trimEnd()}\n`;
  }

  /** May this item follow without a blank line? */
  #isTight(list: List, begins: number, kind: BlockKind): boolean {
    if (list.isLoose) return false;
    if (list.lastBlock === this.#blocks) return true;
    // The first item, below the text of the item around. An ordered list from another number would be part of that.
    const item = this.#open[begins - 2];
    return (
      item?.kind === 'item' &&
      this.#lastKind === 'text' &&
      kind !== 'other' &&
      (!list.ordered || list.next === 2)
    );
  }

  #prefixed(lines: readonly string[]): string {
    let first = '';
    let rest = '';
    for (const open of this.#open) {
      if (open.kind === 'list') continue;
      first += open.used ? open.rest : open.first;
      rest += open.rest;
    }
    const [firstBlank, blank] = [first.trimEnd(), rest.trimEnd()];
    return lines
      .map((line, at) =>
        at === 0 ? (line === '' ? firstBlank : first + line) : line === '' ? blank : rest + line,
      )
      .map((line) => `${line}\n`)
      .join('');
  }
}
