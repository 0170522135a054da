/** What each block of a page is worth as a part of its text, whatever is around it. */
import { type Block, type Blocks, kinds } from './blocks.ts';

/** A shorter block is no paragraph. */
const leastCharacters = 25;
/** A paragraph of so many characters counts whole, a shorter one less. */
const wholeParagraph = 120;
/** More of one block counts no more: a text is many paragraphs. */
const mostOfBlock = 1_000;
/** Of what a page announces elsewhere, and of captions, so much counts. */
const teaserShare = 0.15;
const captionShare = 0.1;
const pieceShare = 0.6;
/** A longer paragraph behind a linked heading announces nothing. */
const longestTeaser = 500;
/** A shorter link in a box is a name or a date. */
const leastLead = 20;
/** Fewer linked headings are no list of them. */
const leastTeasers = 3;
/** Blocks that begin as others do, which are looked at: each look may read a long block. */
const mostTries = 500;
/** Less of a page is no second copy of its text. */
const leastCopied = 0.25;
/** Characters by which two blocks are found to begin alike. */
const sameBeginning = 60;

export const isHeading = (kind: number): boolean => kind >= 1 && kind <= 6;

export const isProse = ({ kind, linked, from, to }: Block): boolean =>
  to - from >= leastCharacters && !isHeading(kind) && linked * 2 <= to - from;

export interface Worth {
  readonly of: Float64Array;
  readonly isTeaser: Uint8Array;
}

export function worthOf(text: string, { all, containers }: Blocks): Worth {
  const worth: Worth = {
    of: new Float64Array(all.length),
    isTeaser: teasers(all, containers),
  };
  const speaks = sentenceTeller(text);
  for (let at = 0; at < all.length; at++) {
    const block = all[at];
    if (block === undefined || !isProse(block)) continue;
    const length = block.to - block.from;
    // Of scripts that write a word with a sign or two, a third of the characters says as much.
    const isDense = text.charCodeAt((block.from + block.to) >> 1) >= 0x2e80;
    const size = Math.min(mostOfBlock, isDense ? length * 3 : length);
    let value = size * Math.min(1, size / wholeParagraph);
    if (block.kind === kinds.item || block.kind === kinds.cell) value *= pieceShare;
    if (block.kind === kinds.caption) value *= captionShare;
    if (worth.isTeaser[at] === 1) value *= teaserShare;
    if (!speaks(block)) value *= 0.3;
    worth.of[at] = value;
  }
  return worth;
}

/** Paragraphs behind headings that lead elsewhere, or in boxes behind links, where there are several such. */
function teasers(all: readonly Block[], containers: Blocks['containers']): Uint8Array {
  const [found, boxed] = [new Uint8Array(all.length), new Uint8Array(all.length)];
  const boxes = new Map<string, number>();
  let [headings, behind, link] = [0, 0, -1];
  for (let at = 0; at < all.length; at++) {
    const block = all[at];
    if (block === undefined) continue;
    const length = block.to - block.from;
    const leads = block.linked > length * 0.8 && length >= leastLead;
    if (isHeading(block.kind)) {
      const isLink = block.linked * 2 > length;
      if (isLink) headings++;
      behind = isLink ? 3 : 0;
    } else if (behind > 0 && behind-- > 0 && length <= longestTeaser) found[at] = 1;
    // A box of its own: the link is its first block, or the second, and the prose follows.
    if (leads && all[at - 2]?.container !== block.container) link = block.container;
    else if (link === block.container && isProse(block) && length <= longestTeaser) {
      if (all[at + 2]?.container !== link) {
        boxed[at] = 1;
        const sign = containers[link]?.sign ?? '';
        boxes.set(sign, (boxes.get(sign) ?? 0) + 1);
      }
    } else if (link !== block.container) link = -1;
  }
  if (headings < leastTeasers) found.fill(0);
  for (let at = 0; at < all.length; at++) {
    const sign = containers[all[at]?.container ?? 0]?.sign ?? '';
    if (boxed[at] === 1 && (boxes.get(sign) ?? 0) >= leastTeasers) found[at] = 1;
  }
  return found;
}

/** Has a block a sign that parts or ends sentences? Blocks are asked for in their order, so the text is searched once. */
function sentenceTeller(text: string): (block: Block) => boolean {
  const sign = /[,.!?;:،。，、؟।።။]/g;
  let next = -1;
  return ({ from, to }) => {
    if (next < from) {
      sign.lastIndex = from;
      next = sign.exec(text)?.index ?? text.length;
    }
    return next < to;
  };
}

/**
 * A text that stands twice (for small screens, for print) counts once: paragraph by paragraph, or in one block. A page
 * whose paragraphs come again here and there has no second copy.
 * @param worths those of copies become nothing
 * @param isAround what may stand there is a summary, of which the text is no copy
 */
export function markCopies(
  text: string,
  all: readonly Block[],
  worths: Float64Array,
  isAround: (block: Block) => boolean,
): Uint8Array {
  const isCopy = new Uint8Array(all.length);
  const first = new Map<string, number>();
  let [tries, copied, whole] = [0, 0, 0];
  for (let at = 0; at < all.length && tries < mostTries; at++) {
    const block = all[at];
    const worth = worths[at] ?? 0;
    whole += worth;
    if (block === undefined || worth === 0 || block.to - block.from < sameBeginning) continue;
    if (block.kind === kinds.code || isAround(block)) continue;
    const from = text.charCodeAt(block.from) === 10 ? block.from + 1 : block.from;
    const beginning = text.slice(from, from + sameBeginning);
    const before = first.get(beginning);
    const other = before === undefined ? undefined : all[before];
    if (before === undefined || other === undefined) {
      first.set(beginning, at);
      continue;
    }
    tries++;
    const [length, known] = [block.to - block.from, other.to - other.from];
    const isSame = Math.abs(length - known) <= 2;
    if (isSame || (length > known * 1.5 && isNext(text, all[before + 1], block))) {
      isCopy[at] = 1;
      copied += worth;
    } else if (known > length * 1.5 && isNext(text, all[at + 1], other)) {
      isCopy[before] = 1;
      copied += worths[before] ?? 0;
      first.set(beginning, at);
    }
  }
  if (copied < whole * leastCopied) return isCopy.fill(0);
  isCopy.forEach((is, at) => {
    if (is === 1) worths[at] = 0;
  });
  return isCopy;
}

/** Does a long block hold the beginning of the next one too? */
function isNext(text: string, next: Block | undefined, long: Block): boolean {
  if (next === undefined) return false;
  const piece = text.slice(next.from, Math.min(next.to, next.from + sameBeginning)).trim();
  return piece.length >= 20 && text.slice(long.from, Math.min(long.to, long.from + 20_000)).includes(piece);
}
