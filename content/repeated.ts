/** Blocks of text by the hash of their words: what stands on many pages of a host (domain/boilerplate/) is found by it. */
import type { PageBlock, Repeated } from '../contracts/extraction.ts';
import { mostOfPage } from '../domain/boilerplate/block-counts.ts';
import { type Block, kinds } from './blocks.ts';
import { countWords } from './words.ts';

/** A shorter block, such as “See also”, says too little: pages have it for reasons of their own. */
const leastWords = 5;
/** Characters of a block that are shown. */
const mostShown = 200;

/** Headings, terms and code are parts of what a page says, however often they come. */
const isCounted = ({ kind }: Block): boolean =>
  kind === kinds.bare || (kind >= kinds.paragraph && kind !== kinds.code && kind !== kinds.term);

/** The hash of a block's words, in 53 bits; null: such a block is never repeated. */
function markOf(words: string): number | null {
  if (countWords(words) < leastWords) return null;
  let [one, other] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < words.length; at++) {
    const code = words.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul((other ^ code) + (other >>> 15), 0x85ebca6b);
  }
  one ^= one >>> 16;
  return (
    (Math.imul(one, 0xc2b2ae35) >>> 0) * 2 ** 21 + (Math.imul(other ^ (other >>> 13), 0x27d4eb2f) >>> 11)
  );
}

const wordsOf = (text: string, { from, to }: Block): string =>
  text.slice(from, to).trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** Blocks of a page that count for its host, each once, `mostOfPage` at most: the first ones and the last ones. */
export function countedBlocks(text: string, all: readonly Block[]): PageBlock[] {
  const half = mostOfPage / 2;
  const found = new Map<number, string>();
  const take = (blocks: Iterable<Block>, most: number): void => {
    for (const block of blocks) {
      if (found.size >= most) return;
      if (!isCounted(block)) continue;
      const words = wordsOf(text, block);
      const mark = markOf(words);
      if (mark !== null && !found.has(mark)) found.set(mark, text.slice(block.from, block.to).trim());
    }
  };
  take(all, half);
  take(backwards(all), mostOfPage);
  return [...found].map(([mark, whole]) => ({ mark, text: whole.slice(0, mostShown).toWellFormed() }));
}

function* backwards(all: readonly Block[]): Generator<Block> {
  for (let at = all.length - 1; at >= 0; at--) {
    const block = all[at];
    if (block !== undefined) yield block;
  }
}

export interface LeftOut {
  readonly blocks: number;
  readonly words: number;
}

/** Which blocks are repeated; null: none is, or nothing would be left of the page. */
export function findRepeated(
  text: string,
  all: readonly Block[],
  repeated: Repeated,
): { readonly is: readonly boolean[]; readonly leftOut: LeftOut } | null {
  if (repeated.size === 0) return null;
  let [blocks, words, left] = [0, 0, 0];
  const is = all.map((block) => {
    const own = wordsOf(text, block);
    const mark = isCounted(block) ? markOf(own) : null;
    if (mark === null || !repeated.has(mark)) {
      left += own.length;
      return false;
    }
    blocks++;
    words += countWords(own);
    return true;
  });
  return blocks === 0 || left === 0 ? null : { is, leftOut: { blocks, words } };
}
