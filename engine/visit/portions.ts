/** Leases the URLs of a visit, a portion at a time, and waits for what its own pages bring (docs/design.md, "Long visits"). */
import { sliceSize } from '../../domain/slice.ts';
import type { AdmissionRow, LeasedUrl } from '../../storage/frontier/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Ear } from '../bells.ts';
import type { FetchContext } from './fetch-context.ts';
import type { HostVisit } from './host-visit.ts';
import { leaseWithinLimits } from './lease-within-limits.ts';
import { mostUnread } from './work-ahead.ts';

/** A visit whose time is over waits so many milliseconds for its bodies to be read, at most. */
const longestUnreadMs = 60_000;
/** Most URLs of the first portion, before the visit has shown how long one takes. */
const firstUrls = 60;
/** A visit that waits for further URLs looks for them every so many milliseconds, unless a bell rings. */
const lookMs = 500;

/** URLs in the order of fetching; 'closed': the visit must end. */
export type Portion = readonly LeasedUrl[] | 'closed';

/** What is found on the last page of a portion may be leased as it is stored. */
export interface Ahead {
  /** How much of it. Null: nothing, since turns or limits have to be looked at first. */
  readonly offer: (crawl: OpenCrawl) => NonNullable<AdmissionRow['lease']> | null;
  readonly take: (rows: readonly AdmissionRow[]) => void;
}

export class Portions {
  readonly #context: FetchContext;
  readonly #visit: HostVisit;
  readonly #mostQueued: number;
  readonly #signal: AbortSignal;
  /** When the last portion was leased, and how many requests had been sent. */
  #begun: { readonly at: number; readonly sent: number } | null = null;
  /** Milliseconds that each URL of the last portion took; null: none was requested yet. */
  #eachMs: number | null = null;
  /** Leased as they were found. */
  #found: LeasedUrl[] = [];

  /** @param mostQueued the visit ends once more URLs than this are queued at the host */
  constructor(context: FetchContext, visit: HostVisit, mostQueued: number, signal: AbortSignal) {
    this.#context = context;
    this.#visit = visit;
    this.#mostQueued = mostQueued;
    this.#signal = signal;
  }

  /** Leases the URLs of so many milliseconds; none: nothing is due. */
  async next(ms: number): Promise<Portion> {
    const { pool, settings } = this.#context.dependencies;
    const { lease, crawls, pacer, turns: everybodys } = this.#visit;
    const { hostId, taken, allowance } = lease;
    const limit = await allowance.grant(pool, hostId, taken.token, this.#fitting(ms));
    if (limit === 0) return 'closed';
    // Pages of the one crawl are not read while the visit waits for turns of another.
    const turnsMs = crawls.length > 1 ? Math.min(ms, settings.sliceMs) : ms;
    const turns = everybodys.within(turnsMs, pacer.tookMs);
    const atTurn = crawls.filter(({ id }) => turns.get(id) !== 0);
    if (atTurn.length === 0) return [];
    const urls = await leaseWithinLimits(pool, hostId, taken.token, limit, atTurn, turns);
    this.#begin(urls);
    return urls;
  }

  #begin(urls: readonly LeasedUrl[]): void {
    const { lease, pacer } = this.#visit;
    lease.times.leased(urls);
    if (urls.length > 0) this.#begun = { at: performance.now(), sent: pacer.sent };
  }

