/**
 * Which blocks of a page are its main text, and which surround it. As readers' views do it, but without a tree:
 * paragraphs give their containers points, and those around them fewer; the container with most points, less for links,
 * holds the text. What is full of links in it, or is named as surroundings are, is left out. One walk over the blocks and
 * a few over the containers.
 */
import { type Block, type Blocks, type Container, kinds } from './blocks.ts';
import { hints } from './hints.ts';

/** A shorter block gives no points. */
const leastCharacters = 25;
/** Containers that get points from a paragraph: those around it, the nearest first. */
const levels = 5;
/** A container beside the best one belongs to the text with so much of its points. */
const siblingShare = 0.2;
const leastSiblingPoints = 10;
/** A page with less text than this has no surroundings to tell from its text. */
const leastMain = 140;
const outsideHints = hints.outside | hints.comments;
/** A container with so much of the page's paragraphs is no surroundings, whatever it is named; nor are so many comments. */
const trustedShare = 0.4;
const trustedComments = 0.8;
/** A block that is so long is text, whatever it is named. */
const trustedLength = 120;

interface Sums {
  readonly points: Float64Array;
  readonly characters: Float64Array;
  readonly linked: Float64Array;
  /** Hints of each container and of all around it. */
  readonly hints: Uint8Array;
}

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
  { all, containers }: Blocks,
  isRepeated: readonly boolean[] | null = null,
): MainText {
  if (all.length === 0) return { main: text, rest: '', isMain: () => true };
  const told = chosen(text, all, containers);
  if (told.main === '') return { main: text, rest: '', isMain: () => true };
  if (isRepeated === null) {
    const { kept, main } = told;
    return { main, rest: joined(text, all, kept, false), isMain: within(all, kept) };
  }
  // What is repeated belongs to the shape of the page, so it helps to find its text, and is left out of it then.
  const kept = told.kept.map((is, at) => is && isRepeated[at] !== true);
  return {
    ...{ main: joined(text, all, kept, true), rest: joined(text, all, kept, false) },
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
  all: readonly Block[],
  containers: readonly Container[],
): { readonly kept: readonly boolean[]; readonly main: string } {
  const sums = sumUp(text, all, containers);
  const top = topContainer(containers, sums);
  if (top !== null) {
    const kept = keptBlocks(all, containers, sums, top);
    const main = joined(text, all, kept, true);
    if (main.length >= leastMain) return { kept, main };
  }
  // Too little: everything but what declares to be no content.
  const kept = all.map(
    ({ container, hints: own }) => (((sums.hints[container] ?? 0) | own) & hints.outside) === 0,
  );
  return { kept, main: joined(text, all, kept, true) };
}

function sumUp(text: string, all: readonly Block[], containers: readonly Container[]): Sums {
  const count = containers.length;
  const sums: Sums = {
    ...{ points: new Float64Array(count), characters: new Float64Array(count) },
    ...{ linked: new Float64Array(count), hints: new Uint8Array(count) },
  };
  /** Characters of paragraphs. */
  const plain = new Float64Array(count);
  for (const block of all) {
    const length = block.to - block.from;
    sums.characters[block.container] = (sums.characters[block.container] ?? 0) + length;
    sums.linked[block.container] = (sums.linked[block.container] ?? 0) + block.linked;
    if (isParagraph(block, length)) plain[block.container] = (plain[block.container] ?? 0) + length;
  }
  for (let at = count - 1; at > 0; at--) {
    const { parent } = containers[at] ?? none;
    sums.characters[parent] = (sums.characters[parent] ?? 0) + (sums.characters[at] ?? 0);
    sums.linked[parent] = (sums.linked[parent] ?? 0) + (sums.linked[at] ?? 0);
    plain[parent] = (plain[parent] ?? 0) + (plain[at] ?? 0);
  }
  const whole = plain[0] ?? 0;
  for (let at = 0; at < count; at++) {
    const { parent, hints: own } = containers[at] ?? none;
    const share = whole === 0 ? 0 : (plain[at] ?? 0) / whole;
    const wrong =
      (share >= trustedShare ? hints.outside | hints.around : 0) |
      (share >= trustedComments ? hints.comments : 0);
    sums.hints[at] = (own & ~wrong) | ((sums.hints[parent] ?? 0) & outsideHints);
  }
  const commasIn = commaCounter(text);
  for (const block of all) {
    const length = block.to - block.from;
    if (!isParagraph(block, length) || ((sums.hints[block.container] ?? 0) & outsideHints) !== 0) continue;
    if (hintsOfBlock(block, length) & outsideHints) continue;
    addPoints(block, pointsOf(text, block, length, commasIn(block.from, block.to)), containers, sums);
  }
  return sums;
}

const none: Container = { parent: 0, name: '', hints: 0 };

function isParagraph({ kind, linked }: Block, length: number): boolean {
  return length >= leastCharacters && !isHeading(kind) && linked * 2 <= length;
}

const isHeading = (kind: number): boolean => kind >= 1 && kind <= 6;

const hintsOfBlock = ({ hints: told }: Block, length: number): number =>
  length >= trustedLength ? told & hints.comments : told;

/**
 * A paragraph's points: one, one for each 100 characters up to three, and one for each comma up to ten. Of scripts that
 * write a word with a sign or two, a third of the characters says as much.
 */
function pointsOf(text: string, block: Block, length: number, commas: number): number {
  const isDense = text.charCodeAt((block.from + block.to) >> 1) >= 0x2e80;
  const weight = block.kind === kinds.item || block.kind === kinds.cell ? 0.5 : 1;
  return weight * (1 + commas + Math.min(3, Math.floor((isDense ? length * 3 : length) / 100)));
}

/** Counts commas, up to ten, in parts of a text that follow one another: what lies between two is searched once. */
function commaCounter(text: string): (from: number, to: number) => number {
  let next = -1;
  return (from, to) => {
    let commas = 0;
    for (;;) {
      if (next < from) {
        const found = text.indexOf(',', from);
        next = found < 0 ? text.length : found;
      }
      if (next >= to || commas === 10) return commas;
      commas++;
      from = next + 1;
    }
  };
}

function addPoints(block: Block, points: number, containers: readonly Container[], sums: Sums): void {
  let at = block.container;
  for (let level = 0; level < levels; level++) {
    const share = level === 0 ? 1 : level === 1 ? 2 : level * 3;
    sums.points[at] = (sums.points[at] ?? 0) + points / share;
    const { parent } = containers[at] ?? none;
    if (parent === at) return;
    at = parent;
  }
}

/** The container with most points, or one around it that holds more of the text. Null: none has any. */
function topContainer(containers: readonly Container[], sums: Sums): number | null {
  let [best, most] = [-1, 0];
  const worth = new Float64Array(containers.length);
  for (let at = 0; at < containers.length; at++) {
    const points = sums.points[at] ?? 0;
    if (points === 0) continue;
    const told = sums.hints[at] ?? 0;
    const base =
      ((told & hints.main) !== 0 ? 50 : 0) +
      ((told & hints.content) !== 0 ? 25 : 0) -
      ((told & hints.around) !== 0 ? 25 : 0) -
      ((told & outsideHints) !== 0 ? 50 : 0);
    const density = (sums.linked[at] ?? 0) / Math.max(1, sums.characters[at] ?? 0);
    const value = Math.max(0, points + base) * (1 - density);
    worth[at] = value;
    if (value > most) [best, most] = [at, value];
  }
  if (best < 0) return null;
  sums.points.set(worth);
  // Around a text that is cut into parts, the container of all parts gains with each.
  for (let at = best, last = most; ;) {
    const parent = containers[at]?.parent ?? 0;
    const name = containers[parent]?.name ?? '';
    if (parent === at || name === '' || name === 'body' || name === 'html') break;
    const value = worth[parent] ?? 0;
    if (value < last / 3) break;
    if (value > last) best = parent;
    last = value;
    at = parent;
  }
  return best;
}

function keptBlocks(
  all: readonly Block[],
  containers: readonly Container[],
  sums: Sums,
  top: number,
): boolean[] {
  const parentOfTop = containers[top]?.parent ?? 0;
  const isWhole = parentOfTop === top;
  const leastPoints = Math.max(leastSiblingPoints, (sums.points[top] ?? 0) * siblingShare);
  const inside = new Uint8Array(containers.length);
  for (let at = 0; at < containers.length; at++) {
    const { parent } = containers[at] ?? none;
    if (at === top) inside[at] = 1;
    else if (!isWhole && parent === parentOfTop && at !== parentOfTop) {
      inside[at] = (sums.points[at] ?? 0) >= leastPoints && !isSurrounding(at, containers, sums, top) ? 1 : 0;
    } else if (inside[parent] === 1 && at !== 0)
      inside[at] = isSurrounding(at, containers, sums, top) ? 0 : 1;
  }
  const kept = all.map((block) => {
    const length = block.to - block.from;
    if (inside[block.container] !== 1) {
      // A paragraph right beside the text, such as one between two parts of it.
      const isBeside = block.container === parentOfTop && block.kind === kinds.paragraph;
      return isBeside && length > 80 && block.linked * 4 < length && (block.hints & ~hints.content) === 0;
    }
    if ((hintsOfBlock(block, length) & (outsideHints | hints.byline | hints.around)) !== 0) return false;
    return isHeading(block.kind) || block.linked < length * 0.8 || (block.kind === kinds.cell && length > 2);
  });
  dropIdleHeadings(all, kept);
  return kept;
}

/** A container inside the text that is none of it: by its name with little text, or because it holds links. */
function isSurrounding(at: number, containers: readonly Container[], sums: Sums, top: number): boolean {
  const { name } = containers[at] ?? none;
  const told = sums.hints[at] ?? 0;
  if ((told & outsideHints) !== 0) return true;
  const characters = sums.characters[at] ?? 0;
  if (characters === 0) return false;
  const density = (sums.linked[at] ?? 0) / characters;
  const share = characters / Math.max(1, sums.characters[top] ?? 0);
  if ((told & (hints.around | hints.byline)) !== 0 && (told & hints.content) === 0)
    return share < 0.3 || density > 0.3;
  if (name === 'form') return share < 0.3;
  if (name === 'ul' || name === 'ol' || name === 'dl') return density > 0.6 && share < 0.8;
  return density > 0.5 && share < 0.5 && name !== 'table' && name !== 'blockquote';
}

/** A heading whose part was left out is left out too. */
function dropIdleHeadings(all: readonly Block[], kept: boolean[]): void {
  let followed = false;
  for (let at = all.length - 1; at >= 0; at--) {
    if (isHeading(all[at]?.kind ?? 0)) {
      if (kept[at] === true && !followed) kept[at] = false;
    } else followed = kept[at] === true;
  }
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
export function within(all: readonly Block[], kept: readonly boolean[]): (at: number) => boolean {
  return (at) => {
    let [low, high] = [0, all.length];
    // The first block that ends behind the place.
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((all[middle]?.to ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    return kept[low] === true;
  };
}
