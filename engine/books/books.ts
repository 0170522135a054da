/** What a process knows of crawls, hosts, opt-outs and robots.txt: one copy of each, whoever asks for it. */
import type { Pool } from '../../storage/pool.ts';
import type { CrawlSettings } from '../settings.ts';
import { CrawlBook } from './crawl-book.ts';
import { HostBook } from './host-book.ts';
import { OptOutBook } from './opt-out-book.ts';
import { RobotsBook } from './robots-book.ts';

export interface Books {
  readonly crawls: CrawlBook;
  readonly hosts: HostBook;
  readonly optOuts: OptOutBook;
  readonly robots: RobotsBook;
}

/**
 * @param urgent connections that no bulk work takes: what may stop requests (states of crawls, opt-outs) is read by them,
 * a few short statements a second in all
 */
export const openBooks = (
  pool: Pool,
  settings: Pick<CrawlSettings, 'userAgent' | 'allowPrivate' | 'shards'>,
  urgent: Pool = pool,
): Books => ({
  crawls: new CrawlBook(pool, settings, urgent),
  hosts: new HostBook(pool, settings.shards),
  optOuts: new OptOutBook(urgent),
  robots: new RobotsBook(pool),
});
