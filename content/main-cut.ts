/** Which blocks inside the part that holds the text are not text, and which blocks right beside that part are. */
import { type Block, type Blocks, type Container, kinds } from './blocks.ts';
import { hints } from './hints.ts';
import { type Believed, outsideHints } from './main-names.ts';
import { type Chosen, isAround } from './main-part.ts';
import { addUp, partsOf, type Shape } from './main-shape.ts';
import { isHeading, isProse, type Worth } from './main-worth.ts';

/** A part beside the text belongs to it with so much of its worth. */
const besideShare = 0.2;
/** Levels around the text in which parts beside it are looked for. */
const besideLevels = 3;
/** So many captions are a gallery. */
const leastGallery = 4;

const lists: ReadonlySet<string> = new Set(['ul', 'ol', 'dl']);

interface Sizes {
  readonly characters: Float64Array;
  readonly linked: Float64Array;
  /** Characters of prose that announces something else. */
  readonly teasers: Float64Array;
  readonly prose: Float64Array;
  /** Paragraphs, less two for each heading: a list of boxes has a heading for each. */
  readonly run: Float64Array;
}

export function keptBlocks(
  text: string,
  { all, containers }: Blocks,
  shape: Shape,
  { of: told, ofBlock }: Believed,
  worth: Worth,
  { top, sums, isCopy, title }: Chosen,
): boolean[] {
  const sizes = sizesOf(all, containers, worth);
  const { ends, first } = shape;
  const inside = new Uint8Array(containers.length);
  const take = (from: number): void => {
    inside[from] = 1;
    for (let at = from + 1; at < (ends[from] ?? 0); at++) {
      const parent = containers[at]?.parent ?? 0;
      if (inside[parent] === 1 && !isSurrounding(at, containers, told, sizes, top)) inside[at] = 1;
    }
  };
  take(top);
  /** A box between the title and the text, without links. */
  const isLeadIn = (at: number): boolean =>
    (ends[at] ?? 0) <= at + 2 && sizes.linked[at] === 0 && title >= 0 && (first[at] ?? 0) > title;
  // Parts beside the text, and paragraphs: what leads in, what was cut off.
  const around = new Set<number>();
  for (let [at, level] = [top, 0]; at !== 0 && level < besideLevels; level++) {
    const parent = containers[at]?.parent ?? 0;
    const name = containers[parent]?.name ?? '';
    if (parent === 0 || name === 'body' || name === 'html') break;
    around.add(parent);
    for (const part of partsOf(parent, shape)) {
      if (part === at || inside[part] === 1 || isSurrounding(part, containers, told, sizes, top)) continue;
      if (!isTextual(part, told, sizes, sums)) continue;
      const isLarge = level === 0 && (sums[part] ?? 0) >= (sums[top] ?? 0) * besideShare;
      if (isLarge || (part < at && isLeadIn(part))) take(part);
    }
    at = parent;
  }
  const gallery = all.reduce((count, { kind }) => count + Number(kind === kinds.caption), 0) >= leastGallery;
  const lines = shortLines(text, all, containers, inside);
  const kept = all.map((block, at) => {
    const length = block.to - block.from;
    if (isCopy[at] === 1 || lines[at] === 1) return false;
    if (inside[block.container] !== 1) {
      // A paragraph right beside the text, such as one between two parts of it.
      const isBeside = around.has(block.container) && block.kind === kinds.paragraph;
      return isBeside && length > 80 && block.linked * 4 < length && (block.hints & ~hints.content) === 0;
    }
    if ((ofBlock(block) & (outsideHints | hints.byline | hints.around)) !== 0) return false;
    if (gallery && block.kind === kinds.caption) return false;
    if (block.linked < length * 0.8 || isHeading(block.kind) || (block.kind === kinds.cell && length > 2))
      return true;
    // A list belongs to the text with all its items, or not at all.
    return lists.has(containers[block.container]?.name ?? '');
  });
  dropIdleHeadings(all, kept);
  return kept;
}

/** A longer line is no label. */
const longestLabel = 80;
/** A label that stands so often on a page is part of its template. */
const leastRepeated = 3;
/** A page with so many pieces of code documents something: its labels are what it says. */
const leastCode = 2;

/**
 * Lines that label parts of the page and say nothing: those that stand there again and again, and boxes that hold nothing
 * but such lines (dates, counters, buttons).
 */
