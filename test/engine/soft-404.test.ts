/** When a host is asked for a made-up path (engine/soft-404/). */
import pino from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import type { Extracted } from '../../contracts/extraction.ts';
import type { Admission } from '../../engine/admission/admission.ts';
import type { OpenCrawl } from '../../engine/books/crawl-book.ts';
import { Soft404 } from '../../engine/soft-404/soft-404.ts';
import type { StagedBody } from '../../storage/pages/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';

afterEach(() => {
  vi.useRealTimers();
});

const text = 'words that a page has '.repeat(8);
const extracted = {
  ...{ title: 'A page', text, words: 40 },
  whole: { text, words: 40 },
} as unknown as Extracted;
const crawl = { id: 1, config: { soft404: true } } as unknown as OpenCrawl;
const staged = (folder: string, at: number): StagedBody =>
  ({
    ...{ host_id: 1, crawl_id: 1, kind: 0, origin: 'https://a.example', key: '00', depth: 1, priority: 1 },
    url: `https://a.example/${folder}/p${String(at)}`,
  }) as unknown as StagedBody;

it('a folder counts as asked about only if no other process of the crawl asked the host today', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  let isFree = false;
  const claims: boolean[] = [];
  const made: string[] = [];
  const pool = {
    query: () => {
      claims.push(isFree);
      return Promise.resolve({ rows: isFree ? [{ host_id: 1 }] : [] });
    },
  } as unknown as Pool;
  const admission = {
    store: (_: unknown, found: readonly { readonly link: { readonly url: string } }[]) => {
      made.push(...found.map(({ link }) => new URL(link.url).pathname));
      return Promise.resolve();
    },
  } as unknown as Admission;
  const parts = { pool, log: pino({ level: 'silent' }) } as unknown as ConstructorParameters<
    typeof Soft404
  >[0];
  const crawls = { open: () => Promise.resolve(crawl), forget: () => undefined };
  const soft404 = new Soft404(parts, crawls, admission);
  const read = async (folder: string): Promise<void> => {
    for (let at = 0; at < 4; at++) await soft404.ask(crawl, staged(folder, at), extracted);
  };
  await read('tales');
  expect([claims, made]).toEqual([[false], []]);
  // Once an hour it is tried again, until the day is over.
  await read('tales');
  expect(claims).toEqual([false]);
  isFree = true;
  vi.advanceTimersByTime(3_600_001);
  await read('tales');
  expect(made).toEqual([expect.stringMatching(/^\/tales\/[a-z]{16}$/)]);
  vi.advanceTimersByTime(3_600_001);
  await read('tales');
  expect(made).toHaveLength(1);
});
