/** Links to known URLs: counted in the process, and turned into scores of URLs that wait (engine/admission/link-tally.ts). */
import { describe, expect, it, vi } from 'vitest';
import { LinkTally } from '../../../engine/admission/link-tally.ts';
import { openBooks } from '../../../engine/books/books.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { tables } from '../../support/database/index.ts';
import { admission, expectExact, keyOf, newHost, runningCrawl, withFrontier } from './frontier.ts';

const frontier = withFrontier();
const { pool } = frontier;
const books = openBooks(pool, { userAgent: 'Orbweaver/0.0', allowPrivate: [], shards: 1 });

const origin = 'https://linked.example';
const url = (name: string): string => `${origin}/${name}`;

interface Site {
  readonly crawl: number;
  readonly host: number;
  readonly priorities: (...names: readonly string[]) => Promise<number[]>;
}

/** A crawl that has found these pages of a host on the first of them. */
async function site(names: readonly string[], config = {}): Promise<Site> {
  const [host, crawl] = [await newHost(pool, origin), await runningCrawl(pool, config)];
  await frontier.writer.write({
    admissions: names.map((name, at) =>
      admission(host, crawl, url(name), {
        priority: at === 0 ? 1 : 0.3,
        ...(at === 0 ? { depth: 0 } : { parent_host: host, parent_key: keyOf(url(names[0] ?? '')) }),
      }),
    ),
  });
  const priorities = async (...wanted: readonly string[]): Promise<number[]> => {
    const rows = await tables.url.rows(pool, { crawl_id: crawl });
    return wanted.map((name) => rows.find((row) => row.url === url(name))?.priority ?? NaN);
  };
  return { crawl, host, priorities };
}

/** Tells a tally that so many pages of the host link to some of its URLs; each brings half a new score. */
async function linked(
  tally: LinkTally,
  { crawl, host }: Site,
  pages: number,
  to: readonly string[],
  from = 0,
): Promise<void> {
  const open = await books.crawls.open(crawl);
  for (let at = from; at < from + pages; at++)
    tally.note(
      open,
      { crawl_id: crawl, host_id: host, origin, key: keyOf(`page ${String(at)}`) },
      to.map(url),
    );
}

