/** The tree of a page's headings, as a list: each belongs to the nearest one before it of a lower level. */
import type { PageMeta } from '../contracts/http/page-meta.ts';
import type { Blocks } from './blocks.ts';
import { composed } from './folded-text.ts';

type Heading = NonNullable<PageMeta['headings']>[number];

/** Headings kept of a page, all their characters, and those of one. */
const mostHeadings = 100;
const longestHeadings = 4_000;
const longestHeading = 200;

/** @param text as the blocks name places in it */
export function headingsOf(
  text: string,
  blocks: Blocks,
): { readonly kept: Heading[]; readonly leftOut: number } {
  const kept: Heading[] = [];
  let leftOut = 0;
  let room = longestHeadings;
  for (const { kind, from, to } of blocks.all) {
    if (kind < 1 || kind > 6) continue;
    const whole = text.slice(from, to).trim();
    if (whole === '') continue;
    if (kept.length >= mostHeadings || room <= 0) {
      leftOut++;
      continue;
    }
    if (whole.length > longestHeading) leftOut++;
    const heading = composed(whole.slice(0, longestHeading).replaceAll('\n', ' '));
    room -= heading.length;
    kept.push({ level: kind, text: heading });
  }
  return { kept, leftOut };
}
