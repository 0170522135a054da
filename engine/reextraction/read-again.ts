/** Reads stored bodies of a crawl again, and compares what they say with what is stored. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Extractor } from '../../content/extract.ts';
import { linksTaken } from '../../domain/host-quality.ts';
import { cutBy, unreadCuts, unruledCuts, type Cut } from '../../domain/limits.ts';
import { changedFields, linksApart, type Extraction } from '../../domain/reextraction/difference.ts';
import type { Outcome, SampledPage, Unread } from '../../domain/reextraction/tally.ts';
import { noPrint, type ReextractedPage, type WalkedPage } from '../../storage/reextraction/index.ts';
import { DependencyDown } from '../breakers/dependency-down.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Dependencies } from '../dependencies.ts';
import { DocumentTurn } from '../reading/document-turn.ts';
import { RepeatedBlocks } from '../reading/repeated-blocks.ts';
import { RulesTurn } from '../reading/rules-turn.ts';
import { printRow } from '../reading/print-row.ts';
import { readPage } from '../reading/read-page.ts';

/** Bodies that are looked up together: a store at the other end of a network takes long to answer. */
const together = 8;

/** A page of the walk of which something was read. */
export type StoredPage = WalkedPage & { readonly key: string };

interface ReadAgain {
  readonly outcome: Outcome;
  /** Null: nothing differs, or the body could not be read. */
  readonly row: (ReextractedPage & Extraction) | null;
}

export type Rereading = Pick<Dependencies, 'pool' | 'blobs' | 'books' | 'log'> & {
  readonly extractor: Extractor;
};

/** Yields what became of each page, in their order. Holds a few bodies at a time. */
export async function* readAgain(
  { pool, blobs, books, log, extractor }: Rereading,
  crawl: OpenCrawl,
  pages: readonly StoredPage[],
): AsyncGenerator<ReadAgain> {
  const poor = await books.qualities.of(pages.map(({ origin }) => origin));
  // What a page is to the focus of its crawl depends on what was read before it, and stays as it was.
  const plain = { ...crawl, topic: null };
  const turn = new DocumentTurn(Infinity);
  const rules = new RulesTurn();
  const repeated = new RepeatedBlocks(pool);
  for (let from = 0; from < pages.length; from += together) {
    const some = pages.slice(from, from + together);
    const bodies = await Promise.all(some.map(({ content_hash, record }) => blobs.get(content_hash, record)));
    for (const [at, page] of some.entries()) {
      const body = bodies[at] ?? null;
      if (body === null) {
        yield unread(page, page.record === null ? 'missing' : 'damaged');
        continue;
      }
      const mostLinks = linksTaken(crawl.config.maxLinksPerPage, poor.get(page.origin) ?? 1);
      const document = await turn.read(page.content_type, body);
      const ruled = document === null ? await rules.read(plain, page, body) : null;
      // The blocks of this page were counted when it was read first.
      const known = { ...(await repeated.of(plain, page)), isFull: true };
      yield read(extractor, plain, page, body, mostLinks, { document, ruled, repeated: known }, log);
      // Reading a page takes about a millisecond: the process serves its sockets in between.
      await breathe();
    }
  }
}

function read(
  extractor: Extractor,
  crawl: OpenCrawl,
  page: StoredPage,
  body: Uint8Array,
  mostLinks: number,
  found: Parameters<typeof readPage>[5],
  log: Rereading['log'],
): ReadAgain {
  let reading: ReturnType<typeof readPage>;
  try {
    reading = readPage(extractor, page, crawl, body, mostLinks, found, page.extracted_ms);
  } catch (error) {
    if (error instanceof DependencyDown) throw error;
    // An extractor never throws for what a body holds: this one has a fault, and the other pages should not wait for it.
    log.warn({ err: error, url: page.url }, 'the extractor failed at a stored page, which keeps what it has');
    return unread(page, 'extractor-fault');
  }
  const losses = [...unreadCuts, ...unruledCuts];
  const lost = losses.find((kind) => reading.cut[kind] !== undefined);
  if (lost !== undefined && !losses.some((kind) => page.before.cut?.[kind] !== undefined))
    return unread(page, lost as Unread);
  const { before } = page;
  const after: Extraction = {
    ...reading.extraction,
    cut: cutBy(admitted(before.cut), reading.cut),
  };
  const print = printOf(crawl, page, reading.extracted.main);
  const links = linksApart(before, after);
  const changed = changedFields(before, after);
  return {
    outcome: {
      page: placeOf(page),
      unread: null,
      linksFound: links.found.length,
      linksGone: links.gone.length,
      fields: print === null ? changed : [...changed, 'main'],
    },
    row:
      changed.length === 0 && print === null
        ? null
        : { ...after, content_id: page.content_id, host_id: page.host_id, key: page.key, print },
  };
}

/** What limits left out when the links were admitted; reading a page again admits none, nor files that it needs. */
function admitted(cut: Cut | null): Cut {
  const { longUrls = 0, outside = 0, requisites = 0 } = cut ?? {};
  return { longUrls, outside, requisites };
}

/** The fingerprint of the main text, where the crawl looks for near-duplicates; null: it is the one that is stored. */
function printOf({ config }: OpenCrawl, page: StoredPage, main: string): object | null {
  if (!config.nearDuplicates) return null;
  const stored = page.stored_print;
  const row = printRow(page, main) ?? (stored === null ? null : noPrint);
  if (row === null) return null;
  const { words, simhash, sketch, numbers, bands } = row;
  const told = { words, simhash, sketch, numbers };
  const isSame = Object.entries(told).every(([name, value]) => stored?.[name] === value);
  return isSame ? null : { ...told, bands };
}

const placeOf = ({ host_id, key }: StoredPage): SampledPage => [host_id, key];
const unread = (page: StoredPage, why: Unread): ReadAgain => ({
  outcome: { page: placeOf(page), unread: why },
  row: null,
});
