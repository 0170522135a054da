/**
 * One URL of a visit: asks for it, stores its body, and commits its result together with the target of its redirect. Tells
 * the lessons of the visit what the answer teaches about the host.
 */
import { ProxyDown, type FetchRequest, type FetchResult } from '../../contracts/fetching.ts';
import { urlKey } from '../../contracts/url-key.ts';
import type { CanonicalUrl } from '../../domain/url.ts';
import type { HostNext } from '../../domain/outcome.ts';
import { kindOf, storedKinds } from '../../domain/url-kind.ts';
import type { FrontierWrite, FrontierWriter, LedToRow, ResultRow } from '../../storage/frontier/index.ts';
import type { EarlierCopy } from '../../storage/pages/index.ts';
import { retrying } from '../../storage/postgres/index.ts';
import { candidate } from '../admission/candidates.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Opened } from '../reading/read-pages.ts';
import { kept } from './capture.ts';
import { Carried } from './carried.ts';
import { validatorsOf } from './earlier-bodies.ts';
import type { FetchContext } from './fetch-context.ts';
import type { Wanted } from './gates.ts';
import type { HostVisit } from './host-visit.ts';
import type { Lane } from './lanes.ts';
import type { Lessons } from './lessons.ts';
import type { Ahead } from './portions.ts';
import { leadingOutside, placeOf, record, type Recorded, type Taker } from './record.ts';
import { followSeed, leadsFromSeed } from './moved-seed.ts';
import type { RedirectChain } from './redirect-chain.ts';

/** Waits for both, even if one fails: a body is at hand until neither needs it. */
async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

const keyOf = ({ canonical }: CanonicalUrl): string => urlKey(canonical).toString('hex');

/** The page was read while it was at hand, and is not stored yet; null: lanes are to read it. */
type Answered = Recorded & { readonly read?: Opened | null };

export class PageFetch {
  /** What the last page that was read at hand leaves to be done, once it is stored. */
  #finishing: Promise<void> = Promise.resolve();
  readonly #context: FetchContext;
  readonly #visit: HostVisit;
  readonly #lessons: Lessons;

  constructor(context: FetchContext, visit: HostVisit, lessons: Lessons) {
    this.#context = context;
    this.#visit = visit;
    this.#lessons = lessons;
  }

