/**
 * What is repeated over the pages of hosts, for the pages that are being read: known of each host for some seconds, and
 * for good once its hundred pages were counted. A crawl that keeps all text has no statement and no entry here.
 */
import type { Extracted } from '../../contracts/extraction.ts';
import { countBlocks, findBlocks, type KnownBlocks } from '../../storage/boilerplate/index.ts';
import type { StagedBody } from '../../storage/pages/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { lastUsed } from '../last-used.ts';

const freshMs = 5_000;
const all: KnownBlocks = { marks: new Set(), isFull: true };

interface Read {
  readonly crawl: OpenCrawl;
  readonly staged: StagedBody;
  readonly extracted: Extracted;
}

export class RepeatedBlocks {
  readonly #pool: Pool;
  readonly #known = lastUsed<string, KnownBlocks>(2_000);

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async of({ id, config }: OpenCrawl, { origin }: StagedBody): Promise<KnownBlocks> {
    if (config.boilerplate === 'keep') return all;
    const name = `${String(id)} ${origin}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = await findBlocks(this.#pool, String(id), origin);
    this.#known.set(name, found, found.isFull ? {} : { ttl: freshMs });
    return found;
  }

  /** Counts pages that were committed, those with texts that are new. */
  async count(pages: readonly Read[]): Promise<void> {
    const counted = pages.filter(
      ({ staged, extracted: { blocks } }) => staged.fetches <= 1 && blocks !== null && blocks.length > 0,
    );
    const ofHosts = Map.groupBy(
      counted,
      ({ crawl, staged }) => `${String(crawl.id)} ${String(staged.host_id)}`,
    );
    for (const some of ofHosts.values()) {
      const [{ crawl, staged }] = some as [Read];
      const blocks = some.map(({ extracted }) => extracted.blocks ?? []);
      await countBlocks(this.#pool, staged.host_id, crawl.id, blocks);
    }
  }
}
