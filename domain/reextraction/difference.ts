/** In which fields two extractions of one body differ. */
import type { Cut } from '../limits.ts';

/** What is stored of an extraction, by column: these, and others that are compared as they are. */
export type Extraction = Readonly<Record<string, unknown>> & {
  /** Links seen, followed or not. */
  readonly links: number;
  /** Hash of the whole text; null: the text is too short to tell. */
  readonly text_hash: string | null;
  readonly meta: Readonly<Record<string, unknown>> | null;
  /** Values that the rules of the crawl took, by name; null: none. */
  readonly fields: Readonly<Record<string, unknown>> | null;
  /** The links to follow, one on each line. */
  readonly outlinks: string;
  readonly cut: Cut | null;
};

/** Links of a sample that are shown, of those that one of two extractions found. */
const mostLinks = 50;

/** By field, what an extraction says. The fields of its metadata are `meta.…`, those of rules `fields.…`; which extractor read the page is no field. */
function fieldsOf(extraction: Extraction): ReadonlyMap<string, unknown> {
  const { links: linkCount, text_hash: text, outlinks: links, meta, fields, cut, ...others } = extraction;
  return new Map<string, unknown>([
    ...Object.entries({ ...others, text, linkCount, links, cut: cut ?? {} }),
    ...Object.entries(fields ?? {}).map(([name, value]) => [`fields.${name}`, value] as const),
    ...Object.entries(meta ?? {})
      .filter(([name]) => name !== 'version')
      .map(([name, value]) => [`meta.${name}`, value] as const),
  ]);
}

/** Fields in which they differ, sorted. */
export function changedFields(before: Extraction, after: Extraction): readonly string[] {
  const [one, other] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((field) => !isSame(one.get(field), other.get(field)))
    .sort();
}

/** Values of JSON; the order of an object's names does not matter. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSame(left[name], right[name]))
  );
}

/** Links that only one of two extractions found. */
export function linksApart(
  before: Extraction,
  after: Extraction,
): { readonly gone: readonly string[]; readonly found: readonly string[] } {
  if (before.outlinks === after.outlinks) return { gone: [], found: [] };
  const linesOf = (packed: string): ReadonlySet<string> => new Set(packed === '' ? [] : packed.split('\n'));
  const [one, other] = [linesOf(before.outlinks), linesOf(after.outlinks)];
  return {
    gone: [...one].filter((link) => !other.has(link)),
    found: [...other].filter((link) => !one.has(link)),
  };
}

/** What a field said and says, to be shown; null: nothing. Of links only those that the other does not have. */
export function shownField(
  before: Extraction,
  after: Extraction,
  field: string,
): { readonly before: unknown; readonly after: unknown } {
  if (field === 'links') {
    const { gone, found } = linksApart(before, after);
    return { before: gone.slice(0, mostLinks), after: found.slice(0, mostLinks) };
  }
  return { before: fieldsOf(before).get(field) ?? null, after: fieldsOf(after).get(field) ?? null };
}
