/** What a process knows about crawls, hosts, opt-outs and robots.txt: one copy of each for all its work. */
import type { Pool } from '../../storage/postgres/index.ts';
import type { CrawlSettings } from '../settings.ts';
import { CrawlBook } from './crawl-book.ts';
import { HostBook } from './host-book.ts';
import { OptOutBook } from './opt-out-book.ts';
import { QualityBook } from './esteem-books.ts';
import { RankBook } from './esteem-books.ts';
import { RobotsBook } from './robots-book.ts';

export interface Books {
  readonly crawls: CrawlBook;
  readonly hosts: HostBook;
  readonly optOuts: OptOutBook;
  readonly ranks: RankBook;
  readonly qualities: QualityBook;
  readonly robots: RobotsBook;
}

/**
 * @param urgent connections that no bulk work uses. They read what may stop requests (states of crawls, opt-outs), with
 * a few short statements a second in all.
 */
export const openBooks = (
  pool: Pool,
  settings: Pick<CrawlSettings, 'userAgent' | 'allowPrivate' | 'shards'>,
  urgent: Pool = pool,
): Books => ({
  crawls: new CrawlBook(pool, settings, urgent),
  hosts: new HostBook(pool, settings.shards),
  optOuts: new OptOutBook(urgent),
  ranks: new RankBook(pool),
  qualities: new QualityBook(pool),
  robots: new RobotsBook(pool),
});
