/**
 * Rounds of the browser (docs/rendering.md): a page that waits for one is run from its start, with what the archive has.
 *
 * - Something was missing: it is admitted to the frontier as what the page needs, in the transaction that has the page wait
 *   (stage `resources`). A look at what pages wait for (storage/rendering/waiting.sql.ts) brings it back for another round.
 * - Nothing was, or a limit is reached: what the browser made of the page becomes its body, to be judged and read as any.
 * - The browser, or the process that rendered it, was lost in it twice: the page keeps what was read of it.
 *
 * No browser is held between rounds. A process that dies repeats a round: until its end is committed nothing is stored but a
 * record in the archive to which nothing refers.
 */
import { hash as digest } from 'node:crypto';
import type { Found, Renderer, Round, WantedResource } from '../../contracts/rendering.ts';
import { rendersAny } from '../../domain/rendering/mode.ts';
import { renderLimits } from '../../domain/rendering/limits.ts';
import { storedStages } from '../../domain/stage.ts';
import { type StagedBody, requeueLostBodies } from '../../storage/pages/index.ts';
import { retrying } from '../../storage/postgres/index.ts';
import {
  beginRound,
  endRound,
  renderingFacts,
  type RenderingFacts,
  type RoundRow,
} from '../../storage/rendering/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { canonicalize } from '../../domain/url.ts';
import type { Made } from '../../storage/archive/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { registrableDomain } from '../../storage/seeds/index.ts';
import { candidatesOf } from '../admission/candidates.ts';
import { count } from '../metrics/counters.ts';
import { answerOf, askFor, loggedOutWords, type Answers, type Asked } from './answers.ts';
import type { Company } from './company.ts';

/** How often a browser, or a process of ours, may be lost in one page. */
const mostCrashes = 2;
const afterCrashMs = 5_000;
/** Characters that are told of a URL, a line of the console or a reason, and kinds of refused requests. */
const longestTold = 1_000;
const mostRefused = 50;
/** Milliseconds until a look at what a page waits for, and for which it waits at most. */
const firstLookMs = 500;
const longestWaitMs = 6 * 3_600_000;
/** A UTF-8 body that says so itself: its page's Content-Type is that of the answer. */
const utf8Mark = Buffer.from([0xef, 0xbb, 0xbf]);

export type RenderTools = Pick<Dependencies, 'pool' | 'writer' | 'blobs' | 'books' | 'admission'> & {
  readonly archive: Answers;
  readonly renderer: Renderer;
  readonly company: Company;
};

/** Gives pages a round each, `together` at a time. */
export async function renderPages(
  tools: RenderTools,
  pages: readonly StagedBody[],
  together: number,
  signal: AbortSignal,
): Promise<void> {
  const names = pages.map(({ host_id, crawl_id, key }) => ({ host_id, crawl_id, key }));
  const facts = new Map(
    (await renderingFacts(tools.pool, JSON.stringify(names))).map((row) => [nameOf(row), row]),
  );
  const waiting = pages.flatMap((page) => {
    const known = facts.get(nameOf(page));
    return known === undefined ? [] : [{ page, known }];
  });
  const { company } = tools;
  const work = async (some: typeof waiting, how: 'beside' | 'alone'): Promise<void> => {
    for (let next = some.shift(); next !== undefined && !signal.aborted; next = some.shift()) {
      const round = new PageRound(tools, next.page, next.known);
      await company[how](() => (signal.aborted ? Promise.resolve() : round.run(signal)));
    }
  };
  const well = waiting.filter(({ known }) => known.unended === 0);
  const ended = await Promise.allSettled(Array.from({ length: together }, () => work(well, 'beside')));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
  // One of them may have ended a process.
  await work(
    waiting.filter(({ known }) => known.unended > 0),
    'alone',
  );
}

const nameOf = ({ host_id, crawl_id, key }: Pick<RoundRow, 'host_id' | 'crawl_id' | 'key'>): string =>
  `${String(host_id)} ${String(crawl_id)} ${key}`;

