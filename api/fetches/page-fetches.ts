/**
 * One page for one request: from the archive of the tenant, or by the crawl that fetches single pages for it. Whatever
 * process dies, a fetch that has an id goes on: the crawl has its URL, and each look at the fetch takes up where its
 * redirects have led.
 */
import type { Response } from 'express';
import {
  wantedOfPage,
  type FetchedPage,
  type WaitingFetch,
  type WantedOfPage,
} from '../../contracts/http/fetch.ts';
import { whyNoMore } from '../../domain/crawl-life.ts';
import type { RenderMode } from '../../domain/rendering/mode.ts';
import { reasonText } from '../../domain/url-reason.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import { explainUrlOf } from '../../engine/explain/explain.ts';
import { pageAsWanted } from '../../engine/page-fetch/content.ts';
import { placeOf, walk, type Ended, type VisitPlace, type Walked } from '../../engine/page-fetch/walk.ts';
import { findCrawl } from '../../storage/crawls/index.ts';
import {
  addPageFetch,
  askAgain,
  crawlsWithPage,
  instantsOf,
  provideFetchCrawl,
  type Instants,
  type PageFetch,
} from '../../storage/fetches/index.ts';
import { hostIds } from '../../storage/hosts/index.ts';
import { one } from '../../storage/postgres/index.ts';
import { countAhead } from '../../storage/reports/index.ts';
import { readSeeds } from '../../storage/seeds/index.ts';
import { refuseSpent } from '../crawls/quotas.ts';
import { addSeeds } from '../crawls/seed-intake.ts';
import type { Parts } from '../dependencies.ts';
import type { Caller } from '../way-in/caller.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { PageWaits } from './page-waits.ts';

/** Crawls that are looked at for an answer: one whose redirects lead to what is too old has none. */
const mostCrawls = 3;
/** Pages before a URL are counted up to this number. */
const aheadCounted = 10_000;

export interface Asked {
  readonly tenantId: number;
  readonly link: CanonicalUrl;
  readonly render: RenderMode;
  readonly maxAgeSeconds: number;
  readonly wanted: WantedOfPage;
}

/** A fetch under way. */
export interface Fetch extends Instants {
  readonly id: string;
  readonly tenantId: number;
  readonly crawlId: string;
  readonly link: CanonicalUrl;
  readonly wanted: WantedOfPage;
  /** Whoever looks at it may have its page asked for again. */
  readonly mayAsk: boolean;
}

/** Reading a body is costly, and takes its turn. */
type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

const isOver = (walked: Walked): walked is Ended =>
  walked.kind === 'answered' || walked.kind === 'refused' || walked.kind === 'failed';

