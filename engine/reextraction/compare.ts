/** Compares a re-extraction with what its pages hold: counts by field, and samples. */
import type { ReextractionComparison } from '../../contracts/http/reextractions.ts';
import { shownField, type Extraction } from '../../domain/reextraction/difference.ts';
import type { SampledPage } from '../../domain/reextraction/tally.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import { comparePages, type ReextractionRow } from '../../storage/reextraction/index.ts';

/** Samples that are read together: each holds both extractions of a page. */
const together = 20;

type Shown = ReextractionComparison['fields'][number];

/** @param field samples of this one alone; undefined: of all */
export async function compareReextraction(
  db: Queryable,
  { id, crawl_id: crawlId, progress: { pages, tally } }: ReextractionRow,
  field: string | undefined,
  mostSamples: number,
): Promise<ReextractionComparison> {
  const fields: Shown[] = [];
  const names = Object.entries(tally.fields).sort(([one, many = 0], [other, more = 0]) => more - many || (one < other ? -1 : 1)); // prettier-ignore
  for (const [name, many = 0] of names) {
    const wanted = field === undefined || field === name;
    const sampled = (tally.samples[name] ?? []).slice(0, wanted ? mostSamples : 0);
    fields.push({ field: name, pages: many, samples: await samplesOf(db, crawlId, id, name, sampled) });
  }
  const unreadPages: ReextractionComparison['unreadPages'] = [];
  for (const reason of Object.keys(tally.unread)) {
    const name = `unread.${reason}`;
    if (field !== undefined && field !== name) continue;
    const rows = await rowsOf(db, crawlId, id, (tally.samples[name] ?? []).slice(0, mostSamples));
    unreadPages.push({ reason, urls: rows.map(({ url }) => url) });
  }
  const { equal, different, unread, linksFound, linksGone } = tally;
  return { pages, equal, different, unread, linksFound, linksGone, fields, unreadPages };
}

async function samplesOf(
  db: Queryable,
  crawlId: string,
  id: string,
  field: string,
  sampled: readonly SampledPage[],
): Promise<Shown['samples']> {
  const rows = await rowsOf(db, crawlId, id, sampled);
  return rows.flatMap(({ url, before, after }) =>
    after === null ? [] : [{ url, ...show(before, after, field) }],
  );
}

/** A fingerprint says nothing to people: how many words it was made of stands in `meta.mainWords`. */
const show = (before: Extraction, after: Extraction, field: string): { before: unknown; after: unknown } =>
  field === 'main' ? { before: null, after: null } : shownField(before, after, field);

async function rowsOf(db: Queryable, crawlId: string, id: string, sampled: readonly SampledPage[]) {
  const rows = [];
  for (let at = 0; at < sampled.length; at += together) {
    const some = sampled.slice(at, at + together).map(([host_id, key]) => ({ host_id, key }));
    rows.push(...(await comparePages(db, crawlId, id, JSON.stringify(some))));
  }
  return rows;
}
