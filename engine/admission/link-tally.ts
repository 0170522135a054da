/**
 * Counts who links to URLs that their crawls know already, and gives such URLs new scores while they wait. Most links of
 * a page lead to URLs that are known by their spelling, and cost no statement here either: counts are kept in this
 * process, as sketches by spelling, in bounded memory. Every one to five seconds URLs whose count has grown by about 40 % since
 * their last score (`linkLevel`) are scored anew, in two statements for all of them. For every two pages read one URL may
 * get a new score, those with the most links first; the others wait, and are still counted. So what links cost is bounded
 * by the pages read, whatever their number.
 *
 * A crash loses the counts since the last flush, and counts of spellings that fall out of memory begin anew: a score may
 * then be lower than it should be, never higher. Several processes join their counts in Postgres.
 */
import {
  emptySketch,
  linkLevel,
  type LinkSketch,
  noteSource,
  readSketch,
  sketchText,
  sourcesOf,
} from '../../domain/priority/link-sketch.ts';
import { worthOf } from '../../domain/priority/place.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { addLinks, rescoreUrls, type LinkedRow, type RescoredRow } from '../../storage/frontier/index.ts';
import { type Pool, retrying } from '../../storage/postgres/index.ts';
import type { Books } from '../books/books.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { promiseOf, scoreOf } from './scoring.ts';

interface Tally {
  readonly crawlId: number;
  readonly url: string;
  readonly hosts: LinkSketch;
  readonly pages: LinkSketch;
  /** Sum of the levels of both counts, now and at the last score. A URL that is admitted is scored with one link. */
  level: number;
  scoredLevel: number;
  /** The most that any link promises of the crawl's focus, now and at the last score; -1: not scored yet. */
  promise: number;
  scoredPromise: number;
  /** The URL does not wait any more, or is none of the crawl's: its links are not counted. */
  settled: boolean;
}

/** The page that links. */
interface Source {
  readonly crawl_id: number;
  readonly host_id: number;
  readonly origin: string;
  /** In hex. */
  readonly key: string;
}

export interface LinkTallyOptions {
  /** Milliseconds between two flushes, at least; a fifth of that if many pages were read since the last. */
  readonly everyMs: number;
  /** URLs of one generation: some 300 bytes each, for two generations. */
  readonly most: number;
}

const usual: LinkTallyOptions = { everyMs: 5_000, most: 20_000 };

/** Many pages: then a flush costs each of them little. */
const manyPages = 16;
/** URLs that may get a new score for each page that is read. */
const perPage = 0.5;
/** A link that promises so much more than those before makes a URL due for a new score: ten times at most. */
const tellingRise = 0.1;
/** URLs that get a new score in one flush at most: some 20 ms of two statements. */
const mostAtOnce = 1_000;

type Generation = Map<number, Map<string, Tally>>;

export class LinkTally {
  readonly #pool: Pool;
  readonly #books: Pick<Books, 'crawls' | 'ranks' | 'qualities'>;
  readonly #options: LinkTallyOptions;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #count = 0;
  #due = new Set<Tally>();
  #allowed = 0;
  /** Pages noted since the last flush. */
  #pages = 0;
  #flushedAt = performance.now();

  constructor(
    pool: Pool,
    books: Pick<Books, 'crawls' | 'ranks' | 'qualities'>,
    options: Partial<LinkTallyOptions> = {},
  ) {
    this.#pool = pool;
    this.#books = books;
    this.#options = { ...usual, ...options };
  }

  /** Counts the links of a page that was read. Costs nothing for a crawl whose scores do not depend on links. */
  note(
    { weights }: Pick<OpenCrawl, 'weights'>,
    source: Source,
    urls: readonly string[],
    promises: ReadonlyMap<string, number> | null = null,
  ): void {
    if (weights.inbound + weights.internal + weights.relevance === 0) return;
    this.#pages++;
    this.#allowed = Math.min(mostAtOnce, this.#allowed + perPage);
    const { origin, crawl_id: crawlId, host_id: hostId } = source;
    const page = Number.parseInt(source.key.slice(0, 8), 16);
    for (const url of urls) {
      const tally = this.#tallyOf(crawlId, url);
      if (tally.settled) continue;
      const internal = url.startsWith(origin) && url.charAt(origin.length) === '/';
      const isNew = internal ? noteSource(tally.pages, page) : noteSource(tally.hosts, hostId);
      if (promises !== null) this.#notePromise(tally, promises.get(url) ?? 0);
      if (!isNew) continue;
      tally.level = levelOf(tally);
      if (tally.level > tally.scoredLevel) this.#due.add(tally);
    }
  }