  /**
   * @param copy the earlier copy that the answer may confirm; null: none
   * @param ahead given if the visit has no other URL in hand: the page may be read at once, and its links be leased
   * @returns the URL's new state, once that is durable; null: no request was sent, or it has no result, and the URL stays
   * leased
   */
  async fetch(
    wanted: Wanted,
    copy: EarlierCopy | null,
    lane?: Lane,
    ahead?: Ahead,
  ): Promise<ResultRow['state'] | null> {
    const { writer, pool, books, wakeHosts } = this.#context.dependencies;
    const { url, crawl } = wanted;
    const chain = await this.#context.chains.at(pool, this.#visit.lease.hostId, crawl, url);
    const isReading = ahead !== undefined && this.#context.isQuiet;
    const recorded = await this.#request(wanted, copy, chain, lane, isReading);
    if (recorded === null) return null;
    const { row, target, targetInMs, read } = recorded;
    if (ahead !== undefined && read && (await this.#storeRead(read, row, crawl, ahead))) return row.state;
    if (target !== null || row.next_url !== null) chain.redirected();
    const stored = this.#context.chains.keep(crawl, chain);
    const parent = {
      host_id: Number(this.#visit.lease.hostId),
      origin: this.#visit.origin,
      key: url.key,
      depth: url.depth,
      hops: url.hops,
      kind: kindOf(url.kind),
      priority: url.priority,
    };
    const found =
      // Where a made-up path leads is no page that anybody linked to.
      target === null || url.kind === storedKinds.probe
        ? []
        : [candidate(crawl, target, { in: 'redirect', url: parent, waitMs: targetInMs, chain: stored })];
    if (target !== null) await retrying(() => followSeed(pool, books, crawl, url, target));
    const patient = { write: (write: FrontierWrite) => writer.write(write, this.#patienceMs) };
    const ledTo = target === null ? [] : await this.#ledTo(chain, wanted, target, targetInMs);
    const write = (): Promise<unknown> =>
      this.#context.dependencies.admission.store(patient, found, (outside) => ({
        results: [
          {
            ...leadingOutside(row, outside, leadsFromSeed(url)),
            chain: row.state === 'queued' ? stored : null,
          },
        ],
        ...(ledTo.length > 0 && { ledTo }),
      }));
    await (target === null ? write() : this.#context.chains.while(crawl, keyOf(target), stored, write));
    wakeHosts(ledTo.filter(({ again }) => again).map(({ host_id: host }) => host));
    return row.state;
  }

  /** Resolves once nothing is left to be done for pages that were read at hand. */
  finish(): Promise<void> {
    return this.#finishing;
  }

  /** Stores a result with what was read. False: it is yet to be stored, and lanes read it. */
  async #storeRead(read: Opened, row: ResultRow, crawl: OpenCrawl, ahead: Ahead): Promise<boolean> {
    await this.#finishing;
    const { writer } = this.#context.dependencies;
    const lease = ahead.offer(crawl);
    const isHere = ({ host_id, crawl_id }: Pick<ResultRow, 'host_id' | 'crawl_id'>): boolean =>
      lease !== null && host_id === row.host_id && crawl_id === row.crawl_id;
    const leasing: Pick<FrontierWriter, 'write'> = {
      write: async ({ admissions = [], ...write }) => {
        const rows = admissions.map((each) => (lease !== null && isHere(each) ? { ...each, lease } : each));
        const written = await writer.write({ ...write, admissions: rows }, this.#patienceMs);
        ahead.take(written.leased);
        return written;
      },
    };
    const finish = (await this.#context.atHand?.store(read, row, leasing)) ?? null;
    if (finish === null) return false;
    this.#finishing = finish();
    // Its failure is noticed before the next page is stored, or by `finish`.
    this.#finishing.catch(() => undefined);
    return true;
  }

  /**
   * The target, if its host is known and it is to be asked with cookies of the chain, or again since they have changed.
   * It is queued together with the result that leads there: in between, the crawl could look finished, or a process die.
   */
  async #ledTo(
    chain: RedirectChain,
    { url: { hops }, crawl: { id } }: Wanted,
    target: CanonicalUrl,
    waitMs: number,
  ): Promise<LedToRow[]> {
    const key = keyOf(target);
    const again = chain.isChanged(key, target.url);
    const opens = chain.opens(target.url);
    if (!again && !opens) return [];
    const hostId = await this.#context.dependencies.books.hosts.knownIdOf(target.host);
    if (hostId === null) return [];
    const place = { host_id: hostId, crawl_id: id, key, again, hops: hops + 1, due_in_ms: waitMs };
    return [{ ...place, chain: chain.stored, taken: opens ? chain.takenOver : null }];
  }

  /** Milliseconds for which a result may wait for those of other hosts: the next request waits longer. */
  get #patienceMs(): number {
    return this.#visit.waitMs / 20;
  }

  /** Requests a URL and stores its body, which nobody holds afterwards. Null: there is no answer, and the slice must end. */
  async #request(
    wanted: Wanted,
    copy: EarlierCopy | null,
    chain: RedirectChain,
    lane: Lane | undefined,
    isReading: boolean,
  ): Promise<Answered | null> {
    const { blobs, settings } = this.#context.dependencies;
    const { url, crawl } = wanted;
    const isExempt = url.seed || url.kind === storedKinds.sitemap || url.kind === storedKinds.requisite;
    const { version, takes, config } = crawl;
    const { maxRedirects } = config;
    const taker: Taker = { version, takes: isExempt ? () => true : takes, maxRedirects };
    const carried = await Carried.by(this.#context, this.#visit, wanted);
    if (carried === null) return null;
    const request = {
      url: url.url,
      userAgent: crawl.userAgent,
      allowPrivate: crawl.allowPrivate,
      limits: {
        maxBodyBytes: settings.maxBodyBytes,
        onlyWhole: true as const,
        totalTimeoutMs: settings.requestTimeoutMs,
      },
      wantsBody: (headers: Readonly<Record<string, string>>) => taker.takes(headers['content-type'] ?? null),
      ...validatorsOf(copy),
      headers: chain.headers(carried.headers),
    };
    const { delayMs } = this.#visit.pacer;
    const result = await this.#exchange(request, wanted, lane, carried);
    if (result === null) return null;
    try {
      const place = placeOf(this.#visit.lease, url);
      if (result.kind === 'response') chain.answered(result.headers['set-cookie']);
      const lessons = this.#lessons.of(crawl.tenantId, this.#isShared(crawl));
      const recorded = record(
        ...([result, { ...url, hops: chain.redirects }, place, lessons, taker, copy] as const),
        (response, target) => carried.judge(response, target),
        (target) => chain.isChanged(url.key, target),
      );
      const { outcome, row, bodyHash } = recorded;
      await carried.settle(result.kind === 'response' ? result : null);
      // Learned before anything is stored: if storing fails, what the host has shown still counts.
      const host = this.#forOthers(outcome.host, crawl);
      this.#lessons.learn({ key: row.key, tenantId: crawl.tenantId }, host, delayMs, row.detail ?? '');
      if (host.sign === 'well') this.#visit.turns.answeredWell(crawl);
      this.#visit.slowTo(this.#lessons.manners);
      const { trouble } = host;
      if (trouble !== null && result.kind === 'response')
        await this.#visit.leaveAlone(trouble.waitMs, trouble.forAllMs);
      if (host.complaint !== null) await this.#keepLessons();
      if (result.kind !== 'response') return recorded;
      const capture = kept(request, carried.archived(result), bodyHash, row, copy);
      if (capture === null) return recorded;
      const [stored, read] = await both(
        blobs.put(capture, this.#patienceMs),
        isReading && copy === null ? this.#read(wanted, recorded, result.body) : Promise.resolve(null),
      );
      return { ...recorded, row: { ...row, ...stored }, read };
    } finally {
      if (result.kind === 'response') result.release?.();
    }
  }

  /** A host that asks for fewer requests is slower from now on, whatever becomes of this process. */
  async #keepLessons(): Promise<void> {
    const { lease, baseDelayMs } = this.#visit;
    const { pool } = this.#context.dependencies;
    await retrying(() => this.#lessons.save(pool, lease.hostId, baseDelayMs));
  }

  /** A proxy that is down keeps back this crawl alone, and is no fault of the host. Null: no request was sent. */
  async #exchange(
    request: FetchRequest,
    wanted: Wanted,
    lane: Lane | undefined,
    carried: Carried,
  ): Promise<FetchResult | null> {
    try {
      return await this.#visit.exchange(request, wanted, lane);
    } catch (error) {
      if (!(error instanceof ProxyDown)) throw error;
      await carried.withheld(error.message);
      return null;
    }
  }

  /** Null: the lanes read it. */
  async #read(
    { url, crawl }: Wanted,
    { row, bodyHash, target }: Recorded,
    body: Uint8Array,
  ): Promise<Opened | null> {
    // Only the first answer to a page: what is known of an earlier one would have to give way.
    const isFirst = url.kind === storedKinds.page && url.reason === null;
    if (!isFirst || bodyHash === null || row.state !== 'done' || target !== null) return null;
    const { host_id, crawl_id, key, content_type, robots_tag, link_fields, took_ms } = row;
    const { kind, seed, depth, priority } = url;
    const answer = { host_id, crawl_id, key, content_type, robots_tag, link_fields, took_ms };
    const place = { origin: this.#visit.origin, url: url.url, kind, seed, depth, priority };
    const staged = {
      ...answer,
      ...place,
      content_hash: bodyHash,
      rendered_without: null,
      fetches: 1,
      record: null,
    };
    return (await this.#context.atHand?.read(staged, crawl, body)) ?? null;
  }

  /** Crawls of other tenants want the host. */
  #isShared({ tenantId }: OpenCrawl): boolean {
    return this.#visit.crawls.some((other) => other.tenantId !== tenantId);
  }

  /** What an answer says of the host. Trouble that only URLs of one tenant have shown delays other tenants by less. */
  #forOthers(host: HostNext, crawl: OpenCrawl): HostNext {
    const { trouble } = host;
    if (trouble?.forAllMs === undefined || !this.#isShared(crawl)) return host;
    this.#visit.turns.hold(crawl, trouble.waitMs);
    const { forAllMs } = trouble;
    return { ...host, trouble: forAllMs === 0 ? null : { class: trouble.class, waitMs: forAllMs } };
  }
}
