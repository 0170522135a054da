/** Where a mark in a page's body stands: by its heading, elsewhere in the page, or in what surrounds it. */
import type { Block, Blocks } from './blocks.ts';
import { hints } from './hints.ts';
import { bare } from './site-name.ts';

export interface Place {
  /** In the text. */
  readonly at: number;
  /** Number of its container (content/blocks.ts). */
  readonly container: number;
}

/** What placesIn finds of a page. */
export interface Places {
  readonly nearness: (place: Place) => Nearness;
  /** Lines of text by the heading, those before it first. */
  readonly lines: () => readonly string[];
}

export type Nearness = 'near' | 'far' | 'aside';

/** Characters before and after a heading in which the date and the author of the page stand. */
const before = 400;
const after = 1_200;
/** Whatever a part of the page is named, by the heading it belongs to the heading. */
const close = 250;

/** A mark right before a heading belongs to that one. */
const above = 120;
const lowestLevel = 4;
const longestHeading = 500;
const marked = hints.byline | hints.author | hints.dated;

/**
 * @param text as the blocks name places in it
 * @param heading null: the page has none, and begins with what belongs to one
 */
export function placesIn(text: string, { all, containers }: Blocks, heading: Block | null): Places {
  const around = new Set<number>([0]);
  for (let at = heading?.container ?? 0; at !== 0; at = containers[at]?.parent ?? 0) around.add(at);
  const [from, to] = [heading?.from ?? 0, heading?.to ?? 0];
  const headings = all.filter(
    (block) => block.kind >= 1 && block.kind <= lowestLevel && block.to > block.from + 1,
  );
  const own = heading === null ? '' : bare(text.slice(from, Math.min(to, from + longestHeading)));
  /** A heading that is a link leads to another text, of which date and author stand beside it. */
  const isOther = (block: Block | undefined): boolean =>
    block !== undefined &&
    block !== heading &&
    block.linked >= 0.8 * (block.to - block.from) &&
    block.from > from &&
    (block.hints & marked) === 0 &&
    (own === '' ||
      !bare(text.slice(block.from, Math.min(block.to, block.from + longestHeading))).includes(own));
  const nearness = ({ at, container }: Place): Nearness => {
    const next = firstAfter(headings, at);
    const [last, following] = [headings[next - 1], headings[next]];
    // A mark in a heading is part of what that says: `<h2>By <a rel=author>`.
    if (
      (at >= (last?.to ?? 0) && isOther(last)) ||
      (isOther(following) && (following?.from ?? 0) <= at + above)
    )
      return 'aside';
    let told = 0;
    // What holds the heading too surrounds nothing, whatever templates call it.
    for (let up = container; !around.has(up); up = containers[up]?.parent ?? 0) {
      const { name, hints: own } = containers[up] ?? { name: '', hints: 0 };
      if (name !== 'body') told |= (own & hints.content) === 0 ? own : own & ~hints.around;
    }
    const distance = at < from ? from - at : Math.max(0, at - to);
    if ((told & hints.outside) !== 0) return 'aside';
    if ((told & (hints.around | hints.comments)) !== 0 && distance > close) return 'aside';
    return distance <= (at < from ? before : after) ? 'near' : 'far';
  };
  const lines = (): readonly string[] => {
    const found: string[] = [];
    for (let nth = firstAfter(all, from - before - 1); nth < all.length; nth++) {
      const block = all[nth];
      if (block === undefined || block.from > to + after) break;
      if (
        (block.hints & hints.comments) === 0 &&
        nearness({ at: block.from, container: block.container }) === 'near'
      )
        found.push(
          ...text
            .slice(block.from, Math.min(block.to, block.from + after))
            .trim()
            .split('\n'),
        );
    }
    return found;
  };
  return { nearness, lines };
}

/** Number of the first block that begins behind a place. */
function firstAfter(blocks: readonly Block[], at: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.from ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}
