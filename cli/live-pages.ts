/** Pages of a crawl on standard output while it runs, at the pace of the reader. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { readPages, type PagesAnswer, type PagesRequest, type TextReader } from '../storage/pages/index.ts';
import { type Pool, isStorageOutage } from '../storage/postgres/index.ts';
import { aborted } from './interrupts.ts';

/** The file name that means standard output. */
export const standardOutput = '-';

const pollMs = 500;
const batch = 100;

/**
 * Each page once, in the order of the feed, one JSON object a line, until the crawl is closed and all its pages are
 * written. Waits for a Postgres that is away. @returns false if the signal stopped it before that
 */
export async function writeLivePages(
  pool: Pool,
  crawlId: string,
  textOf: TextReader,
  signal: AbortSignal,
): Promise<boolean> {
  const stopped = aborted(signal);
  for (let cursor: string | null = null; !signal.aborted;) {
    const request: PagesRequest = { cursor, limit: batch, fields: ['links', 'text'] };
    const answer: PagesAnswer | string | null = await readPages(pool, crawlId, request, textOf).catch(
      (error: unknown) => {
        if (isStorageOutage(error)) return null;
        throw error;
      },
    );
    if (typeof answer === 'string')
      throw new Error(`the pages of crawl ${crawlId} cannot be read: ${answer}`);
    if (answer !== null) {
      const lines = answer.items.map((page) => `${JSON.stringify(page)}\n`).join('');
      if (lines !== '' && !process.stdout.write(lines))
        await Promise.race([once(process.stdout, 'drain'), stopped]);
      if (answer.next === null) return true;
      cursor = answer.next;
    }
    if (answer?.more !== true) await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
