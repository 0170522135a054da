/** What one body says, by the settings of its crawl: the row of its page, its links and what they promise. */
import type { Extracted, ReadDocument, RuledPage } from '../../contracts/extraction.ts';
import type { Extractor } from '../../content/extract.ts';
import { textHash } from '../../content/text-hash.ts';
import { cutBy, type Cut } from '../../domain/limits.ts';
import { worthOf } from '../../domain/priority/place.ts';
import { signOfText } from '../../domain/recrawl/page-sign.ts';
import type { PrintRow } from '../../storage/alike/index.ts';
import type { KnownBlocks } from '../../storage/boilerplate/index.ts';
import {
  listedColumns,
  packOutlinks,
  type ExtractionRow,
  type PageRow,
  type StagedBody,
} from '../../storage/pages/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { printRow } from './print-row.ts';

/** A text with fewer words says too little to call two pages the same. */
const wordsThatTell = 20;

export interface PageRead {
  readonly staged: StagedBody;
  readonly crawl: OpenCrawl;
  readonly extraction: ExtractionRow;
  /** The extraction and where it belongs. */
  readonly page: PageRow;
  /** Null: the crawl does not look for near-duplicates, or the text is too short to be one. */
  readonly print: PrintRow | null;
  /** URLs to admit. */
  readonly links: readonly string[];
  /** What the links promise of the crawl's focus, by URL; null: the crawl has none. */
  readonly promises: ReadonlyMap<string, number> | null;
  readonly cut: Cut;
  readonly extracted: Extracted;
}

/** @param now milliseconds since 1970, as in `ExtractInput` */
export function readPage(
  extractor: Extractor,
  staged: StagedBody,
  crawl: OpenCrawl,
  body: Uint8Array,
  maxLinks: number,
  read: {
    readonly document: ReadDocument | null;
    readonly ruled: RuledPage | null;
    readonly repeated: KnownBlocks;
  },
  now = Date.now(),
): PageRead {
  const found = extractor.extract({
    body,
    ...read,
    followed: crawl.config.rules?.links.follow,
    url: staged.url,
    contentType: staged.content_type,
    xRobotsTag: staged.robots_tag,
    linkFields: staged.link_fields,
    agentTokens: crawl.agentTokens,
    maxLinks,
    withContexts: crawl.topic !== null,
    repeated: read.repeated.marks,
    withBlocks: !read.repeated.isFull,
    now,
  });
  const extracted = staged.rendered_without === null ? found : withBrowser(found);
  const { links, cut, title, text } = extracted;
  const relevance = crawl.topic?.read(`${title ?? ''} ${text}`) ?? null;
  const extraction = extractionRow(staged, extracted);
  const page = { ...extraction, ...placeOf(staged, crawl, extracted, relevance) };
  const print = crawl.config.nearDuplicates ? printRow(staged, extracted.main) : null;
  const follows = crawl.config.sitemap !== 'only' && crawl.config.follow;
  return {
    staged,
    crawl,
    extraction,
    page,
    print,
    links: follows ? links : [],
    promises: follows ? promisesOf(staged, crawl, extracted, relevance) : null,
    cut: follows ? cut : cutBy(cut, { unlisted: links.length }),
    extracted,
  };
}

/** A browser has rendered the page: what it may still lack is no browser. */
function withBrowser({
  meta: { needs, ...meta },
  cut: { emptyShells: _, ...cut },
  ...page
}: Extracted): Extracted {
  return { ...page, cut, meta: needs === undefined || needs === 'javascript' ? meta : { ...meta, needs } };
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

function extractionRow({ origin }: StagedBody, extracted: Extracted): ExtractionRow {
  const { whole, charset, nofollow, meta, fields, links } = extracted;
  return {
    ...listedColumns(extracted),
    charset,
    nofollow,
    text_hash: whole.words < wordsThatTell ? null : Buffer.from(textHash(whole.text)).toString('hex'),
    meta,
    fields,
    outlinks: packOutlinks(origin, links),
  };
}

function placeOf(
  { content_id, host_id, crawl_id, key, url, depth }: StagedBody,
  crawl: OpenCrawl,
  extracted: Extracted,
  relevance: number | null,
): Omit<PageRow, keyof ExtractionRow> {
  const { title, language } = extracted;
  return {
    content_id,
    host_id,
    crawl_id,
    key,
    ...(crawl.config.keepFresh !== null && { simhash: signOfText(extracted)?.toString() ?? null }),
    ...(relevance !== null && { relevance }),
    counters: crawl.counters({ url, title, language, depth }),
  };
}
