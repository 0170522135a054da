/**
 * Gathers what pages show about traps, by crawl and host, and adds it to the watch of the host (storage/traps/), `batch`
 * pages at a time. Pages that are gathered when a process dies are lost to the watch: fewer than `batch` of each host, by
 * which a trap is found later.
 */
import type { Logger } from 'pino';
import type { Extracted } from '../../contracts/extraction.ts';
import { usualFloor, type CrawlBounds } from '../../domain/traps/rules.ts';
import { defaultDelayMs } from '../../domain/pace.ts';
import type { Observation } from '../../domain/traps/watch.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import { canonicalize } from '../../domain/url.ts';
import type { AdmissionRow } from '../../storage/frontier/index.ts';
import type { StagedBody } from '../../storage/pages/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { addWatched } from '../../storage/traps/index.ts';
import type { CrawlBook, OpenCrawl } from '../books/crawl-book.ts';
import type { HostBook } from '../books/host-book.ts';
import { DomainHosts, apexOf } from './domain-hosts.ts';
import { observe, observeBelow } from './observe.ts';

/** Pages of a host that are added together. */
export const batch = 32;
/** Most hosts in one transaction. */
const hostBatch = 20;
/** Most pages gathered, of all hosts: some two megabytes. Then the host that was read least lately gives way. */
const mostGathered = 4_000;
/** A host that gives way with fewer pages than this is forgotten: most hosts have no more. */
const worthAdding = 4;

interface Gathered {
  /** Of the host; a domain is known by its origin (domain-hosts.ts). */
  readonly host: number | string;
  readonly crawl_id: number;
  readonly pages: Observation[];
  /** As the crawl has them now. */
  bounds: CrawlBounds;
}

export class TrapWatch {
  readonly #pool: Pool;
  readonly #crawls: Pick<CrawlBook, 'open'>;
  readonly #log: Logger;
  readonly #floor: number;
  readonly #hosts: Pick<HostBook, 'idOf'>;
  readonly #domains = new DomainHosts();
  readonly #open = new Map<string, Gathered>();
  #ready: Gathered[] = [];
  #pages = 0;

  constructor(
    { pool, log }: { readonly pool: Pool; readonly log: Logger },
    { crawls, hosts }: { readonly crawls: Pick<CrawlBook, 'open'>; readonly hosts: Pick<HostBook, 'idOf'> },
    floor = usualFloor,
  ) {
    this.#hosts = hosts;
    this.#floor = floor;
    this.#pool = pool;
    this.#crawls = crawls;
    this.#log = log;
  }

  /** A page that was read and stored. @param fresh its links that were new to the crawl */
  read(crawl: OpenCrawl, staged: StagedBody, extracted: Extracted, fresh: readonly AdmissionRow[]): void {
    this.#add(crawl, staged, extracted, fresh);
  }

  /** Pages whose bodies are those of other pages, and which are therefore not read. */
  async repeated(bodies: readonly StagedBody[]): Promise<void> {
    for (const body of bodies) this.#add(await this.#crawls.open(body.crawl_id), body, null, []);
    await this.save();
  }

  /** Adds what is due; to be called after `read`. */
  async save(): Promise<void> {
    while (this.#ready.length > 0) {
      const ready = this.#ready.splice(0, hostBatch);
      const watched = await Promise.all(
        ready.map(async ({ host, crawl_id, pages, bounds }) => ({
          crawl_id,
          pages,
          bounds,
          host_id: typeof host === 'number' ? host : await this.#hosts.idOf(host),
        })),
      );
      const held = await addWatched(this.#pool, watched, this.#floor);
      if (held > 0) this.#log.info({ shapes: held }, 'shapes of URLs that look like traps are in quarantine');
    }
  }

  #add(
    { id, quarantine, config }: OpenCrawl,
    staged: StagedBody,
    extracted: Extracted | null,
    fresh: readonly AdmissionRow[],
  ): void {
    if (quarantine === null || staged.kind === storedKinds.sitemap) return;
    // A page that is fetched again says what it said before: that is no evidence.
    if (config.keepFresh !== null && staged.fetches > 1) return;
    const link = canonicalize(staged.url);
    if (!link.ok) return;
    const own = fresh.filter(({ host_id: host }) => host === staged.host_id).map(({ url }) => url);
    const { content_hash: body, host_id: hostId } = staged;
    const shown = observe({ link: link.value, body, extracted, fresh: own });
    const { maxPages, maxPagesPerHost, maxSeconds } = config;
    const bounds = {
      maxPages,
      maxPagesPerHost,
      maxSeconds,
      delaySeconds: config.delaySeconds ?? defaultDelayMs / 1_000,
      requestsPerDay: config.keepFresh?.requestsPerDay ?? null,
    };
    this.#gather(id, hostId, bounds, shown);
    const domain = this.#domains.met(id, hostId, link.value.host);
    if (domain === null) return;
    const elsewhere = fresh.flatMap(({ host_id: host, url }) => (host === hostId ? [] : [url]));
    const links = extracted?.links ?? [];
    this.#gather(id, apexOf(domain), bounds, observeBelow(domain, shown, links, elsewhere, link.value.host));
  }

  #gather(crawlId: number, host: number | string, bounds: CrawlBounds, page: Observation): void {
    const name = `${String(crawlId)} ${String(host)}`;
    const gathered = this.#open.get(name) ?? { host, crawl_id: crawlId, pages: [], bounds };
    gathered.bounds = bounds;
    this.#open.delete(name);
    this.#open.set(name, gathered);
    gathered.pages.push(page);
    this.#pages++;
    if (gathered.pages.length >= batch) this.#take(name, gathered);
    else if (this.#pages > mostGathered) this.#giveWay();
  }

  #giveWay(): void {
    const [oldest] = this.#open;
    if (oldest === undefined) return;
    const [name, gathered] = oldest;
    this.#take(name, gathered, gathered.pages.length >= worthAdding);
  }

  #take(name: string, gathered: Gathered, adds = true): void {
    this.#open.delete(name);
    this.#pages -= gathered.pages.length;
    if (adds) this.#ready.push(gathered);
  }
}
