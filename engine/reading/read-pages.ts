/**
 * Reads original bodies: stores what is in them and admits their links to the frontier. The end of their stage is
 * committed together with both, so that a crash repeats a page or finds it done.
 */
import { storedStages } from '../../domain/stage.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Extracted } from '../../contracts/extraction.ts';
import type { Extractor } from '../../content/extract.ts';
import { looksLikeSitemap } from '../../content/sitemap.ts';
import { textHash } from '../../content/text-hash.ts';
import { linksTaken } from '../../domain/host-quality.ts';
import { cutBy, type Cut } from '../../domain/limits.ts';
import { worthOf } from '../../domain/priority/place.ts';
import { canonicalize } from '../../domain/url.ts';
import {
  packOutlinks,
  type StageRow,
  type StagedBody,
  requeueLostBodies,
  turnIntoSitemap,
  type PageRow,
} from '../../storage/pages/index.ts';
import { retrying } from '../../storage/postgres/index.ts';
import type { AdmissionRow } from '../../storage/frontier/index.ts';
import { candidate, type Candidate } from '../admission/candidates.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Dependencies } from '../dependencies.ts';
import { createSitemapAdmission } from './sitemap.ts';

/** Most bodies that are committed together. */
const commitBatch = 20;
/** Most links admitted in one statement: it takes some 50 ms, and a few MB while they are judged. */
const linkBatch = 2_000;
/** A text with fewer words says too little to call two pages the same. */
const wordsThatTell = 20;

interface Reading {
  readonly staged: StagedBody;
  readonly crawl: OpenCrawl;
  readonly page: PageRow;
  /** URLs to admit. */
  readonly links: readonly string[];
  /** What the links promise of the crawl's focus, by URL; null: the crawl has none. */
  readonly promises: ReadonlyMap<string, number> | null;
  readonly cut: Cut;
  readonly extracted: Extracted;
}

interface Ready {
  /** Candidates to write in one transaction with the page. */
  readonly candidates: readonly Candidate[];
  readonly cut: Cut;
  /** New rows that were written before. */
  readonly fresh: readonly AdmissionRow[];
}

/** Reads bodies of any hosts. */
export function createReading(
  dependencies: Dependencies,
  extractor: Extractor,
): (bodies: readonly StagedBody[]) => Promise<void> {
  const { pool, writer, blobs, books, admission, links: tally, traps, log } = dependencies;
  const { crawls } = books;
  const admitSitemap = createSitemapAdmission(dependencies, admission);

  const read = async (staged: StagedBody): Promise<Reading | null> => {
    const body = await blobs.get(staged.content_hash, staged.record);
    if (body === null) return null;
    const crawl = await crawls.open(staged.crawl_id);
    const quality = (await books.qualities.of([staged.origin])).get(staged.origin) ?? 1;
    return readPage(extractor, staged, crawl, body, linksTaken(crawl.config.maxLinksPerPage, quality));
  };

  /**
   * Admits the links of a page that do not fit into its last write, and returns those that do. Links outside the scope
   * are among those returned, so that they are judged again with the last write, which holds the settings that leave
   * them out.
   */
  const admitFirst = async ({ staged, crawl, links, promises, cut }: Reading): Promise<Ready> => {
    let at = 0;
    let longUrls = 0;
    const open: Candidate[] = [];
    const fresh: AdmissionRow[] = [];
    const next = (until: number): readonly Candidate[] => {
      const unknown = links.slice(at, until).filter((url) => !admission.knows(crawl.id, url));
      const part = linkCandidates(staged, crawl, unknown, promises);
      longUrls += part.longUrls;
      return part.candidates;
    };
    for (; links.length - at > linkBatch; at += linkBatch) {
      const written = await admission.store(writer, next(at + linkBatch));
      open.push(...written.outside);
      fresh.push(...written.fresh);
    }
    open.push(...next(links.length));
    return { candidates: open, cut: cutBy(cut, { longUrls }), fresh };
  };

  const fetchAgain = async (lost: readonly StagedBody[]): Promise<void> => {
    for (const [hostId, ofHost] of Map.groupBy(lost, ({ host_id: id }) => id)) {
      log.warn(
        { host: ofHost[0]?.origin, bodies: ofHost.length },
        'bodies are missing or damaged; their URLs are fetched again',
      );
      const rows = ofHost.map(({ crawl_id, key, content_hash }) => ({
        crawl_id,
        key,
        hash: content_hash.toString('hex'),
      }));
      await retrying(() => requeueLostBodies(pool, String(hostId), JSON.stringify(rows)));
    }
  };

  /** A seed may turn out to be a sitemap. */
  const isSitemap = async (staged: StagedBody): Promise<boolean> => {
    if (staged.kind === storedKinds.sitemap) return true;
    if (!staged.seed || /^\s*text\/html\b/i.test(staged.content_type ?? '')) return false;
    const body = await blobs.get(staged.content_hash, staged.record);
    if (body === null || !looksLikeSitemap(body)) return false;
    await retrying(() => turnIntoSitemap(pool, staged.host_id, staged.crawl_id, staged.key));
    return true;
  };

  const extractSitemap = async (staged: StagedBody): Promise<void> => {
    const body = await blobs.get(staged.content_hash, staged.record);
    if (body === null) {
      await fetchAgain([staged]);
      return;
    }
    const { cut } = await admitSitemap(staged, await crawls.open(staged.crawl_id), body);
    await writer.write({ stages: [stageEnd(staged, cut)] });
  };

  /** Commits a few pages together, or a page with many links alone: bounds memory and the size of a transaction. */
  const extractPages = async (bodies: readonly StagedBody[]): Promise<void> => {
    let open: { readonly reading: Reading; readonly ready: Ready }[] = [];
    let links = 0;
    const commit = async (): Promise<void> => {
      const pages = open.map(({ reading }) => reading.page);
      const found = open.flatMap(({ ready }) => ready.candidates);
      const written = await admission.store(writer, found, (outside) => {
        const leftOut = Map.groupBy(outside, ({ crawl, parent }) => nameOf(crawl.id, parent));
        const stages = open.map(({ reading: { staged }, ready }) => {
          const name = nameOf(staged.crawl_id, { hostId: staged.host_id, key: staged.key });
          return stageEnd(staged, cutBy(ready.cut, { outside: leftOut.get(name)?.length ?? 0 }));
        });
        return { pages, stages };
      });
      const fresh = Map.groupBy(written.fresh, (row) => `${String(row.crawl_id)} ${row.parent_key ?? ''}`);
      for (const { reading, ready } of open) {
        const { staged, crawl, links: found, promises, extracted } = reading;
        tally.note(crawl, staged, found, promises);
        const own = fresh.get(`${String(staged.crawl_id)} ${staged.key}`) ?? [];
        traps.read(crawl, staged, extracted, [...ready.fresh, ...own]);
      }
      await traps.save();
      open = [];
      links = 0;
      await tally.flush();
    };
    const lost: StagedBody[] = [];
    for (const staged of bodies) {
      const reading = await read(staged);
      if (reading === null) {
        lost.push(staged);
        continue;
      }
      // Reading a page takes about a millisecond: the process serves its sockets in between.
      await breathe();
      if (open.length > 0 && (open.length === commitBatch || links + reading.links.length > linkBatch)) {
        await commit();
      }
      const ready = await admitFirst(reading);
      links += ready.candidates.length;
      open.push({ reading, ready });
    }
    if (open.length > 0) await commit();
    await fetchAgain(lost);
  };

  return async (bodies) => {
    const pages: StagedBody[] = [];
    for (const body of bodies) {
      if (await isSitemap(body)) await extractSitemap(body);
      else pages.push(body);
    }
    await extractPages(pages);
  };
}

