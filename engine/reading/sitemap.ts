/**
 * Admits the URLs that a sitemap names to the frontier, in parts and within limits (domain/sitemap-limits.ts): limits,
 * since a host's sitemaps decide how much a crawl has to do. Can be called again after a crash: what was admitted
 * before is known then.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { readSitemap } from '../../content/sitemap.ts';
import type { SitemapEntry } from '../../content/sitemap-entry.ts';
import { cutBy, type Cut } from '../../domain/limits.ts';
import { refusalOf } from '../../domain/sitemap-choice.ts';
import { SitemapFaults } from '../../domain/sitemap-faults.ts';
import { sitemapLimitReason, sitemapLimits } from '../../domain/sitemap-limits.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import { type StagedBody, sitemapLevel } from '../../storage/pages/index.ts';
import type { SitemapReport } from '../../storage/sitemaps/index.ts';
import type { Admission } from '../admission/admission.ts';
import { candidate, type Candidate } from '../admission/candidates.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Dependencies } from '../dependencies.ts';
import { noteSitemapHints } from '../recrawl/hints.ts';

/** Entries judged in one step: some 10 ms. */
const judgedBatch = 500;

type Refusal = NonNullable<Candidate['refusal']>;

interface SitemapRead {
  /** URLs that were new to the crawl. */
  readonly admitted: number;
  /** What was cut from the sitemap. */
  readonly cut: Cut;
  readonly report: SitemapReport;
}

export type AdmitSitemap = (staged: StagedBody, crawl: OpenCrawl, body: Uint8Array) => Promise<SitemapRead>;

/** An entry whose URL can be crawled. */
interface Named {
  readonly entry: SitemapEntry;
  readonly link: CanonicalUrl;
  /** Why it is left out by what the crawl asks for; null: it is not. */
  readonly refusal: Refusal | null;
}

export function createSitemapAdmission(
  { pool, writer }: Pick<Dependencies, 'pool' | 'writer'>,
  admission: Admission,
): AdmitSitemap {
  /** Why the sitemaps that this sitemap names are not read; null: they are read. */
  const refusalBelow = async ({ host_id, crawl_id, key }: StagedBody): Promise<Refusal | null> => {
    const [row] = await sitemapLevel(pool, host_id, crawl_id, key);
    const level = (row?.level ?? 0) + 1;
    if (level <= sitemapLimits.levels) return null;
    const detail = `it is named by sitemaps nested ${String(level)} deep; at most ${String(sitemapLimits.levels)} levels are read`;
    return { reason: sitemapLimitReason, detail };
  };

  return async (staged, crawl, body) => {
    const faults = new SitemapFaults();
    /** Sitemaps that are wanted, and that are left out; of each kind no more than a host may have are kept. */
    const sitemaps = { wanted: 0, refused: 0 };
    const isRoom = ({ entry, refusal }: Named): boolean =>
      entry.kind === 'page' || ++sitemaps[refusal === null ? 'wanted' : 'refused'] <= sitemapLimits.ofHost;
    /** Looked up when the first named sitemap is met. */
    let below: { readonly refusal: Refusal | null } | null = null;
    const counts = { pages: 0, sitemaps: 0 };
    let admitted = 0;
    let cut: Cut = {};
    const keepsFresh = crawl.config.keepFresh !== null;
    const reading = readSitemap(body, faults, staged.url);
    for (let next = await reading.next(); ; next = await reading.next()) {
      if (next.done === true) {
        const { format, cut: unread } = next.value;
        const over = Object.values(sitemaps).reduce(
          (sum, count) => sum + Math.max(0, count - sitemapLimits.ofHost),
          0,
        );
        const report = { format, ...counts, admitted, faults: faults.kept, fault_count: faults.count };
        return { admitted, cut: cutBy(cut, unread, { sitemaps: over }), report };
      }
      for (let at = 0; at < next.value.length; at += judgedBatch) {
        const entries = next.value.slice(at, at + judgedBatch);
        const { named, longUrls } = namedBy(staged, crawl, entries, faults);
        for (const { entry } of named) counts[entry.kind === 'page' ? 'pages' : 'sitemaps']++;
        const taken = named.filter(isRoom);
        if (below === null && taken.some(({ entry }) => entry.kind === 'sitemap'))
          below = { refusal: await refusalBelow(staged) };
        const deep = below?.refusal ?? null;
        const dates = crawl.weights.freshness > 0 ? tellingDates(entries) : null;
        const candidates = taken.map((each) => candidateOf(staged, crawl, each, deep, dates));
        const part = await admission.store(writer, candidates);
        admitted += part.admitted;
        if (keepsFresh) await noteSitemapHints(pool, staged, entries);
        cut = cutBy(cut, { outside: part.outside.length, longUrls });
        await breathe();
      }
    }
  };
}

function namedBy(
  staged: StagedBody,
  crawl: OpenCrawl,
  entries: readonly SitemapEntry[],
  faults: SitemapFaults,
): { readonly named: Named[]; readonly longUrls: number } {
  let longUrls = 0;
  const named = entries.flatMap((entry): Named[] => {
    const { url, line } = entry;
    const isRelative = /^\.{0,2}\//.test(url);
    const link = isRelative ? canonicalize(url, staged.url) : canonicalize(url);
    if (!link.ok) {
      if (link.rejected === 'too-long') longUrls++;
      faults.add(line, 'bad-url', url);
      return [];
    }
    if (isRelative) faults.add(line, 'relative-url', url);
    if (entry.kind === 'sitemap' && link.value.url === staged.url) faults.add(line, 'itself');
    return [{ entry, link: link.value, refusal: refusalOf(entry, link.value.canonical, crawl.sitemaps) }];
  });
  return { named, longUrls };
}

/**
 * @param deep why no sitemap that this one names is read; null: they are read
 * @param dates as written that say when pages have changed, in epoch milliseconds; null: the crawl's scores need none
 */
function candidateOf(
  staged: StagedBody,
  crawl: OpenCrawl,
  { entry, link, refusal: own }: Named,
  deep: Refusal | null,
  dates: ReadonlyMap<string, number> | null,
): Candidate {
  if (entry.kind === 'page') {
    // A sitemap speaks of pages at its own host only (sitemaps.org, "Sitemap file location").
    const lastmod = link.host === staged.origin ? dates?.get(entry.lastmod ?? '') : undefined;
    const told = { ...(lastmod !== undefined && { lastmod }), ...(own !== null && { refusal: own }) };
    return candidate(crawl, link, { in: 'sitemap', sitemap: staged, ...told });
  }
  const refusal = own ?? deep;
  return candidate(crawl, link, { in: 'sitemaps', sitemap: staged, ...(refusal !== null && { refusal }) });
}

/** Entries with a date of which this share has the same one tell nothing by it: it is that of the sitemap itself. */
const sameDate = { entries: 10, share: 0.9 };

/** Dates as written that say when a page has changed, in epoch milliseconds. */
function tellingDates(entries: readonly SitemapEntry[]): ReadonlyMap<string, number> {
  const written = entries.flatMap(({ kind, lastmod = '' }) =>
    kind === 'page' && lastmod !== '' ? [lastmod] : [],
  );
  return new Map(
    [...Map.groupBy(written, (text) => text)].flatMap(([text, same]) => {
      const tells = written.length < sameDate.entries || same.length < sameDate.share * written.length;
      const at = Date.parse(text);
      return tells && at >= 0 ? [[text, at] as const] : [];
    }),
  );
}
