/**
 * Admits the URLs that a sitemap names to the frontier, in parts and within limits (domain/sitemap-limits.ts): limits,
 * since a host's sitemaps decide how much a crawl has to do. Can be called again after a crash: what was admitted
 * before is known then.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { readSitemap, type SitemapEntry } from '../../content/sitemap.ts';
import { cutBy, type Cut } from '../../domain/limits.ts';
import { sitemapLimitReason, sitemapLimits } from '../../domain/sitemap-limits.ts';
import { canonicalize } from '../../domain/url.ts';
import { type StagedBody, sitemapLevel } from '../../storage/pages/index.ts';
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
}

export type AdmitSitemap = (staged: StagedBody, crawl: OpenCrawl, body: Uint8Array) => Promise<SitemapRead>;

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
    /** Looked up when the first named sitemap is met. */
    let refusal: Refusal | null = null;
    let sitemaps = 0;
    let admitted = 0;
    let cut: Cut = {};
    const keepsFresh = crawl.config.keepFresh !== null;
    const reading = readSitemap(body, keepsFresh);
    for (let next = await reading.next(); ; next = await reading.next()) {
      if (next.done === true) {
        return { admitted, cut: cutBy(cut, next.value, { sitemaps: sitemaps - sitemapLimits.ofHost }) };
      }
      const before = sitemaps;
      const wanted = next.value.filter(({ kind }) => kind === 'page' || ++sitemaps <= sitemapLimits.ofHost);
      if (before === 0 && sitemaps > 0) refusal = await refusalBelow(staged);
      for (let at = 0; at < wanted.length; at += judgedBatch) {
        const { candidates, longUrls } = candidatesOf(
          ...([staged, crawl, wanted.slice(at, at + judgedBatch), refusal] as const),
        );
        const part = await admission.store(writer, candidates);
        admitted += part.admitted;
        if (keepsFresh) await noteSitemapHints(pool, staged, wanted.slice(at, at + judgedBatch));
        cut = cutBy(cut, { outside: part.outside.length, longUrls });
        await breathe();
      }
    }
  };
}

function candidatesOf(
  staged: StagedBody,
  crawl: OpenCrawl,
  entries: readonly SitemapEntry[],
  refusal: Refusal | null,
): { readonly candidates: Candidate[]; readonly longUrls: number } {
  let longUrls = 0;
  const candidates = entries.flatMap(({ kind, url }): Candidate[] => {
    const link = canonicalize(url);
    if (!link.ok) {
      if (link.rejected === 'too-long') longUrls++;
      return [];
    }
    if (kind === 'page') return [candidate(crawl, link.value, { in: 'sitemap', sitemap: staged })];
    const named = { in: 'sitemaps', sitemap: staged, ...(refusal !== null && { refusal }) } as const;
    return [candidate(crawl, link.value, named)];
  });
  return { candidates, longUrls };
}
