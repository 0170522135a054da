/** The heading of a page: what it calls itself without the name of its site, and where in the text that stands. */
import type { Block, Blocks } from './blocks.ts';
import { hints } from './hints.ts';
import { bare, type IsSite, withoutSite } from './site-name.ts';

/** Headings that are looked at, from the beginning. */
const mostHeadings = 60;
const lowestLevel = 4;
const longest = 500;
/** A shorter heading is in too many titles. */
const leastHeading = 4;

export interface Headline {
  readonly text: string | null;
  /** The heading that has it; null: none. */
  readonly block: Block | null;
}

/**
 * @param text as the blocks name places in it
 * @param titles what the page says it is called, the surest first: schema.org, Open Graph, `<title>`
 */
export function headlineOf(
  text: string,
  { all }: Blocks,
  titles: readonly string[],
  isSite: IsSite,
): Headline {
  const called = titles.map((title) => withoutSite(title, isSite)).filter((title) => title.trim() !== '');
  const wanted = [...new Set(called.map(bare))].filter((title) => title !== '');
  let [best, most, seen] = [null as Block | null, 0, 0];
  let top: Block | null = null;
  for (const block of all) {
    if (block.kind < 1 || block.kind > lowestLevel) continue;
    const words = text.slice(block.from, Math.min(block.to, block.from + longest)).trim();
    const own = bare(words);
    if (own === '' || isSite(words)) continue;
    if (++seen > mostHeadings) break;
    if (block.kind === 1 && (block.hints & hints.outside) === 0) top ??= block;
    const isTold = wanted.some(
      (title) =>
        title === own ||
        (own.length >= leastHeading && title.includes(own)) ||
        (title.length >= 2 * leastHeading && own.includes(title)),
    );
    // The heading that has most of the title; of two, the higher one.
    const value = isTold ? own.length * 10 - block.kind : 0;
    if (value > most) [best, most] = [block, value];
  }
  const words = (block: Block): string =>
    text
      .slice(block.from, Math.min(block.to, block.from + longest))
      .trim()
      .replaceAll('\n', ' ');
  if (best !== null) return { text: words(best), block: best };
  // A heading that no title has is the page's, or the name of a part of the site.
  const heading = top === null ? null : words(top);
  const isOwn =
    heading !== null && (titles.length < 2 ? heading.split(/\s/).length > 2 : called.length === 0);
  const [said] = called;
  if (said === undefined || isOwn) return { text: heading, block: top };
  const isNew = titles.length > 1 || said !== titles[0];
  return { text: isNew ? said.slice(0, longest) : heading, block: top };
}
