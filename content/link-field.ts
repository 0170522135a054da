/** What the head of an answer says of links: its fields Link (RFC 8288) and Refresh. */
import { allMatches } from './all-matches.ts';
import { refreshTarget, relations } from './link-attributes.ts';

export interface HeadLinks {
  /** As written; null: none. */
  readonly canonical: string | null;
  /** Pages that it leads on to: versions in other languages, next and previous ones, and where a refresh leads. */
  readonly others: readonly string[];
  /** Characters of the fields that were not kept. */
  readonly leftOut: number;
}

const link = /<([^<>]*)>((?:\s*;\s*[\w!#$&+\-.^`|~*]+\s*(?:=\s*(?:"[^"]*"|[^\s;,"]*))?)*)/g;
const parameter = /;\s*([\w!#$&+\-.^`|~*]+)\s*(?:=\s*(?:"([^"]*)"|([^\s;,"]*)))?/g;

/**
 * @param fields Link and Refresh as they came, each on its line, '' where the answer has none; on a third line, if there is
 * one, the number of characters that were cut
 */
export function headLinks(fields: string | null | undefined): HeadLinks {
  const [links = '', refresh = '', cut = ''] = fields?.split('\n') ?? [];
  const others: string[] = [];
  let canonical: string | null = null;
  for (const [, href = '', parameters = ''] of allMatches(links, link)) {
    const given = new Map(
      [...parameters.matchAll(parameter)].map(([, name = '', quoted, plain = '']) => [
        name.toLowerCase(),
        quoted ?? plain,
      ]),
    );
    // What another page is linked to says nothing of this one (§3.2).
    if (given.has('anchor')) continue;
    const rel = relations(given.get('rel'));
    if (rel.includes('canonical')) canonical ??= href.trim();
    const isVersion = rel.includes('alternate') && given.has('hreflang');
    if (isVersion || rel.includes('next') || rel.includes('prev')) others.push(href.trim());
  }
  const target = refresh === '' ? undefined : refreshTarget(refresh);
  return { canonical, others: target === undefined ? others : [...others, target], leftOut: Number(cut) };
}