/** What a page has asked for, and what became of it. */
interface Wanted<A = Asked> {
  readonly url: string;
  readonly type: WantedResource['type'];
  readonly asked: A;
}

class PageRound {
  readonly #tools: RenderTools;
  readonly #page: StagedBody;
  readonly #known: RenderingFacts;
  /** By URL, in the order in which the page asked first. */
  readonly #wanted = new Map<string, Wanted<Promise<Asked>>>();
  #bytes = 0;
  /** URLs that nobody has met yet. */
  #absent = 0;
  /** Files that limits have kept from the page. */
  #over = 0;
  /** The page has asked for something that is still to be fetched. */
  #isMissing = false;

  constructor(tools: RenderTools, page: StagedBody, known: RenderingFacts) {
    this.#tools = tools;
    this.#page = page;
    this.#known = known;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { books, archive, renderer, pool } = this.#tools;
    const { url, crawl_id: crawlId, host_id: hostId, key, content_hash: hash } = this.#page;
    // The settings were changed since, or another page with the same body was to be rendered.
    const crawl = await books.crawls.open(crawlId);
    // A later round goes on whatever they say by then of this page.
    const isFirst = this.#known.rounds + this.#known.crashes === 0;
    if (!rendersAny(crawl.config) || (isFirst && crawl.renderMode(canonicalOf(url)) === 'never'))
      return this.#write({ ...this.#row(null, []), outcome: 'never' });
    const stored = { ...this.#page, hash, status: 200, redirect_to: null, is_ours: this.#known.is_ours };
    const answer = await answerOf(archive, crawlId, stored);
    if (answer === null) {
      const gone = JSON.stringify([{ crawl_id: crawlId, key }]);
      await retrying(() => requeueLostBodies(pool, String(hostId), gone));
      return;
    }
    // A process may have ended for another reason: the first such end counts for nothing.
    const lost = this.#known.crashes + Math.max(0, this.#known.unended - 1);
    if (lost >= mostCrashes) {
      const { rounds } = this.#known;
      return this.#write({
        ...this.#row(null, []),
        rounds,
        crashes: this.#known.crashes + 1,
        outcome: 'crashed',
      });
    }
    const looks = looksOf(crawl);
    const page = {
      url,
      answer,
      find: (wanted: WantedResource) => this.#find(wanted),
      // They may be why the browser was lost.
      ...(lost === 0 && looks),
      isWhole: () => this.#isLast || !this.#isMissing,
    };
    // Where no browser starts, or the archive is away, the page waits: it is no crash of its own.
    await beginRound(pool, hostId, crawlId, key, this.#known.reason);
    let round: Round;
    try {
      round = await renderer.render(page, signal);
    } finally {
      await endRound(pool, hostId, crawlId, key);
    }
    // It was cut short by us, and says nothing of the page.
    if (signal.aborted) return;
    count('render_rounds_total', { as: round.outcome });
    await this.#conclude(round, looks);
  }

