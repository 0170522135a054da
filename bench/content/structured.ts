/** Structured data beside extruct: which properties of made pages are told with their values (docs/content.md). */
import type { Extractor } from '../../content/extract.ts';
import type { Peers } from './peers.ts';
import { structuredPages, type StructuredPage } from './structured-pages.ts';

const url = 'https://shop.example/a/b';

/** All properties below a value, as `name=value`, names without their vocabulary but those of Open Graph. */
function leavesOf(value: unknown, name = '', found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const one of value) leavesOf(one, name, found);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      // RDFa as expanded JSON-LD: values and addresses are objects.
      if (key === '@value' || key === '@id') leavesOf(inner, name, found);
      leavesOf(
        inner,
        /^\w+:[\w:]+$/.test(key) && !key.startsWith('schema:') ? key : key.replace(/^.*[/#:]/, ''),
        found,
      );
    }
  } else if (typeof value === 'string' || typeof value === 'number')
    found.add(`${name.toLowerCase()}=${String(value).replaceAll(/\s+/g, ' ').trim()}`);
  return found;
}

interface Row {
  said: number;
  ours: number;
  theirs: number;
  readonly missed: string[];
}

/** @returns by syntax: properties, and how many of them are told with their values; null: extruct cannot be had */
function compareStructured(
  extractor: Extractor,
  { extruct }: Pick<Peers, 'extruct'>,
): Map<string, Row> | null {
  const theirs = extruct?.(structuredPages.map(({ html }) => ({ url, html })));
  if (theirs === undefined) return null;
  const rows = new Map<string, Row>();
  for (const [at, { way, html, says }] of structuredPages.entries()) {
    const { meta } = extractor.extract({
      ...{ body: Buffer.from(html), url, contentType: 'text/html; charset=utf-8' },
      ...{ xRobotsTag: null, agentTokens: [], maxLinks: 10 },
    });
    const row = rows.get(way) ?? { said: 0, ours: 0, theirs: 0, missed: [] };
    rows.set(way, row);
    const [own, other] = [
      leavesOf(way === 'Open Graph' ? meta.openGraph : meta.schema),
      leavesOf(theirs[at]),
    ];
    for (const leaf of wanted(says)) {
      row.said++;
      if (own.has(leaf)) row.ours++;
      else row.missed.push(leaf);
      if (other.has(leaf)) row.theirs++;
    }
  }
  return rows;
}

const wanted = (says: StructuredPage['says']): string[] =>
  says.map(([name, value]) => `${name.toLowerCase()}=${value}`);

export function reportStructured(extractor: Extractor, peers: Pick<Peers, 'extruct'>): void {
  const rows = compareStructured(extractor, peers);
  if (rows === null) console.log('Structured data: extruct cannot be had here');
  for (const [way, { said, ours, theirs, missed }] of rows ?? [])
    console.log(
      `Structured data, ${way}: ${String(said)} properties; told ${String(ours)}, extruct ${String(theirs)}; missed: ${missed.join(', ') || 'none'}`,
    );
}
