/**
 * The part of a page that its text lies in. The search goes from the page inwards, as long as one part holds nearly all
 * of what is worth something. So a text in many boxes, or in two sections, is found whole, in the part around them.
 */
import { type Blocks, type Container, kinds } from './blocks.ts';
import { hints } from './hints.ts';
import { type Believed, outsideHints } from './main-names.ts';
import { addUp, blockAt, isWithin, partsOf, type Shape } from './main-shape.ts';
import { isHeading, isProse, markCopies, type Worth } from './main-worth.ts';
import type { SchemaItem } from './schema-items.ts';

/** What a page says of itself, by which its text is known. */
export interface Evidence {
  readonly title: string;
  /** Beginnings of its text, or what may be such: `articleBody`, the description. */
  readonly beginnings: readonly string[];
}

export function evidenceOf(title: string, description: string, items: readonly SchemaItem[]): Evidence {
  const bodies = items.flatMap(({ articleBody }) => (typeof articleBody === 'string' ? [articleBody] : []));
  return {
    title,
    beginnings: [...bodies, description].map((text) => text.slice(0, 200).trim().replaceAll(/\s+/g, ' ')),
  };
}

/** A part with so much of the worth is gone into; with the beginning or the title; within what is named as content. */
const partShare = 0.75;
const anchoredShare = 0.6;
const namedShare = 0.9;
/** What counts more: the part with the beginning of the text, that after the title, what is named as content. */
const beginningWeight = 8;
const titleWeight = 3;
const mainWeight = 3;
const contentWeight = 1.5;
const aroundShare = 0.2;
/** Characters of a beginning that are looked for. */
const longestBeginning = 40;

/** Not gone into: their items are parts of a text. */
const pieces: ReadonlySet<string> = new Set(['ul', 'ol', 'dl', 'blockquote']);

export interface Chosen {
  readonly top: number;
  readonly sums: Float64Array;
  /** Of all that is worth something. */
  readonly share: number;
  /** Copies of what stands elsewhere on the page. */
  readonly isCopy: Uint8Array;
  /** The block of the title; -1: none was found. */
  readonly title: number;
}

/** Null: nothing is worth anything. */
export function choosePart(
  text: string,
  { all, containers }: Blocks,
  shape: Shape,
  { of: told, ofBlock }: Believed,
  { of }: Worth,
  evidence: Evidence,
): Chosen | null {
  const sums = new Float64Array(containers.length);
  const cells = new Float64Array(containers.length);
  // From a typed array: a list of objects would be gone through by its iterator.
  const worths = of.map((worth, at) => {
    const block = all[at];
    if (block === undefined || worth === 0) return 0;
    return (((told[block.container] ?? 0) | ofBlock(block)) & outsideHints) === 0 ? worth : 0;
  });
  const isCopy = markCopies(text, all, worths, (block) => isAround(told[block.container] ?? 0));
  all.forEach((block, at) => {
    const value = worths[at] ?? 0;
    sums[block.container] = (sums[block.container] ?? 0) + value;
    if (block.kind === kinds.cell && block.to - block.from < 200)
      cells[block.container] = (cells[block.container] ?? 0) + value;
  });
  for (let at = containers.length - 1; at > 0; at--) {
    const parent = containers[at]?.parent ?? 0;
    // Where one is called surroundings and another is not, the other is meant.
    if (isAround(told[at] ?? 0)) sums[at] = (sums[at] ?? 0) * aroundShare;
    sums[parent] = (sums[parent] ?? 0) + (sums[at] ?? 0);
  }
  addUp(cells, containers);
  if ((sums[0] ?? 0) === 0) return null;
  const beginning = blockOfBeginning(text, all, worths, evidence.beginnings);
  const title = blockOfTitle(text, all, told, evidence.title);
  const after = title < 0 ? -1 : worths.findIndex((value, at) => at > title && value > 0);
  const [anchor, weight] = beginning >= 0 ? [beginning, beginningWeight] : [after, titleWeight];
  const isHere = (at: number): boolean => anchor >= 0 && isWithin(all[anchor]?.container ?? 0, at, shape);
  let top = 0;
  let isNamed = false;
  for (;;) {
    let [best, most, total] = [-1, 0, sums[top] ?? 0];
    for (const at of partsOf(top, shape)) {
      const value = sums[at] ?? 0;
      let weighed = value;
      if (isHere(at) && (!isNamed || beginning >= 0)) weighed *= weight;
      if (!isNamed) weighed *= nameWeight(told[at] ?? 0);
      total += weighed - value;
      if (weighed > most) [best, most] = [at, weighed];
    }
    if (best < 0 || most < total * (isNamed ? namedShare : isHere(best) ? anchoredShare : partShare)) break;
    const { name, sign } = containers[best] ?? none;
    if (pieces.has(name) || (name === 'table' && (cells[best] ?? 0) > (sums[best] ?? 0) / 2)) break;
    // Parts of the same kind beside it are parts of the same text.
    let alike = 0;
    for (const at of partsOf(top, shape))
      if (at !== best && sign !== '' && containers[at]?.sign === sign && containers[at].name === name)
        alike += sums[at] ?? 0;
    if (alike * 10 > (sums[best] ?? 0)) break;
    top = best;
    isNamed ||= ((told[top] ?? 0) & (hints.content | hints.main)) !== 0 && name !== 'body' && name !== 'html';
  }
  return { top, sums, share: (sums[top] ?? 0) / (sums[0] ?? 1), isCopy, title };
}

const none: Container = { parent: 0, name: '', sign: '', hints: 0 };

const nameWeight = (told: number): number =>
  (told & hints.main) !== 0 ? mainWeight : (told & hints.content) !== 0 ? contentWeight : 1;

export const isAround = (told: number): boolean =>
  (told & hints.around) !== 0 && (told & (hints.content | hints.main)) === 0;

/** The first block of some worth that has one of the beginnings; -1: none. */
function blockOfBeginning(
  text: string,
  all: Blocks['all'],
  worths: Float64Array,
  beginnings: readonly string[],
): number {
  for (const beginning of beginnings) {
    const wanted = beginning.slice(0, longestBeginning).trim();
    if (wanted.length < longestBeginning / 2) continue;
    // What stands more often than that is part of the template.
    for (let [from, tries] = [text.indexOf(wanted), 0]; from >= 0 && tries < 5; tries++) {
      const at = blockAt(all, from);
      const block = all[at];
      if (block !== undefined && (worths[at] ?? 0) > 0 && isProse(block)) return at;
      from = text.indexOf(wanted, from + wanted.length);
    }
  }
  return -1;
}

/** The heading that the title of the page has too, else the first of the first level; -1: none. */
function blockOfTitle(text: string, all: Blocks['all'], told: Uint8Array, title: string): number {
  const whole = title.toLowerCase();
  let first = -1;
  for (let at = 0; at < all.length; at++) {
    const block = all[at];
    if (block === undefined || !isHeading(block.kind) || ((told[block.container] ?? 0) & outsideHints) !== 0)
      continue;
    const heading = text.slice(block.from, block.to).trim().toLowerCase();
    if (heading.length >= 12 && whole.includes(heading)) return at;
    if (first < 0 && block.kind === 1) first = at;
  }
  return first;
}
