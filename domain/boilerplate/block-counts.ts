/**
 * On how many of a host's pages each block of text stands: counted in fixed room (space-saving, Metwally and others
 * 2005). A block is a mark, a hash of its words.
 *
 * A block that comes when the room is full takes the place of the block with the least sum, and that sum is what it may
 * have been `missed`. So for each block that is counted, `count` ≤ pages that have it ≤ `count + missed`; and no more
 * than a twelfth of the pages can be missed, since there is room for twelve times the blocks that are taken of a page.
 * From that follows what is repeated: every block of more than a third of the pages, and none of less than a quarter.
 */

/** Blocks that are taken of a page: half of them its first, half its last. */
export const mostOfPage = 60;
const room = 12 * mostOfPage;
/** Of fewer pages nothing is called repeated. */
export const leastPages = 12;
/** No more pages are counted: what is repeated then stays what it is. */
export const mostPages = 100;

/** As it is stored. Blocks in the order in which they came. */
export interface StoredCounts {
  readonly pages: number;
  readonly blocks: readonly (readonly [mark: number, count: number, missed: number])[];
}

interface Counted {
  count: number;
  readonly missed: number;
}

export class BlockCounts {
  #pages: number;
  readonly #blocks: Map<number, Counted>;

  constructor({ pages, blocks }: StoredCounts = { pages: 0, blocks: [] }) {
    this.#pages = pages;
    this.#blocks = new Map(blocks.map(([mark, count, missed]) => [mark, { count, missed }]));
  }

  get pages(): number {
    return this.#pages;
  }

  /** Counts a page, unless `mostPages` were counted. @param marks of its blocks, `mostOfPage` at most, each once */
  add(marks: ReadonlySet<number>): void {
    if (this.#pages >= mostPages) return;
    if (marks.size > mostOfPage) throw new RangeError('more blocks than are taken of a page');
    this.#pages++;
    for (const mark of marks) {
      const known = this.#blocks.get(mark);
      if (known !== undefined) known.count++;
      else this.#blocks.set(mark, { count: 1, missed: this.#blocks.size < room ? 0 : this.#makeRoom() });
    }
  }

  /** Removes the block with the least sum, the first of several, and answers its sum. */
  #makeRoom(): number {
    let [least, most] = [0, Infinity];
    for (const [mark, { count, missed }] of this.#blocks) {
      if (count + missed >= most) continue;
      [least, most] = [mark, count + missed];
    }
    this.#blocks.delete(least);
    return most;
  }

  /** Blocks that are repeated, with the pages that have them for certain. */
  repeated(): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    if (this.#pages < leastPages) return found;
    for (const [mark, { count, missed }] of this.#blocks)
      if ((count + missed) * 3 > this.#pages && count * 4 >= this.#pages) found.set(mark, count);
    return found;
  }

  stored(): StoredCounts {
    return {
      pages: this.#pages,
      blocks: [...this.#blocks].map(([mark, { count, missed }]) => [mark, count, missed] as const),
    };
  }
}
