/** What becomes evidence about traps (engine/traps/trap-watch.ts). */
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import type { Extracted } from '../../contracts/extraction.ts';
import { TrapWatch } from '../../engine/traps/trap-watch.ts';
import type { OpenCrawl } from '../../engine/books/crawl-book.ts';
import type { StagedBody } from '../../storage/pages/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';

const extracted = {
  text: 'some words',
  whole: { text: 'some words', words: 2 },
  title: null,
  links: [],
  pictures: [],
} as unknown as Extracted;
const staged = (at: number, fetches: number): StagedBody =>
  ({
    ...{ host_id: 1, crawl_id: 1, kind: 0, fetches, url: `https://a.example/c/${String(at)}` },
    content_hash: Buffer.alloc(32, at),
  }) as unknown as StagedBody;
const crawl = (keepFresh: object | null, watches = true): OpenCrawl =>
  ({ id: 1, quarantine: watches ? {} : null, config: { keepFresh } }) as unknown as OpenCrawl;

/** Reads as many pages as are added together; says whether they reached the database. */
async function reaches(of: OpenCrawl, fetches: number): Promise<boolean> {
  let asked = false;
  const pool = {
    connect: () => {
      asked = true;
      return Promise.reject(new Error('asked'));
    },
  } as unknown as Pool;
  const hosts = { idOf: () => Promise.resolve(9) };
  const crawls = { open: () => Promise.resolve(of) };
  const watch = new TrapWatch({ pool, log: pino({ level: 'silent' }) }, { crawls, hosts });
  for (let at = 0; at < 64; at++) watch.read(of, staged(at, fetches), extracted, []);
  await watch.save().catch(() => undefined);
  return asked;
}

describe('pages are evidence', () => {
  it('when they are read', async () => {
    expect(await reaches(crawl(null), 1)).toBe(true);
    // After an answer that failed.
    expect(await reaches(crawl(null), 2)).toBe(true);
    expect(await reaches(crawl({}), 1)).toBe(true);
  });

  it('but not when a standing crawl reads them again, as they say what they said before', async () => {
    expect(await reaches(crawl({}), 2)).toBe(false);
  });

  it('and not in a crawl that does not look for traps', async () => {
    expect(await reaches(crawl(null, false), 1)).toBe(false);
  });
});