  /** A URL is admitted with the promise of the first link to it. */
  #notePromise(tally: Tally, promise: number): void {
    if (tally.scoredPromise < 0) tally.scoredPromise = promise;
    tally.promise = Math.max(tally.promise, promise);
    if (tally.promise >= tally.scoredPromise + tellingRise) this.#due.add(tally);
  }

  /** To be called when the pages that were noted are committed; mostly does nothing. */
  async flush(): Promise<void> {
    const everyMs = this.#options.everyMs / (this.#pages < manyPages ? 1 : 5);
    const wait = everyMs - (performance.now() - this.#flushedAt);
    if (wait > 0 || this.#due.size === 0 || this.#allowed < 1) return;
    this.#flushedAt = performance.now();
    this.#pages = 0;
    const chosen = this.#mostUrgent(Math.floor(this.#allowed));
    this.#allowed -= chosen.length;
    for (const tally of chosen) {
      this.#due.delete(tally);
      tally.scoredLevel = tally.level;
      tally.scoredPromise = tally.promise;
    }
    await this.#rescore(chosen);
  }

  /** As many as `most`, or all that are due: tens of thousands, so numbers are sorted instead of tallies. */
  #mostUrgent(most: number): Tally[] {
    if (this.#due.size <= most) return [...this.#due];
    const sorted = Float64Array.from(this.#due, urgency).sort();
    const least = sorted[sorted.length - most] ?? 0;
    const chosen: Tally[] = [];
    const tied: Tally[] = [];
    for (const tally of this.#due) {
      const urgent = urgency(tally);
      if (urgent > least) chosen.push(tally);
      else if (urgent === least) tied.push(tally);
    }
    return chosen.concat(tied.slice(0, most - chosen.length));
  }

  async #rescore(tallies: readonly Tally[]): Promise<void> {
    const named = new Map<
      string,
      { readonly tally: Tally; readonly link: CanonicalUrl; readonly key: string }
    >();
    for (const tally of tallies) {
      const link = canonicalize(tally.url);
      // Until Postgres says that the URL waits.
      tally.settled = true;
      if (!link.ok) continue;
      const key = urlKey(link.value.canonical).toString('hex');
      // Two spellings of one URL are one row.
      named.set(`${String(tally.crawlId)} ${key}`, { tally, link: link.value, key });
    }
    const all = [...named.values()];
    const rows = all.map(({ tally, link, key }, at): LinkedRow => ({
      at,
      crawl_id: tally.crawlId,
      origin: link.host,
      key,
      hosts: sketchText(tally.hosts),
      pages: sketchText(tally.pages),
      relevance: tally.scoredPromise < 0 ? null : tally.promise,
    }));
    const waiting = await retrying(() => addLinks(this.#pool, JSON.stringify(rows)));
    const origins = waiting.map(({ at }) => all[at]?.link.host ?? '');
    const ranks = await this.#books.ranks.placesOf(origins);
    const qualities = await this.#books.qualities.of(origins);
    const rescored: RescoredRow[] = [];
    for (const row of waiting) {
      const found = all[row.at];
      if (found === undefined) continue;
      const { tally, link, key } = found;
      tally.settled = false;
      Object.assign(tally.hosts, readSketch(row.hosts));
      Object.assign(tally.pages, readSketch(row.pages));
      tally.scoredLevel = tally.level = levelOf(tally);
      const crawl = await this.#books.crawls.open(tally.crawlId);
      const { score } = scoreOf(
        {
          url: link.url,
          host: link.host,
          depth: row.depth,
          parentPriority: row.parent_priority === null ? 1 : worthOf(row.parent_priority),
          inboundHosts: sourcesOf(tally.hosts),
          inboundPages: sourcesOf(tally.pages),
          relevance: row.relevance ?? promiseOf(crawl, link.url),
          lastmod: row.lastmod?.getTime() ?? null,
        },
        crawl,
        ranks.get(link.host) ?? null,
        qualities.get(link.host) ?? 1,
        Date.now(),
      );
      const priority = Math.fround(score);
      if (priority === row.priority) continue;
      rescored.push({ host_id: row.host_id, crawl_id: tally.crawlId, key, was: row.priority, priority });
    }
    if (rescored.length === 0) return;
    rescored.sort((one, other) => one.host_id - other.host_id);
    await retrying(() => rescoreUrls(this.#pool, JSON.stringify(rescored)));
  }

  #tallyOf(crawlId: number, url: string): Tally {
    const known = this.#young.get(crawlId)?.get(url);
    if (known !== undefined) return known;
    const tally = this.#old.get(crawlId)?.get(url) ?? {
      crawlId,
      url,
      hosts: emptySketch(),
      pages: emptySketch(),
      settled: false,
      promise: 0,
      scoredPromise: -1,
      level: 0,
      scoredLevel: linkLevel(1),
    };
    let ofCrawl = this.#young.get(crawlId);
    if (ofCrawl === undefined) this.#young.set(crawlId, (ofCrawl = new Map<string, Tally>()));
    ofCrawl.set(url, tally);
    if (++this.#count >= this.#options.most) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#count = 0;
      for (const due of this.#due)
        if (this.#old.get(due.crawlId)?.get(due.url) !== due) this.#due.delete(due);
    }
    return tally;
  }
}

/** A better promise goes before any number of links. */
const urgency = ({ level, promise, scoredPromise }: Tally): number =>
  level + (scoredPromise < 0 ? 0 : 1_000 * (promise - scoredPromise));

const levelOf = ({ hosts, pages }: Tally): number =>
  linkLevel(sourcesOf(hosts)) + linkLevel(sourcesOf(pages));
