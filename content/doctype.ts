/**
 * The document type of XHTML. Its internal subset ends at `]>` (XML 1.0 §2.8), while the tokenizer ends any declaration at
 * its first `>`: the rest would be text of the page.
 */

const opening = /^(?:\ufeff|\s|<\?(?:(?!\?>)[^])*\?>|<!--(?:(?!-->)[^])*-->)*<!DOCTYPE[^[\]<>]*\[/;
/** What may hold a bracket that does not end the subset, by how it begins. */
const ends: Readonly<Record<string, string>> = { '"': '"', "'": "'", '<!--': '-->', '<?': '?>' };

/** XHTML without the internal subset of its document type. A subset without an end is left as it is. */
export function withoutSubset(source: string): string {
  const begin = opening.exec(source)?.[0].length;
  if (begin === undefined) return source;
  const next = /["'\]]|<!--|<\?/g;
  next.lastIndex = begin;
  for (let found = next.exec(source); found !== null; found = next.exec(source)) {
    const end = ends[found[0]];
    if (end === undefined) return source.slice(0, begin - 1) + source.slice(found.index + 1);
    const at = source.indexOf(end, next.lastIndex);
    if (at < 0) break;
    next.lastIndex = at + end.length;
  }
  return source;
}