export class PageFetches {
  readonly #parts: Parts;
  readonly #waits: PageWaits;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#waits = new PageWaits(parts.pool, parts.log);
  }

  /** A page that is young enough; null: there is none. No request is made. */
  async atHand(asked: Asked, since: Instants, read: InTurn): Promise<FetchedPage | null> {
    const { tenantId, link, render, wanted, maxAgeSeconds } = asked;
    if (maxAgeSeconds === 0) return null;
    const { pool } = this.#parts;
    const { origin, key } = placeOf('', link);
    const [host] = await hostIds(pool, [origin]);
    if (host === undefined) return null;
    const query = { tenantId, hostId: String(host.id), key, since: since.since, render, limit: mostCrawls };
    for (const { crawl_id: crawlId } of await crawlsWithPage(pool, query)) {
      const walked = await walk(pool, crawlId, link, since);
      if (walked.kind !== 'answered' || (render === 'never' && walked.visit.rendered)) continue;
      const page = await read(() => this.#answer(walked, link, crawlId, wanted, null));
      // Its body may be gone, or on another machine.
      if (page !== null && (page.content !== null || page.page.contentHash === null)) return page;
    }
    return null;
  }

  /** Has the page fetched, if it is not about to be. @throws HttpProblem for a quota, or if too much is noted */
  async begin(asked: Asked, instants: Instants, response: Response): Promise<Fetch> {
    const { tenantId, link, render, wanted } = asked;
    const { pool } = this.#parts;
    for (let tries = 1; ; tries++) {
      const crawl = await provideFetchCrawl(pool, tenantId, render);
      if (crawl.id === null) return refuseSpent(response, crawl.spent);
      const { id: crawlId } = crawl;
      const walked = await walk(pool, crawlId, link, instants);
      try {
        await this.#ask(walked, { tenantId, crawlId, link, instants }, response);
      } catch (error) {
        // It has just been cancelled, or is ending: another one takes its place.
        if (error instanceof HttpProblem && error.status === 409 && tries < 3) continue;
        throw error;
      }
      const [row] = await addPageFetch(pool, {
        tenantId,
        crawlId,
        url: link.url,
        wanted: JSON.stringify(wanted),
        askedAt: instants.asked_at,
        since: instants.since,
      });
      if (row === undefined) {
        // It may be another day's by now.
        if (tries < 3) continue;
        response.set('Retry-After', '3600');
        throw new HttpProblem(
          429,
          `Crawl ${crawlId}, which fetches single pages, has as many fetches as one may have; another one takes its place a day after its start. Fetch many pages by a crawl.`,
          { kind: 'rate-limited' },
        );
      }
      return { id: row.id, tenantId, crawlId, link, wanted, mayAsk: true, ...instants };
    }
  }

  /** One that was begun before. */
  found({ tenantId, role }: Pick<Caller, 'tenantId' | 'role'>, row: PageFetch): Fetch {
    const link = canonicalize(row.url);
    if (!link.ok) throw new Error(`fetch ${row.id} has a URL that cannot be crawled`);
    const { id, crawl_id: crawlId, asked_at, since } = row;
    return {
      id,
      tenantId,
      crawlId,
      link: link.value,
      wanted: wantedOfPage.parse(row.wanted),
      mayAsk: role !== 'reader',
      asked_at,
      since,
    };
  }

  /** As `PageWaits` has it. */
  enterWaits(tenantId: number): (() => void) | null {
    return this.#waits.enter(tenantId);
  }

  /** Waits until the page is there, or the signal says that it is long enough. */
  async wait(fetch: Fetch, response: Response, signal: AbortSignal): Promise<Walked> {
    const { tenantId, crawlId, link } = fetch;
    for (;;) {
      const walked = await walk(this.#parts.pool, crawlId, link, fetch);
      if (isOver(walked) || (walked.kind === 'stale' && !fetch.mayAsk)) return walked;
      if (walked.kind === 'stale')
        await this.#ask(walked, { tenantId, crawlId, link, instants: fetch }, response);
      if (signal.aborted) return walked;
      await this.#waits.settled(walked.place, signal);
    }
  }

  /** The page, or null while it is not there. @throws HttpProblem with the reason why it will not be */
  async page(fetch: Fetch, walked: Walked, read: InTurn): Promise<FetchedPage | null> {
    const { crawlId, link, wanted, id } = fetch;
    if (walked.kind === 'answered') return read(() => this.#answer(walked, link, crawlId, wanted, id));
    if (walked.kind === 'refused' || walked.kind === 'failed') return refuse(walked, link);
    const crawl = await findCrawl(this.#parts.pool, crawlId);
    const why = crawl === null ? 'is being deleted' : whyNoMore(crawl);
    if (why === null || why === 'is ending') return null;
    throw new HttpProblem(409, `The page was not fetched: crawl ${crawlId}, which was to fetch it, ${why}.`);
  }

  /** Why the page is not there yet. */
  async outlook(
    { id, crawlId, link, asked_at, mayAsk }: Fetch,
    { place, ...walked }: Walked,
  ): Promise<WaitingFetch> {
    const { pool, settings, lending } = this.#parts;
    const caps = lending.permits.book;
    const isAgeing = walked.kind === 'stale' && !mayAsk;
    const told = isAgeing
      ? null
      : await explainUrlOf(pool, crawlId, place.url, settings.userAgent, caps, settings.regions);
    return {
      id,
      url: link.url,
      crawlId,
      askedAt: new Date(asked_at).toISOString(),
      waiting: {
        because: isAgeing
          ? `${place.url} was visited before this was asked for: it is visited again once somebody looks here who may start crawls.`
          : (told?.summary ?? `Crawl ${crawlId}, which was to fetch it, is being deleted.`),
        at: told?.next?.at ?? null,
        ahead: walked.kind === 'unmet' ? null : await this.#ahead(place, walked.visit),
      },
    };
  }

  async #ahead({ crawlId, key }: VisitPlace, visit: Ended['visit']): Promise<number | null> {
    if (visit.state !== 'queued') return null;
    const { host_id: hostId, priority } = visit;
    const place = { hostId: String(hostId), crawlId, key, priority, dueMs: 0, most: aheadCounted };
    return (await one(countAhead(this.#parts.pool, place))).ahead;
  }

  /** Has a URL fetched that the crawl has not met, or whose visit is too old. */
  async #ask(
    walked: Walked,
    {
      tenantId,
      crawlId,
      link,
      instants,
    }: Pick<Fetch, 'tenantId' | 'crawlId' | 'link'> & { instants: Instants },
    response: Response,
  ): Promise<void> {
    const { pool, control, log, lending } = this.#parts;
    // Of a redirect the target comes into the crawl with it.
    if (walked.kind === 'unmet' && walked.place.key === placeOf(crawlId, link).key)
      await addSeeds(this.#parts, response, {
        tenantId,
        crawlId,
        seeds: readSeeds([link.url]),
        which: 'new',
      });
    if (walked.kind !== 'stale') return;
    const { since, asked_at: askedAt } = instants;
    const hostId = String(walked.visit.host_id);
    const again = await askAgain(pool, tenantId, { ...walked.place, hostId, since, askedAt });
    if (again.kind === 'spent') refuseSpent(response, again.spent);
    if (again.kind === 'over')
      throw new HttpProblem(409, `Crawl ${crawlId}, which was to fetch the page, takes no more work.`);
    if (again.hostId !== null) await lending.wake([again.hostId]);
    if (again.reopened)
      await control.reopen(crawlId).catch((error: unknown) => {
        log.warn(
          { err: error, crawlId },
          'a crawl with a page to fetch will go on as soon as Temporal answers',
        );
      });
  }

  async #answer(
    { place, visit }: Ended,
    link: CanonicalUrl,
    crawlId: string,
    wanted: WantedOfPage,
    id: string | null,
  ): Promise<FetchedPage | null> {
    const { pool, archive, textOf, settings } = this.#parts;
    const parts = { pool, archive, textOf, userAgent: settings.userAgent };
    const told = await pageAsWanted(parts, place, wanted, visit.host_id);
    if (told === null) return null;
    return { id, url: link.url, crawlId, fromArchive: id === null, rendered: visit.rendered, ...told };
  }
}

export const instantsNow = (parts: Parts, maxAgeSeconds: number): Promise<Instants> =>
  one(instantsOf(parts.pool, maxAgeSeconds));

function refuse({ kind, place, visit }: Ended, link: CanonicalUrl): never {
  const { reason, detail } = visit;
  const where = place.url === link.url ? '' : ` ${link.url} has led to ${place.url}.`;
  const words = reasonText(reason, detail);
  const extras = reason === null ? {} : { reason };
  if (kind === 'refused')
    throw new HttpProblem(422, `The page is not fetched: ${words}.${where}`, {
      kind: 'page-refused',
      ...extras,
    });
  throw new HttpProblem(502, `The page could not be had: ${words}.${where}`, {
    kind: 'page-failed',
    ...extras,
  });
}
