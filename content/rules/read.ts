/** What rules find in a page. Pure, and without a limit of time: hostile pages are read in a thread (content/rules.ts). */
import { load } from 'cheerio';
import type { RuledPage } from '../../contracts/extraction.ts';
import type { PageRules } from '../../contracts/page-rules.ts';
import { decodeBody } from '../charset.ts';
import { withoutSubset } from '../doctype.ts';
import { baseOf, createResolver } from '../links.ts';
import { bodyKind, parseContentType } from '../media.ts';
import { fieldsOf } from './fields.ts';
import { keptParts } from './parts.ts';

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