describe('the tally of links', () => {
  it('lifts the URLs with the most links, one for every two pages that were read', async () => {
    const of = await site(['seed', 'often', 'twice', 'never']);
    const tally = new LinkTally(pool, books, { everyMs: 0 });
    await linked(tally, of, 2, ['often', 'twice']);
    await linked(tally, of, 2, ['outside']);
    await tally.flush();
    await linked(tally, of, 40, ['often']);
    await tally.flush();
    const [often = 0, twice = 0, never = 0] = await of.priorities('often', 'twice', 'never');
    expect(often).toBeGreaterThan(twice);
    expect(twice).toBeGreaterThan(0.3);
    expect(never).toBeCloseTo(0.3);
    await expectExact(pool, of.crawl);

    const told = await explainUrlOf(pool, String(of.crawl), url('often'), 'Orbweaver/0.0');
    const because = told?.decisions.find(({ step }) => step === 'priority')?.because;
    expect(because).toMatch(
      /^Its score is 0\.\d+: .* from a seed, where the page that names it has 1, .* links from about \d\d pages of its host/,
    );
    expect(because).not.toMatch(/would be/);
  });

  it('of more than may be lifted takes those with the most links', async () => {
    const few = ['c', 'd', 'e', 'f', 'g', 'h'];
    const of = await site(['seed', 'a', 'b', ...few]);
    const tally = new LinkTally(pool, books, { everyMs: 0 });
    await linked(tally, of, 2, few);
    await linked(tally, of, 4, ['a', 'b'], 2);
    await linked(tally, of, 6, ['b'], 6);
    await tally.flush();
    const lifted = (await of.priorities('a', 'b', ...few)).map((priority) => priority > 0.31);
    expect(lifted.slice(0, 2)).toEqual([true, true]);
    // Six, for twelve pages.
    expect(lifted.filter(Boolean)).toHaveLength(6);
  });

  it('counts links from distinct hosts, each once, and adds up what several processes have met', async () => {
    const of = await site(['seed', 'a', 'b'], { priority: { inbound: 1 } });
    const open = await books.crawls.open(of.crawl);
    const from = (tally: LinkTally, host: number, to: readonly string[]): void => {
      for (let page = 0; page < 4; page++)
        tally.note(
          open,
          {
            crawl_id: of.crawl,
            host_id: host,
            origin: `https://${String(host)}.example`,
            key: keyOf(String(page)),
          },
          to.map(url),
        );
    };
    for (const hosts of [
      [1001, 1002, 1003],
      [1003, 1004, 1005, 1006],
    ]) {
      const tally = new LinkTally(pool, books, { everyMs: 0 });
      for (const host of hosts) from(tally, host, ['a']);
      from(tally, 1001, ['b']);
      await tally.flush();
    }
    const [a = 0, b = 0] = await of.priorities('a', 'b');
    // Six hosts, and no count of b has grown enough for a new score.
    expect(a).toBeCloseTo(Math.log2(7) / Math.log2(257), 1);
    expect(b).toBeCloseTo(0.3);
  });

  it('leaves alone what does not wait any more, has failed or is a seed', async () => {
    const of = await site(['seed', 'leased', 'failed', 'asked-for', 'waits']);
    const change = (name: string, columns: object): Promise<unknown> =>
      tables.url.change(pool, { crawl_id: of.crawl, url: url(name) }, columns);
    await change('leased', { state: 'leased' });
    await change('failed', { priority: -3.5 });
    await change('asked-for', { seed: true });
    const tally = new LinkTally(pool, books, { everyMs: 0 });
    await linked(tally, of, 20, ['leased', 'failed', 'asked-for', 'waits']);
    await tally.flush();
    const [leased, failed, asked, waits] = await of.priorities('leased', 'failed', 'asked-for', 'waits');
    expect([leased, failed, asked].map((priority) => priority?.toFixed(2))).toEqual([
      '0.30',
      '-3.50',
      '0.30',
    ]);
    expect(waits).toBeGreaterThan(0.3);
    expect(await tables.linkCount.rows(pool, { crawl_id: of.crawl })).toHaveLength(1);
  });

  it('asks nothing of the database between flushes, and two statements in one, however many links there are', async () => {
    const of = await site(['seed', ...Array.from({ length: 50 }, (_, at) => `p${String(at)}`)]);
    const queries = vi.spyOn(pool, 'query');
    const tally = new LinkTally(pool, books, { everyMs: 0 });
    await linked(
      tally,
      of,
      200,
      Array.from({ length: 50 }, (_, at) => `p${String(at)}`),
    );
    const links = (): unknown[] =>
      queries.mock.calls
        .map(([query]: readonly unknown[]) => (query as { readonly name?: string }).name)
        .filter((name) => name === 'add-links' || name === 'rescore-urls');
    expect(links()).toEqual([]);
    await tally.flush();
    expect(links()).toEqual(['add-links', 'rescore-urls']);
    await tally.flush();
    expect(links()).toHaveLength(2);
    queries.mockRestore();
  });

  it('lifts a URL to which a later link promises more of the crawl’s focus', async () => {
    const of = await site(['seed', 'a', 'b'], { focus: { words: ['solar'], examples: [] } });
    const open = await books.crawls.open(of.crawl);
    const tally = new LinkTally(pool, books, { everyMs: 0 });
    const page = (name: string, promises: ReadonlyMap<string, number>): void =>
      tally.note(
        open,
        { crawl_id: of.crawl, host_id: of.host, origin, key: keyOf(name) },
        [url('a'), url('b')],
        promises,
      );
    page('one', new Map([url('a'), url('b')].map((name) => [name, 0.2])));
    page('two', new Map([[url('a'), 0.9]]));
    await tally.flush();
    const [a = 0, b = 0] = await of.priorities('a', 'b');
    expect(a).toBeGreaterThan(0.7);
    expect(b).toBeCloseTo(0.3);
    const told = await explainUrlOf(pool, String(of.crawl), url('a'), 'Orbweaver/0.0');
    expect(told?.decisions.find(({ step }) => step === 'priority')?.because).toMatch(/focus, 0\.9\./);
  });

  it('counts nothing for a crawl whose scores do not depend on links', async () => {
    const of = await site(['seed', 'a'], { priority: { depth: 1 } });
    const tally = new LinkTally(pool, books, { everyMs: 0 });
    await linked(tally, of, 50, ['a']);
    await tally.flush();
    expect(await of.priorities('a')).toEqual([expect.closeTo(0.3)]);
    expect(await tables.linkCount.rows(pool, { crawl_id: of.crawl })).toEqual([]);
  });
});
