/** What rules find in a page. Pure, and without a limit of time: hostile pages are read in a thread (content/rules.ts). */
import { load, type CheerioAPI } from 'cheerio';
import type { RuledPage, KeptParts } from '../../contracts/extraction.ts';
import type { PageRules } from '../../contracts/page-rules.ts';
import { decodeBody } from '../charset.ts';
import { withoutSubset } from '../doctype.ts';
import { baseOf, createResolver } from '../links.ts';
import { bodyKind, parseContentType } from '../media.ts';
import { fieldsOf, type TreeNode } from './fields.ts';
import { speakingElements } from '../elements.ts';

/** Null: the body is no markup. @throws whatever the libraries throw at a hostile page, such as a RangeError */
export function readByRules(
  body: Uint8Array,
  contentType: string | null,
  address: string,
  rules: PageRules,
): RuledPage | null {
  const type = parseContentType(contentType);
  const kind = bodyKind(type, body);
  if (kind === null || kind === 'text') return null;
  const source = decodeBody(body, type.charset).text.replaceAll('\0', '');
  const $ = kind === 'xhtml' ? load(withoutSubset(source), { xml: { xmlMode: true } }) : load(source);
  const base = $('base[href]').first().attr('href') ?? null;
  const url = new URL(address);
  url.hash = '';
  const { fields, unread, cut } = fieldsOf($, rules.fields, createResolver(baseOf(base, url)));
  return { fields, unread, parts: keptParts($, rules, kind === 'xhtml'), cut };
}

/**
 * The parts of a page that rules keep, as markup again: the reader of pages makes their text, as it does of any page.
 * Null: the rules take nothing away. Changes the tree.
 */
function keptParts($: CheerioAPI, { include, exclude }: PageRules, xhtml: boolean): KeptParts | null {
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