function shortLines(
  text: string,
  all: readonly Block[],
  containers: readonly Container[],
  inside: Uint8Array,
): Uint8Array {
  const found = new Uint8Array(all.length);
  const says = new Uint8Array(containers.length);
  const counts = new Map<string, number>();
  const labels: string[] = [];
  if (all.filter(({ kind }) => kind === kinds.code).length >= leastCode) return found;
  all.forEach((block, at) => {
    if (inside[block.container] !== 1) return;
    const length = block.to - block.from;
    const isBare = block.kind === kinds.bare || block.kind === kinds.paragraph;
    const isDense = text.charCodeAt((block.from + block.to) >> 1) >= 0x2e80;
    const label =
      (isDense ? length * 3 : length) <= longestLabel ? text.slice(block.from, block.to).trim() : '';
    labels[at] = isBare ? label : '';
    if (block.kind !== kinds.bare || label === '' || /[.!?…。！？।]["'”’»)]?$/.test(label))
      says[block.container] = 1;
    if (labels[at] !== '') counts.set(label, (counts.get(label) ?? 0) + 1);
  });
  for (let at = 0; at < all.length; at++) {
    const label = labels[at];
    if (label === undefined || label === '') continue;
    const container = all[at]?.container ?? 0;
    if ((counts.get(label) ?? 0) >= leastRepeated || says[container] === 0) found[at] = 1;
  }
  return found;
}

function sizesOf(all: readonly Block[], containers: readonly Container[], worth: Worth): Sizes {
  const make = (): Float64Array => new Float64Array(containers.length);
  const sizes: Sizes = { characters: make(), linked: make(), teasers: make(), prose: make(), run: make() };
  all.forEach((block, at) => {
    const length = block.to - block.from;
    const { container } = block;
    sizes.characters[container] = (sizes.characters[container] ?? 0) + length;
    sizes.linked[container] = (sizes.linked[container] ?? 0) + block.linked;
    const run = isHeading(block.kind) ? -2 : Number(isProse(block));
    sizes.run[container] = (sizes.run[container] ?? 0) + run;
    if (!isProse(block)) return;
    sizes.prose[container] = (sizes.prose[container] ?? 0) + length;
    if (worth.isTeaser[at] === 1) sizes.teasers[container] = (sizes.teasers[container] ?? 0) + length;
  });
  for (const each of Object.values(sizes) as Float64Array[]) addUp(each, containers);
  return sizes;
}

/** Is most of a part prose? */
function isTextual(at: number, told: Uint8Array, sizes: Sizes, sums: Float64Array): boolean {
  const characters = sizes.characters[at] ?? 0;
  if ((sums[at] ?? 0) === 0 || isAround(told[at] ?? 0) || (sizes.run[at] ?? 0) < 0) return false;
  if ((sizes.linked[at] ?? 0) > characters * 0.25) return false;
  return (sizes.prose[at] ?? 0) - (sizes.teasers[at] ?? 0) > characters * 0.5;
}

/** A container inside the text that is not text: named so, with little text, or full of links or teasers. */
function isSurrounding(
  at: number,
  containers: readonly Container[],
  told: Uint8Array,
  sizes: Sizes,
  top: number,
): boolean {
  const { name } = containers[at] ?? { name: '' };
  const hint = told[at] ?? 0;
  if ((hint & outsideHints) !== 0) return true;
  const characters = sizes.characters[at] ?? 0;
  if (characters === 0) return false;
  const density = (sizes.linked[at] ?? 0) / characters;
  const share = characters / Math.max(1, sizes.characters[top] ?? 0);
  if ((hint & (hints.around | hints.byline)) !== 0 && (hint & (hints.content | hints.main)) === 0)
    return share < 0.3 || density > 0.3;
  if (name === 'form') return share < 0.3;
  if (lists.has(name)) return density > 0.6 && share < 0.8;
  // A page that is made of announcements has them for its text.
  const announces = (part: number): boolean => (sizes.teasers[part] ?? 0) > (sizes.prose[part] ?? 0) * 0.6;
  if (announces(at) && !announces(top)) return true;
  if (name === 'table') return density > 0.8 && share < 0.5;
  return density > 0.5 && share < 0.5 && name !== 'blockquote';
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
