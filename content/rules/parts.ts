/** The parts of a page that rules keep, as markup again: the reader of pages makes their text, as it does of any page. */
import type { CheerioAPI } from 'cheerio';
import type { KeptParts } from '../../contracts/extraction.ts';
import type { PageRules } from '../../contracts/page-rules.ts';
import { speakingElements } from '../elements.ts';
import type { TreeNode } from './fields.ts';

/** Null: the rules take nothing away. Changes the tree. */
export function keptParts($: CheerioAPI, { include, exclude }: PageRules, xhtml: boolean): KeptParts | null {
  let left = 0;
  for (const selector of exclude) {
    const found = $(selector);
    left += found.length;
    found.remove();
  }
  if (include.length === 0) return left === 0 ? null : { markup: $.html(), xhtml, chosen: false };
  const found = $(include.join(', ')).toArray();
  const all = new Set<TreeNode>(found);
  const outermost = found.filter((element) => !isInside(element, all));
  for (const element of outermost) {
    // The reader leaves out navigation, asides and footers; here one was asked for.
    if ('name' in element && speakingElements.has(element.name)) element.name = 'div';
  }
  return { markup: outermost.map((element) => $.html(element)).join('\n'), xhtml, chosen: true };
}

function isInside(element: TreeNode, others: ReadonlySet<TreeNode>): boolean {
  for (let node = element.parent; node !== null; node = node.parent) {
    if (others.has(node)) return true;
  }
  return false;
}
