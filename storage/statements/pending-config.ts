import type { CrawlConfig } from '../../contracts/crawl.ts';
import type { CrawlStands } from '../../domain/crawl-life.ts';
import { statement } from '../statement.ts';

export interface PendingConfig extends CrawlStands {
  readonly version: number;
  readonly config: Partial<CrawlConfig>;
  readonly rereads: boolean;
  /** How far the job has come (storage/crawl-edits.ts); null: not begun. */
  readonly place: string | null;
  /** Of the crawl's seeds, which its scope goes by. */
  readonly seeds_revision: number;
}

/** The version by which a crawl's frontier is still to be judged; none: all of it has been. */
export const pendingConfig = statement<[crawlId: string], PendingConfig>(
  'pending-config',
  `select v.version, v.config, v.rereads, v.place, c.state, c.cause, c.reason, c.seeds_revision
     from crawl_config v join crawl c on c.id = v.crawl_id
    where v.crawl_id = $1 and v.state = 'pending'`,
);
