/** What the API is made of; tests hand in their own. */
import type { Logger } from 'pino';
import type { Pool } from '../storage/pool.ts';
import type { CrawlControl } from './crawl-control.ts';

export interface Dependencies {
  readonly pool: Pool;
  readonly control: CrawlControl;
  readonly log: Logger;
  readonly settings: ApiSettings;
}

interface ApiSettings {
  readonly version: string;
  /** User agent of workers where a crawl names none: what explain judges robots.txt for. */
  readonly userAgent: string;
  /** Host names the API answers for, besides addresses and localhost. */
  readonly hostNames: readonly string[];
  /** Requests one address may send within ten seconds. */
  readonly requestsPer10s: number;
}
