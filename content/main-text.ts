/**
 * Which blocks of a page are its main text, and which surround it. As readers' views do it, but without a tree, in a few
 * walks over the blocks and the containers: how far names are believed (main-names.ts, main-remarks.ts), what each block
 * is worth (main-worth.ts), in which part of the page the text lies (main-part.ts), and what in it is none (main-cut.ts).
 * What leaves too little is tried again with fewer names believed.
 */
import type { Block, Blocks } from './blocks.ts';
import { hints } from './hints.ts';
import { keptBlocks } from './main-cut.ts';
import { believedHints } from './main-names.ts';
import { choosePart, type Evidence } from './main-part.ts';
import { remarkBoxes } from './main-remarks.ts';
import { blockAt, shapeOf } from './main-shape.ts';
import { worthOf } from './main-worth.ts';

/** A page with less text than this has no surroundings to tell from its text. */
const leastMain = 140;
/** Unless the text has so many characters, and so much of what is worth something on the page. */
const leastSure = 40;
const sureShare = 0.5;
const noEvidence: Evidence = { title: '', beginnings: [] };

export interface MainText {
  /** Lines of blocks in their order. */
  readonly main: string;
  /** The lines that were left out. */
  readonly rest: string;
  /** Is a place in the text kept? */
  readonly isMain: (at: number) => boolean;
}

/**
 * @param text as the blocks name places in it
 * @param isRepeated blocks to be left out; null: none
 */
export function splitText(
  text: string,
  blocks: Blocks,
  isRepeated: readonly boolean[] | null = null,
  evidence: Evidence = noEvidence,
): MainText {
  const { all } = blocks;
  if (all.length === 0) return { main: text, rest: '', isMain: () => true };
  const told = chosen(text, blocks, evidence);
  if (told.main === '') return { main: text, rest: '', isMain: () => true };
  if (isRepeated === null) {
    const { kept, main } = told;
    return { main, rest: joined(text, all, kept, false), isMain: within(all, kept) };
  }
  // What is repeated belongs to the shape of the page, so it helps to find its text, and is left out of it then.
  const kept = told.kept.map((is, at) => is && isRepeated[at] !== true);
  return {
    main: joined(text, all, kept, true),
    rest: joined(text, all, kept, false),
    isMain: within(all, kept),
  };
}

/** A text without some of its blocks. */
export function withoutBlocks(text: string, all: readonly Block[], isLeftOut: readonly boolean[]): string {
  return joined(text, all, isLeftOut, false);
}

/** Which blocks are main text, and their lines. */
function chosen(
  text: string,
  blocks: Blocks,
  evidence: Evidence,
): { readonly kept: readonly boolean[]; readonly main: string } {
  const { all } = blocks;
  const worth = worthOf(text, blocks);
  const shape = shapeOf(all, blocks.containers);
  const remarks = remarkBoxes(text, blocks, shape);
  for (const belief of ['names', 'declarations'] as const) {
    const told = believedHints(blocks, remarks, belief);
    const part = choosePart(text, blocks, shape, told, worth, evidence);
    if (part === null) continue;
    const kept = keptBlocks(text, blocks, shape, told, worth, part);
    const main = joined(text, all, kept, true);
    if (main.length >= leastMain || (main.length >= leastSure && part.share >= sureShare))
      return { kept, main };
  }
  // Too little: everything but what declares to be no content.
  const told = believedHints(blocks, remarks, 'declarations');
  const kept = all.map(
    ({ container, hints: own }) => (((told.of[container] ?? 0) | own) & hints.outside) === 0,
  );
  return { kept, main: joined(text, all, kept, true) };
}

function joined(text: string, all: readonly Block[], kept: readonly boolean[], wanted: boolean): string {
  let whole = '';
  for (let at = 0; at < all.length; at++) {
    if (kept[at] !== wanted) continue;
    const from = all[at]?.from ?? 0;
    // Blocks that follow one another are taken as one piece.
    while (kept[at + 1] === wanted) at++;
    const piece = text.slice(from, all[at]?.to).trim();
    if (piece !== '') whole += whole === '' ? piece : `\n${piece}`;
  }
  return whole;
}

/** Does a place in the text lie in a block that is kept? */
export const within =
  (all: readonly Block[], kept: readonly boolean[]): ((at: number) => boolean) =>
  (at) =>
    kept[blockAt(all, at)] === true;