function readPage(
  extractor: Extractor,
  staged: StagedBody,
  crawl: OpenCrawl,
  body: Uint8Array,
  maxLinks: number,
): Reading {
  const extracted = extractor.extract({
    body,
    url: staged.url,
    contentType: staged.content_type,
    xRobotsTag: staged.robots_tag,
    agentTokens: crawl.agentTokens,
    maxLinks,
    withContexts: crawl.topic !== null,
  });
  const { links, cut, title, text } = extracted;
  const relevance = crawl.topic?.read(`${title ?? ''} ${text}`) ?? null;
  const page = pageRow(staged, crawl, extracted, relevance);
  const promises = promisesOf(staged, crawl, extracted, relevance);
  return { staged, crawl, page, links, promises, cut, extracted };
}

function promisesOf(
  { priority }: StagedBody,
  { topic }: OpenCrawl,
  { links, contexts }: Extracted,
  relevance: number | null,
): ReadonlyMap<string, number> | null {
  if (topic === null || relevance === null) return null;
  const expected = worthOf(priority);
  const silent = { anchor: '', around: '' };
  return new Map(
    links.map((url) => [url, topic.promise(url, contexts?.get(url) ?? silent, relevance, expected)]),
  );
}

const nameOf = (crawlId: number, page: Candidate['parent']): string =>
  `${String(crawlId)} ${String(page?.hostId)} ${String(page?.key)}`;

const stageEnd = ({ host_id, crawl_id, key }: StagedBody, cut: Cut): StageRow => ({
  ...{ host_id, crawl_id, key, from: storedStages.extract, to: storedStages.none, cut },
  ...{ alias_host: null, alias_key: null },
});

function linkCandidates(
  staged: StagedBody,
  crawl: OpenCrawl,
  urls: readonly string[],
  promises: ReadonlyMap<string, number> | null,
): { readonly candidates: Candidate[]; readonly longUrls: number } {
  let longUrls = 0;
  const candidates = urls.flatMap((url): Candidate[] => {
    const link = canonicalize(url);
    if (link.ok) {
      const promise = promises?.get(url);
      const found = { in: 'page', page: staged, ...(promise !== undefined && { promise }) } as const;
      return [candidate(crawl, link.value, found)];
    }
    if (link.rejected === 'too-long') longUrls++;
    return [];
  });
  return { candidates, longUrls };
}

function pageRow(
  staged: StagedBody,
  crawl: OpenCrawl,
  extracted: Extracted,
  relevance: number | null,
): PageRow {
  const { text, links, title, language } = extracted;
  const { url, depth } = staged;
  return {
    host_id: staged.host_id,
    crawl_id: staged.crawl_id,
    key: staged.key,
    title,
    description: extracted.description,
    language,
    charset: extracted.charset,
    words: extracted.words,
    links: extracted.linksSeen,
    canonical: extracted.canonical,
    noindex: extracted.noindex,
    nofollow: extracted.nofollow,
    text_hash: extracted.words < wordsThatTell ? null : Buffer.from(textHash(text)).toString('hex'),
    outlinks: packOutlinks(staged.origin, links),
    ...(relevance !== null && { relevance }),
    counters: crawl.counters({ url, title, language, depth }),
  };
}
