/**
 * Which blocks of a page are its main text, and which surround it. This works as readers' views do, but without a tree,
 * in a few walks over the blocks and the containers. The walks decide how far names are believed (main-names.ts, and
 * `remarkBoxes` below), what each block is worth (main-worth.ts), in which part of the page the text lies
 * (main-part.ts), and what is left out of that part (main-cut.ts). If too little is left, they are repeated with fewer
 * names believed.
 */
import type { Block, Blocks } from './blocks.ts';
import { hints } from './hints.ts';
import { keptBlocks } from './main-cut.ts';
import { believedHints } from './main-names.ts';
import { choosePart, type Evidence } from './main-part.ts';
import { blockAt, shapeOf, type Shape } from './main-shape.ts';
import { worthOf, isHeading, isProse } from './main-worth.ts';

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

/** So many boxes of one kind, of which so many have all the marks, and so much prose before them. */
const leastBoxes = 5;
const markedShare = 0.7;
const leastBefore = 400;
/** Longer lines are no dates. */
const longestDate = 60;
/** What a box has, in bits. */
const [linked, dated, told, titled] = [1, 2, 4, 8];
const away = hints.outside | hints.comments | hints.around;

/**
 * Boxes of readers' remarks below a text, known by their shape: many of one kind, each with some prose, a link (who wrote
 * it, to answer) and a short line with a number (when), and none with a heading. Where nothing goes before them they are
 * the text itself, as in forums.
 */
function remarkBoxes(text: string, { all, containers }: Blocks, { first }: Shape): Uint8Array {
  const has = new Uint8Array(containers.length);
  /** Characters of prose before each block. */
  const before = new Float64Array(all.length + 1);
  all.forEach((block, at) => {
    const { container, from, to } = block;
    const isText = isProse(block);
    let own = block.linked > 0 ? linked : 0;
    if (isHeading(block.kind)) own |= titled;
    else if (isText && to - from > longestDate) own |= told;
    else if (to - from <= longestDate && /\d/.test(text.slice(from, to))) own |= dated;
    has[container] = (has[container] ?? 0) | own;
    const isHere = isText && ((containers[container]?.hints ?? 0) & away) === 0;
    before[at + 1] = (before[at] ?? 0) + (isHere ? to - from : 0);
  });
  for (let at = containers.length - 1; at > 0; at--) {
    const parent = containers[at]?.parent ?? 0;
    has[parent] = (has[parent] ?? 0) | (has[at] ?? 0);
  }
  const alike = new Map<string, number[]>();
  containers.forEach(({ parent, name, sign, hints: own }, at) => {
    if (sign === '' || has[at] === 0 || (own & (hints.content | hints.main)) !== 0) return;
    const kind = `${String(parent)} ${name} ${sign}`;
    const boxes = alike.get(kind);
    if (boxes === undefined) alike.set(kind, [at]);
    else boxes.push(at);
  });
  const found = new Uint8Array(containers.length);
  for (const boxes of alike.values()) {
    if (boxes.length < leastBoxes) continue;
    const marked = boxes.filter((at) => has[at] === (linked | dated | told)).length;
    if (marked < boxes.length * markedShare) continue;
    if ((before[first[boxes[0] ?? 0] ?? 0] ?? 0) < leastBefore) continue;
    for (const at of boxes) found[at] = 1;
  }
  return found;
}