  /** Another round would not follow, whatever is missing. */
  get #isLast(): boolean {
    return this.#known.is_late || this.#known.rounds + 1 >= renderLimits.rounds;
  }

  async #find({ url, method, type }: WantedResource): Promise<Found> {
    const { resources: most } = renderLimits;
    let wanted = this.#wanted.get(url);
    if (wanted === undefined) {
      if (this.#wanted.size >= most) return this.#keep(`the page asks for more than ${String(most)} files`);
      wanted = { url, type, asked: this.#ask(url) };
      this.#wanted.set(url, wanted);
    }
    const asked = await wanted.asked;
    if (asked.is !== 'over') {
      this.#isMissing = true;
      return 'missing';
    }
    const { found } = asked;
    return method === 'HEAD' && 'body' in found ? { ...found, body: new Uint8Array() } : found;
  }

  async #ask(url: string): Promise<Asked> {
    const { pool, archive, books } = this.#tools;
    const { resourceBytes: most } = renderLimits;
    const crawl = await books.crawls.open(this.#page.crawl_id);
    // Its session may have opened what is there: scripts of another site could read that, and carry it off.
    if (isSignedIn(crawl) && siteOf(url) !== siteOf(this.#page.url))
      return { is: 'over', found: { failed: 'it is of another site, and the crawl has a session' } };
    const asked = await askFor(pool, archive, crawl.id, url);
    if (asked.is !== 'over') {
      if (this.#known.is_late) return { is: 'over', found: this.#keep('it did not come within six hours') };
      if (asked.is === 'absent' && ++this.#absent + this.#known.admitted > renderLimits.resources)
        return {
          is: 'over',
          found: this.#keep(`the page asks for more than ${String(renderLimits.resources)} files`),
        };
      return asked;
    }
    if ('failed' in asked.found) return asked;
    this.#bytes += asked.found.body.length;
    if (this.#bytes <= most) return asked;
    return { is: 'over', found: this.#keep(`the files of the page have more than ${String(most)} bytes`) };
  }

  #keep(why: string): { readonly failed: string } {
    this.#over++;
    return { failed: why };
  }

  async #conclude(round: Round, looks: Looks): Promise<void> {
    const { rounds, crashes, is_late: isLate } = this.#known;
    const wanted = await Promise.all(
      [...this.#wanted.values()].map(async (each) => ({ ...each, asked: await each.asked })),
    );
    const row = this.#row(round, wanted);
    if (round.outcome === 'crashed') {
      const again = { ...row, rounds, crashes: crashes + 1 };
      const isLast = again.crashes >= mostCrashes;
      const next = isLast
        ? ({ outcome: 'crashed' } as const)
        : { to: storedStages.resources, due_in_ms: afterCrashMs };
      return this.#write({ ...again, ...next });
    }
    const missing = wanted.filter(({ asked }) => asked.is !== 'over');
    if (missing.length > 0 && !this.#isLast) return this.#wait(row, missing);
    const lacks = missing.length + this.#over + round.leftOut;
    const settled = isLate ? 'late' : missing.length > 0 ? 'rounds' : lacks > 0 ? 'limits' : 'settled';
    return this.#settle({ ...row, lacks, outcome: round.outcome === 'cut' ? 'cut' : settled }, round, looks);
  }

  /** Admits what is not there, and waits for all that is missing. */
  async #wait(row: RoundRow, missing: readonly Wanted[]): Promise<void> {
    const { writer, admission, books } = this.#tools;
    const absent = missing.flatMap(({ url, asked }) => (asked.is === 'absent' ? [url] : []));
    books.crawls.forget(this.#page.crawl_id);
    const crawl = await books.crawls.open(this.#page.crawl_id);
    const { candidates } = candidatesOf(crawl, absent, () => ({ in: 'requisite', page: this.#page }));
    const waiting: RoundRow = {
      ...row,
      to: storedStages.resources,
      due_in_ms: firstLookMs,
      until_ms: longestWaitMs,
      waits: missing.flatMap(({ url }) => placesOf(url)),
      admitted: this.#known.admitted + absent.length,
    };
    await admission.store(writer, candidates, () => ({ rounds: [waiting] }));
  }

  /** What the browser made of the page is its body from now on, if there is anything. What it looks like is kept beside. */
  async #settle(row: RoundRow, { dom, picture, pdf }: Round, looks: Looks): Promise<void> {
    if (dom.length === 0) return this.#write(row);
    const [html, screenshot, print] = await Promise.all([
      this.#put('html', Buffer.concat([utf8Mark, dom])),
      this.#keepLook(looks.picture, picture),
      this.#keepLook(looks.pdf && 'pdf', pdf),
    ]);
    const made = [html, screenshot, print].filter((each) => each !== null);
    const leftOut = Object.keys(looks).length + 1 - made.length;
    await this.#write({
      ...row,
      to: storedStages.dedup,
      lacks: row.lacks + leftOut,
      made,
      body: html.hash,
      ...(screenshot !== null && { screenshot: screenshot.hash }),
      ...(print !== null && { pdf: print.hash }),
      ...(picture !== undefined && { screenshot_bytes: picture.length }),
      ...(pdf !== undefined && { pdf_bytes: pdf.length }),
    });
  }

  /** Null: the browser made none, or it is too large. */
  async #keepLook(look: Made | undefined, bytes: Uint8Array | undefined) {
    if (look === undefined || bytes === undefined || bytes.length > renderLimits.lookBytes) return null;
    return this.#put(look, bytes);
  }

  async #put(made: Made, body: Uint8Array) {
    const hash = digest('sha256', body, 'buffer');
    const { segment, at, length } = await this.#tools.blobs.put({
      hash,
      url: this.#page.url,
      at: new Date(),
      remoteAddress: null,
      asked: {},
      status: 200,
      headers: {},
      body,
      truncated: false,
      made,
    });
    return { hash: hash.toString('hex'), segment, at, length };
  }

  /** The page keeps what was read of it. @param round null: there was none */
  #row(round: Round | null, wanted: readonly Wanted[]): RoundRow {
    const { host_id, crawl_id, key, content_hash } = this.#page;
    const { reason, rounds, crashes, words, links } = this.#known;
    return {
      host_id,
      crawl_id,
      key,
      answer: content_hash.toString('hex'),
      to: storedStages.none,
      reason,
      rounds: rounds + 1,
      crashes,
      outcome: null,
      lacks: 0,
      waits: [],
      admitted: this.#known.admitted,
      lacks_login: wanted.some(({ asked }) => isLoggedOut(asked)),
      words_before: words,
      links_before: links,
      resources: wanted.map(({ url, type, asked }) => ({
        url: told(url),
        type,
        outcome: told(toldOf(asked)),
      })),
      refused: Object.fromEntries(
        Object.entries(round?.refused ?? {})
          .slice(0, mostRefused)
          .map(([what, times]) => [told(what), times]),
      ),
      console: (round?.console ?? []).map(told),
      navigation: round === null || round.navigation === null ? null : told(round.navigation),
    };
  }

  async #write(row: RoundRow): Promise<void> {
    await this.#tools.writer.write({ rounds: [row] });
    if (row.outcome === null) return;
    count('render_pages_total', { as: row.body === undefined ? 'kept' : 'rendered' });
    count('render_files_cut_total', {}, row.lacks);
  }
}

/** What a page has written, so that Postgres takes it: short, and without halves of surrogate pairs. */
const told = (text: string): string => text.slice(0, longestTold).toWellFormed();

/** What is made of each page beside its HTML. */
interface Looks {
  readonly picture?: 'page' | 'window';
  readonly pdf?: true;
}

const looksOf = ({ config: { screenshot, pdf } }: OpenCrawl): Looks => ({
  ...(screenshot !== 'none' && { picture: screenshot }),
  ...(pdf && { pdf }),
});

/** Answers of the crawl may be those of somebody who has logged in. */
const isSignedIn = ({ sessionRevision, config }: OpenCrawl): boolean =>
  sessionRevision > 0 || config.keepCookies || Object.keys(config.headers).length > 0;

/** As cookies have it (RFC 6265bis §5.2), without the scheme. */
const siteOf = (url: string): string => {
  const { hostname } = new URL(url);
  return registrableDomain(hostname) ?? hostname;
};

const isLoggedOut = (asked: Asked): boolean =>
  asked.is === 'over' && 'failed' in asked.found && asked.found.failed === loggedOutWords;

function toldOf(asked: Asked): string {
  if (asked.is !== 'over') return 'missing';
  return 'failed' in asked.found ? asked.found.failed : 'given';
}

/** What patterns of a crawl are compared with. */
function canonicalOf(url: string): string {
  const link = canonicalize(url);
  return link.ok ? link.value.canonical : url;
}

function placesOf(url: string): { readonly origin: string; readonly key: string }[] {
  const link = canonicalize(url);
  if (!link.ok) return [];
  const { host: origin, canonical } = link.value;
  return [{ origin, key: urlKey(canonical).toString('hex') }];
}
