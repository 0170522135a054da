/**
 * The pages that `crawl` and `resume` write: on standard output while the crawl runs, at the pace of the reader, or to a
 * file once it is over.
 */
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pageList, pageView } from '../../contracts/http/results.ts';
import type { Api } from '../api/api.ts';
import { CommandError, exitCodes } from '../ending.ts';
import { aborted } from './interrupts.ts';
import type { OutFile } from '../output/out-file.ts';
import type { Outlast } from '../api/outages.ts';

const pollMs = 500;
const batch = 100;

/**
 * Each page once, in the order of the feed, one JSON object a line, until the crawl is closed and all its pages are
 * written. Waits for an API that is away. @returns false if the signal stopped it before that
 */
export async function writeLivePages(
  api: Api,
  crawlId: string,
  outlast: Outlast,
  signal: AbortSignal,
): Promise<boolean> {
  const stopped = aborted(signal);
  const feed = `/v1/crawls/${crawlId}/pages`;
  for (let cursor: string | undefined; !signal.aborted;) {
    const query = { cursor, limit: batch, fields: 'links,text' };
    const answer = await outlast(() => api.get(feed, pageList, query, { patienceMs: 0, signal }), signal);
    if (answer === null) return false;
    const lines = answer.items.map((page) => `${JSON.stringify(page)}\n`).join('');
    if (lines !== '' && !process.stdout.write(lines))
      await Promise.race([once(process.stdout, 'drain'), stopped]);
    if (answer.next === null) return true;
    cursor = answer.next;
    if (!answer.more) await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/**
 * All pages to a file. Waits for an API that is away. Answers how many pages were written. @throws CommandError, also if
 * the signal stopped it
 */
export const writeAllPages = (
  api: Api,
  crawlId: string,
  out: OutFile,
  outlast: Outlast,
  signal: AbortSignal,
): Promise<number> =>
  out.write(
    api.list(
      `/v1/crawls/${crawlId}/pages`,
      pageView,
      { limit: 1_000, fields: 'links,text' },
      {
        outlast: async (ask) => {
          const page = await outlast(ask, signal);
          if (page === null) throw new CommandError('Interrupted.', exitCodes.interrupted);
          return page;
        },
      },
    ),
  );

/*
 * Where the pages of a crawl are written (`--out`) is remembered in the data folder until the file is whole, so that
 * `resume` writes it too. The file always has each page once: it is written anew from the stored pages, and takes its
 * name only once it is complete.
 */

const noteOf = (dataDir: string, crawlId: string): string => path.join(dataDir, 'out-files', crawlId);

/** @param file as it was given, relative to the present folder or absolute */
export function rememberOut(dataDir: string, crawlId: string, file: string): void {
  const note = noteOf(dataDir, crawlId);
  mkdirSync(path.dirname(note), { recursive: true });
  writeFileSync(note, path.resolve(file));
}

/** Null: nothing is remembered. */
export function recallOut(dataDir: string, crawlId: string): string | null {
  try {
    return readFileSync(noteOf(dataDir, crawlId), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

export function forgetOut(dataDir: string, crawlId: string): void {
  rmSync(noteOf(dataDir, crawlId), { force: true });
}
