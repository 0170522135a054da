/** Admits the seeds of a crawl, a batch at a time, in fair turns of tenants. */
import { seedPriority } from '../../domain/priority/place.ts';
import { canonicalize } from '../../domain/url.ts';
import { askParkedHosts } from '../../storage/hosts/index.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { retrying } from '../../storage/postgres/index.ts';
import { claimSeeds, nextSeeds, noteSeeded } from '../../storage/seeds/index.ts';
import { candidate, type Candidate } from '../admission/candidates.ts';
import { SeedingTurns } from '../admission/seeding-turns.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Dependencies } from '../dependencies.ts';

const batch = 1_000;
/** Most batches of seeds that a process admits at a time: each takes a connection and much of the one thread. */
const places = 2;
/** Milliseconds for which seeds are admitted before the watch checks again whether the crawl is over. */
const turnMs = 1_000;

export class Seeding {
  readonly #dependencies: Dependencies;
  readonly #startEdit: (crawlId: string) => Promise<void>;
  readonly #turns = new SeedingTurns(places);

  /** @param startEdit is called for a crawl whose settings were edited while a batch was judged by the old ones */
  constructor(dependencies: Dependencies, startEdit: (crawlId: string) => Promise<void>) {
    this.#dependencies = dependencies;
    this.#startEdit = startEdit;
  }

  /**
   * Admits further seeds for a while. After an abort between two batches, the next call goes on from there. Stops once
   * the crawl is paused or ends, even if this attempt is not aborted. Returns the number of seed lines taken.
   */
  async admitSome(crawlId: string, signal: AbortSignal): Promise<number> {
    const { crawls } = this.#dependencies.books;
    const id = Number(crawlId);
    const until = performance.now() + turnMs;
    const crawl = await crawls.open(id);
    for (let lines = 0; ;) {
      const taken = await this.#turns.take(crawl.tenantId, signal, async () =>
        signal.aborted || !(await crawls.isRunning(id)) ? 0 : this.#admitBatch(crawlId),
      );
      lines += taken ?? 0;
      // Checked only after a batch, so that each call gets at least one turn.
      if (taken === null || taken === 0 || performance.now() >= until) return lines;
    }
  }

  /** Returns the number of seed lines taken; 0: none are left. */
  async #admitBatch(crawlId: string): Promise<number> {
    const { pool, writer, admission, books, bells } = this.#dependencies;
    const id = Number(crawlId);
    const seeds = await nextSeeds(pool, id, batch);
    const [first] = seeds;
    const last = seeds.at(-1);
    if (first === undefined || last === undefined) return 0;
    const crawl = await books.crawls.open(id);
    const links = seeds.flatMap(({ url, rejected }): Candidate[] => {
      const link = canonicalize(url);
      if (rejected !== null || !link.ok) return [];
      return [candidate(crawl, link.value, { in: 'seed' })];
    });
    const { admitted, fresh } = await admission.store(writer, links);
    bells.ring('seeds', [...new Set(fresh.map(({ host_id: host }) => host))]);
    if (admitted < links.length) await this.#claim(crawl, links);
    const origins = [...new Set(links.map(({ link }) => link.host))];
    await retrying(() => askParkedHosts(pool, id, origins));
    const rejudged = await noteSeeded(pool, id, first.after, last.line, links.length);
    if (rejudged.length > 0) await this.#startEdit(crawlId);
    return seeds.length;
  }

  /** Marks URLs as seeds that the crawl already knows as links. */
  async #claim(crawl: OpenCrawl, seeds: readonly Candidate[]): Promise<void> {
    const { pool, wakeHosts } = this.#dependencies;
    const verdicts = await crawl.judge(seeds);
    const admitted = seeds.filter((_, at) => verdicts[at]?.verdict === 'admit');
    const known = admitted.map(({ link }) => ({
      origin: link.host,
      key: urlKey(link.canonical).toString('hex'),
    }));
    if (known.length === 0) return;
    const claimed = await retrying(() => claimSeeds(pool, crawl.id, JSON.stringify(known), seedPriority));
    wakeHosts(claimed.map(({ host_id }) => host_id));
  }
}
