/** Seeds become part of the frontier (F01), however many there are. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { canonicalize, type CanonicalUrl } from '../../../domain/url.ts';
import { defaultCrawlConfig } from '../../../contracts/crawl.ts';
import { crawlOutlook } from '../../../storage/crawls/index.ts';
import { createCrawl } from '../../../storage/starting/index.ts';
import { inTransaction, type Queryable } from '../../../storage/postgres/index.ts';
import { isWithin, storeSeeds, readSeeds, seededSites, nextSeeds } from '../../../storage/seeds/index.ts';
import { addHosts, addUrls, changeCrawl, tables, tidyTables } from '../../support/database/index.ts';
import { planOf } from '../../support/plans.ts';
import { makeBlobDir } from '../../support/worker.ts';
import { withWorld, withPool } from '../../support/world.ts';
import { expectExact, runningCrawl } from '../storage/frontier.ts';

const world = withWorld();
const pool = withPool(world, 4);

/** Megabytes of heap: 52 that the parts of a worker take, and 12. All seeds that are admitted come to 40. */
const heapMb = 64;

it(
  'a process admits seeds in memory that does not grow with those there are',
  { tags: ['long'] },
  async () => {
    const many = 60_000;
    const left = 6_000;
    const crawl = await runningCrawl(pool, {}, ['https://many.example/']);
    const places = Array.from({ length: many }, (_, at) => String(at + 1));
    // In parts, each of which a busy machine takes in before the pool gives it up.
    for (let from = 0; from < many; from += 10_000) {
      await tables.seed.addAll(
        pool,
        places.slice(from, from + 10_000).map((n) => ({
          crawl_id: crawl,
          line: 1 + Number(n),
          // Those that are admitted come to 40 MB: of few rows, which cost more than what stands in them.
          url: `https://many.example/${'a/page/of/a/long/name/'.repeat(Number(n) > many - left ? 1 : 33)}${n}`,
        })),
      );
    }
    await changeCrawl(pool, crawl, { seeded_line: 1 + many - left, seeds_taken: 1 + many - left });
    const script = fileURLToPath(new URL('seeding-process.ts', import.meta.url));
    const child = spawn(process.execPath, [`--max-old-space-size=${String(heapMb)}`, script, String(crawl)], {
      env: {
        ...{ PATH: process.env['PATH'], HOME: process.env['HOME'] },
        ORBWEAVER_DATABASE_URL: world.databaseUrl,
        ORBWEAVER_TEMPORAL_ADDRESS: world.temporalAddress,
        ORBWEAVER_BLOBS: makeBlobDir(),
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (text: Buffer) => (output += text.toString()));
    await once(child, 'close');
    expect(output).toBe('admitted\n');
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: left, queued: left });
    // The next ones are found by their place, and nothing is gone over that was admitted.
    await changeCrawl(pool, crawl, { seeded_line: many - 10 });
    for (const look of [
      (db: Queryable) => nextSeeds(db, crawl, 5),
      (db: Queryable) => crawlOutlook(db, crawl),
    ]) {
      const nodes = (await planOf(pool, look)).filter((node) => node['Relation Name'] === 'seed');
      const walked = nodes.map((node) => (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0));
      expect(walked.length).toBeGreaterThan(0);
      expect(Math.max(...walked)).toBeLessThanOrEqual(5);
    }
    expect(await tables.crawl.row(pool, { id: crawl })).toMatchObject({
      seeds_accepted: many + 1,
      seeds_taken: many + 1,
    });
  },
);

it('a crawl of more seeds than one statement may store has them all, in their order', async () => {
  const many = 45_000;
  const seeds = readSeeds(Array.from({ length: many }, (_, n) => `https://listed.example/${String(n)}`));
  const sizes: number[] = [];
  const id = await inTransaction(pool, (db) => {
    const noting = {
      query: (question: { text: string; values: (string | number | null)[] }) => {
        sizes.push(Math.max(...question.values.map((value) => String(value).length)));
        return db.query(question);
      },
    };
    return createCrawl(noting as unknown as Queryable, defaultCrawlConfig, seeds);
  });
  expect(Math.max(...sizes)).toBeLessThan(JSON.stringify(seeds).length / 2);
  expect(await tables.crawl.row(pool, { id })).toMatchObject({ seeds_accepted: many });
  const stored = await tables.seed.rows(pool, { crawl_id: id });
  expect(stored.filter(({ line, url }) => url === `https://listed.example/${String(line - 1)}`)).toHaveLength(
    many,
  );
});

it('whether a site has a seed is told by one of its seeds, however many a crawl has', async () => {
  const crawl = await runningCrawl(pool);
  const made = await addHosts(pool, 200, (n) => `https://seeded-${String(n)}.example`);
  await addUrls(
    pool,
    crawl,
    made.flatMap((id) =>
      Array.from({ length: 100 }, (_, page) => ({
        ...{ host_id: id, url: `https://x.example/${String(id)}/${String(page)}` },
        ...{ seed: true, depth: 0 },
      })),
    ),
  );
  await tidyTables(pool, 'host', 'url');
  const ask = (db: Queryable) =>
    seededSites(
      db,
      JSON.stringify([
        {
          host_id: made[7],
          crawl_id: crawl,
          origins: ['http://seeded-7.example', 'https://seeded-7.example'],
        },
      ]),
    );
  expect(await ask(pool)).toHaveLength(1);
  const read = (await planOf(pool, ask)).filter((node) => node['Relation Name'] === 'url');
  expect(read.map((node) => node['Actual Rows'])).toEqual([1]);
});

const link = (url: string): CanonicalUrl => {
  const read = canonicalize(url);
  if (!read.ok) throw new Error(`${url} was rejected`);
  return read.value;
};

it.each([
  ['host', [true, true, false, false, false]],
  ['domain', [true, true, true, false, false]],
  ['prefix', [true, false, false, false, false]],
  ['any', [true, true, true, true, true]],
] as const)('a scope %s is asked of the places that seeds lie in', async (scope, expected) => {
  const crawl = await runningCrawl(pool, {}, ['https://www.shop.example/docs/intro', 'not a url']);
  const asked = [
    'http://shop.example/docs/a/b',
    'https://shop.example/about',
    'https://blog.shop.example/',
    'https://shop.example:8443/docs/',
    'https://other.example/docs/',
  ].map(link);
  expect(await isWithin(pool, crawl, scope, asked)).toEqual(expected);
});

it('a link is judged by a seed as soon as that is stored, whatever was answered before', async () => {
  const crawl = await runningCrawl(pool);
  const known = new Set<string>();
  const asked = [link('https://late.example/a'), link('https://seed.example/b')];
  expect(await isWithin(pool, crawl, 'host', asked, known)).toEqual([false, true]);
  expect(await storeSeeds(pool, 1, String(crawl), readSeeds(['https://late.example/']))).toMatchObject({
    kind: 'added',
  });
  expect(await isWithin(pool, crawl, 'host', asked, known)).toEqual([true, true]);
});
