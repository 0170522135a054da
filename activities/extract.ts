/**
 * Reads the originals a host has brought: what is in them is stored, their links are admitted to the frontier, and the
 * end of their stage is committed with both, so that a crash repeats a page or finds it done.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { constants, zstdCompressSync } from 'node:zlib';
import type { ExtractActivities, HostRef } from '../contracts/activities.ts';
import type { Extracted } from '../contracts/extraction.ts';
import type { Extractor } from '../content/extract.ts';
import { readSitemap } from '../content/sitemap.ts';
import { textHash } from '../content/text-hash.ts';
import { canonicalize } from '../domain/url.ts';
import { retrying } from '../storage/retry.ts';
import { bodiesInStage, type StagedBody } from '../storage/statements/bodies-in-stage.ts';
import { requeueLostBodies } from '../storage/statements/requeue-lost-bodies.ts';
import type { PageRow } from '../storage/statements/upsert-pages.ts';
import { Admission, type Candidate } from './admission.ts';
import { CrawlBook, type OpenCrawl } from './crawl-book.ts';
import type { Dependencies } from './dependencies.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';
import { HostBook } from './host-book.ts';

/** Bodies an activity reads, and how many of them are committed together. */
const activityBatch = 400;
const commitBatch = 20;
/** Links admitted in one statement; a sitemap may hold 50,000. */
const linkBatch = 5_000;
/** Texts shorter than this say too little to call two pages the same. */
const wordsThatTell = 20;

/** Text and links are written once and seldom read: the quickest level that packs well. */
const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

interface Reading {
  readonly page: PageRow | null;
  readonly candidates: readonly Candidate[];
}

export function createExtractActivities(dependencies: Dependencies, extractor: Extractor): ExtractActivities {
  const { pool, writer, blobs, seen, settings, log } = dependencies;
  const crawls = new CrawlBook(pool, settings);
  const admission = new Admission(seen, new HostBook(pool, settings.shards));

  const read = async (staged: StagedBody): Promise<Reading | null> => {
    const body = await blobs.get(staged.content_hash);
    if (body === null) return null;
    const crawl = await crawls.open(staged.crawl_id);
    return staged.kind === 1
      ? { page: null, candidates: sitemapCandidates(staged, crawl, body) }
      : readPage(extractor, staged, crawl, body);
  };

  const extractBatch = async (host: HostRef, batch: readonly StagedBody[]): Promise<number> => {
    const lost: StagedBody[] = [];
    const done: StagedBody[] = [];
    const pages: PageRow[] = [];
    let candidates: readonly Candidate[] = [];
    for (const staged of batch) {
      const reading = await read(staged);
      if (reading === null) {
        lost.push(staged);
        continue;
      }
      done.push(staged);
      candidates = candidates.concat(reading.candidates);
      if (reading.page !== null) pages.push(reading.page);
      // A page takes about a millisecond: let the process's sockets breathe in between.
      await breathe();
    }
    if (lost.length > 0) {
      log.warn({ host: host.origin, bodies: lost.length }, 'bodies are missing or torn: fetching them again');
      const rows = lost.map(({ crawl_id, key, content_hash }) => ({
        crawl_id,
        key,
        hash: content_hash.toString('hex'),
      }));
      await retrying(() => requeueLostBodies(pool, host.hostId, JSON.stringify(rows)));
    }
    // What the last write cannot carry goes before it: the stage ends only when all links are in.
    for (; candidates.length > linkBatch; candidates = candidates.slice(linkBatch)) {
      const early = await admission.rowsFor(candidates.slice(0, linkBatch));
      await writer.write({ admissions: early });
      await admission.remember(early);
    }
    const admissions = await admission.rowsFor(candidates);
    const stages = done.map(({ host_id, crawl_id, key }) => {
      return { host_id, crawl_id, key, from: 2, to: 0, alias_host: null, alias_key: null } as const;
    });
    const { admitted } = await writer.write({ pages, admissions, stages });
    await admission.remember(admissions);
    return admitted;
  };

  const extract = async (host: HostRef): Promise<{ pages: number; admitted: number; more: boolean }> => {
    const bodies = await bodiesInStage(pool, host.hostId, 2, activityBatch);
    let admitted = 0;
    for (let at = 0; at < bodies.length; at += commitBatch) {
      admitted += await extractBatch(host, bodies.slice(at, at + commitBatch));
    }
    return { pages: bodies.length, admitted, more: bodies.length === activityBatch };
  };
  return { extract: (host) => withOwnFaults(() => withHeartbeat(() => extract(host))) };
}

function readPage(extractor: Extractor, staged: StagedBody, crawl: OpenCrawl, body: Uint8Array): Reading {
  const extracted = extractor.extract({
    body,
    url: staged.url,
    contentType: staged.content_type,
    xRobotsTag: staged.robots_tag,
    agentToken: crawl.agentToken,
    maxLinks: crawl.config.maxLinksPerPage,
  });
  return {
    page: pageRow(staged, extracted),
    candidates: linkCandidates(staged, crawl, extracted.links, 'page'),
  };
}

function sitemapCandidates(staged: StagedBody, crawl: OpenCrawl, body: Uint8Array): Candidate[] {
  const sitemap = readSitemap(body);
  return [
    ...linkCandidates(staged, crawl, sitemap.pages, 'page'),
    ...linkCandidates(staged, crawl, sitemap.sitemaps, 'sitemap'),
  ];
}

function linkCandidates(
  staged: StagedBody,
  crawl: OpenCrawl,
  urls: readonly string[],
  kind: Candidate['kind'],
): Candidate[] {
  const parent = { hostId: staged.host_id, key: staged.key };
  const depth = kind === 'sitemap' ? staged.depth : staged.depth + 1;
  return urls.flatMap((url): Candidate[] => {
    const link = canonicalize(url);
    return link.ok ? [{ crawl, link: link.value, kind, seed: false, depth, hops: 0, parent }] : [];
  });
}

function pageRow(staged: StagedBody, extracted: Extracted): PageRow {
  const { text, links } = extracted;
  return {
    host_id: staged.host_id,
    crawl_id: staged.crawl_id,
    key: staged.key,
    title: extracted.title,
    description: extracted.description,
    language: extracted.language,
    charset: extracted.charset,
    words: extracted.words,
    links: extracted.linksSeen,
    canonical: extracted.canonical,
    noindex: extracted.noindex,
    nofollow: extracted.nofollow,
    cut: extracted.cut,
    text_hash: extracted.words < wordsThatTell ? null : Buffer.from(textHash(text)).toString('hex'),
    extract: zstdCompressSync(JSON.stringify({ text, links }), level).toString('base64'),
  };
}