  /** @param ms of the next portion */
  ahead(ms: number): Ahead {
    const { lease, crawls, pacer, turns } = this.#visit;
    return {
      offer: ({ config }) => {
        const isFree = config.maxPages === null && turns.within(ms, pacer.tookMs).size === 0;
        if (crawls.length > 1 || !isFree || lease.allowance.isExact || this.#mustEnd) return null;
        return { token: lease.taken.token, urls: Math.min(this.#fitting(ms), this.#mostQueued) };
      },
      take: (rows) => {
        const best = [...rows].sort((one, other) => other.priority - one.priority);
        for (const row of best) this.#found.push(asLeased(row, this.#found.length + 1));
      },
    };
  }

  get #mustEnd(): boolean {
    const { lease } = this.#visit;
    return this.#signal.aborted || lease.isOver || lease.mustGiveWay;
  }

  /** URLs that the visit will get to: what it leases beyond them has to go back, at two writes a URL. */
  #fitting(ms: number): number {
    const { pacer } = this.#visit;
    const eachMs = Math.max(pacer.delayMs, this.#eachMs ?? 0);
    // The first leaves at once.
    const leftMs = Math.max(0, this.#visit.endsAt - performance.now()) + eachMs;
    const fit = Math.min(sliceSize(Math.min(ms, leftMs), eachMs), Math.max(1, this.#visit.lease.turnLeft));
    return this.#eachMs === null ? Math.min(fit, firstUrls) : fit;
  }

  /** Learns from the last portion, which has come to its end, how long a URL takes. */
  #learn(): void {
    const begun = this.#begun;
    this.#begun = null;
    if (begun === null) return;
    const sent = this.#visit.pacer.sent - begun.sent;
    if (sent > 0) this.#eachMs = (performance.now() - begun.at) / sent;
  }

  /**
   * The next portion. Waits for it while bodies of the host are read, and a moment longer, since others may link to the
   * host: to end the visit and begin another costs more. Where reading lags far behind, fetching waits for it. A visit
   * whose time is over and whose URLs are spent still waits for the reading: the host keeps its place until then.
   */
  async further(ms: number): Promise<Portion> {
    this.#learn();
    const found = this.#found.splice(0);
    if (found.length > 0 && !this.#mustEnd && performance.now() < this.#visit.endsAt) {
      this.#begin(found);
      return found;
    }
    const portion = await this.#lookOn(ms);
    // What the visit does when nothing is due keeps no request back.
    if (portion === 'closed' || portion.length > 0) this.#visit.lease.times.does('own_work');
    return portion;
  }

  async #lookOn(ms: number): Promise<Portion> {
    const { bells } = this.#context.dependencies;
    const hostId = Number(this.#visit.lease.hostId);
    const ear = bells.listen(['found'], (id) => id === hostId);
    try {
      return await this.#lookOnBy(ear, ms);
    } finally {
      bells.silence(ear);
    }
  }

  async #lookOnBy(ear: Ear, ms: number): Promise<Portion> {
    const { settings, bells } = this.#context.dependencies;
    const { lease, crawls } = this.#visit;
    const waits = settings.lingerMs > 0 && settings.sliceMs > 0;
    let idleSince = performance.now();
    for (;;) {
      if (this.#mustEnd) return 'closed';
      const overMs = performance.now() - this.#visit.endsAt;
      if (overMs >= (waits ? longestUnreadMs : 0)) return 'closed';
      ear.forget();
      const { queued, unread } = await this.#context.ahead.at(lease.hostId);
      if (queued > this.#mostQueued || (overMs >= 0 && unread === 0)) return 'closed';
      if (overMs < 0 && (unread < mostUnread || settings.lingerMs === 0)) {
        const urls = queued > 0 ? await this.next(ms) : [];
        if (urls.length > 0) return urls;
        if (unread > 0) idleSince = performance.now();
        if (settings.lingerMs === 0 || performance.now() - idleSince >= settings.lingerMs) return [];
      }
      const waitsFor =
        queued > 0 && overMs < 0 && unread < mostUnread ? 'retry' : unread > 0 ? 'reading' : null;
      if (waitsFor === null && lease.times.isAtWork) {
        this.#context.keeper.noteTimesSoon();
        if (this.#context.isQuiet)
          bells.ring(
            'spent',
            crawls.map(({ id }) => id),
          );
      }
      lease.times.does(waitsFor);
      if (waitsFor === 'reading' && this.#context.isQuiet) bells.ring('call', [Number(lease.hostId)]);
      await ear.sleep(lookMs, this.#signal);
    }
  }
}

/** As `leaseUrls` would answer it. */
const asLeased = (row: AdmissionRow, turn: number): LeasedUrl => ({
  crawl_id: row.crawl_id,
  key: row.key,
  url: row.url,
  kind: row.kind,
  seed: row.seed,
  depth: row.depth,
  hops: row.hops,
  chained: typeof row.chain === 'string',
  priority: Math.fround(row.priority),
  tries: 0,
  reason: null,
  etag: null,
  last_modified: null,
  turn,
  due_ms: 0,
});
