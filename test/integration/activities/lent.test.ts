/** Slices of ours at hosts that are lent to a foreign fetcher (F37): they wait, and nobody counts that as trouble. */
import { expect, it, onTestFinished } from 'vitest';
import pino from 'pino';
import { noCaps } from '../../../engine/caps/cap-book.ts';
import { lend, type Loan } from '../../../engine/lending/lend.ts';
import { LendingContext } from '../../../engine/lending/context.ts';
import { settle, type Report } from '../../../engine/lending/settle.ts';
import { expectExact } from '../storage/frontier.ts';
import { hostRow, tables } from '../../support/database/index.ts';
import { lateStatement } from '../../support/late-statement.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { gaps, startSite } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;
const woken: string[] = [];

const context = new LendingContext({
  pool,
  log: pino({ level: 'silent' }),
  wakeHost: (origin) => {
    woken.push(origin);
    return Promise.resolve();
  },
  userAgent: 'Orbweaver/0.0',
  shards: 1,
  caps: noCaps,
});

const borrow = (crawl: number, toldMs = 22_500): Promise<Loan | null> =>
  lend(context, {
    ...{ tenantId: 1, shards: [0], crawlId: String(crawl), fetcherId: 'test', batchSize: 10, toldMs },
  });
const report = (url: string, over: Partial<Report> = {}): Report => ({
  ...{ url, status: 200, contentHash: null, retryAfterSeconds: null, location: null, error: null },
  ...over,
});

/** A site whose robots.txt a slice of ours has read, with pages queued. */
async function known(delaySeconds: number, ...paths: readonly string[]) {
  const site = await startSite();
  const crawl = await fetching.crawl({ delaySeconds });
  const host: HostRow = await fetching.host(site.origin);
  await fetching.queue(crawl, host, '/first');
  await fetching.role().fetchSlice(host);
  await fetching.queue(crawl, host, ...paths);
  onTestFinished(() => expectExact(pool, crawl).then(() => undefined));
  return { site, crawl, host };
}

it('a slice leaves a host alone that is lent, says until when, and is woken when it comes back', async () => {
  const { site, crawl, host } = await known(0, '/a', '/b');
  const loan = await borrow(crawl, 90_000);
  expect(loan?.urls.map(({ url }) => url)).toEqual([`${site.origin}/a`]);
  const slice = await fetching.role().fetchSlice(host);
  expect(slice).toMatchObject({ fetched: 0, next: 'wait', lastError: null, closedBy: 'lent' });
  expect(slice.waitMs).toBeGreaterThan((await hostRow(pool, host.hostId)).lease_until_ms);
  expect(site.paths()).toEqual(['/robots.txt', '/first']);
  await settle(context, 1, loan?.id ?? '', [report(`${site.origin}/a`)]);
  expect(woken).toContain(site.origin);
  await fetching.role().fetchSlice(host);
  expect(site.paths()).toEqual(['/robots.txt', '/first', '/b']);
});

it('the delay counts from the report, and a full one from a loan that ran out', async () => {
  const { site, crawl, host } = await known(0.5, '/a', '/b', '/c');
  await expect.poll(async () => (await borrow(crawl))?.urls.length ?? 0, { interval: 50 }).toBe(1);
  const [lent] = await tables.lentUrl.rows(pool, { crawl_id: crawl, settled_at: null });
  const { batch_id: id = '', url = '' } = lent ?? {};
  // What the fetcher itself sends.
  await (await fetch(url)).text();
  await settle(context, 1, id, [report(url)]);
  await fetching.role({ sliceMs: 300 }).fetchSlice(host);
  await expect
    .poll(async () => (await fetching.role({ sliceMs: 800 }).fetchSlice(host)).next)
    .not.toBe('wait');
  for (const gap of gaps(site).slice(1)) expect(gap).toBeGreaterThanOrEqual(495);

  await fetching.queue(crawl, host, '/d');
  await expect.poll(async () => (await borrow(crawl, 450))?.urls.length ?? 0, { interval: 50 }).toBe(1);
  // By the database's clock, which is read after ours: it ran out no sooner.
  const before = performance.now();
  const runsOut = before + (await hostRow(pool, host.hostId)).lease_until_ms;
  await (await fetch(`${site.origin}/${String(site.hits.length)}`)).text();
  await expect
    .poll(async () => (await fetching.role().fetchSlice(host)).next, { interval: 50 })
    .not.toBe('wait');
  const [, last] = [...site.hits].slice(-2);
  expect(last?.at).toBeGreaterThan(runsOut + 490);
});

it('a host comes back only once the trouble that was reported is stored', async () => {
  const { site, crawl, host } = await known(0, '/a', '/b');
  const loan = await borrow(crawl);
  let isFree = true;
  lateStatement(pool, 'hold-turns', async () => {
    // The rest of a report is some ten statements: it would be through by then.
    let token: unknown = null;
    for (let looks = 0; looks < 30; looks++) token = (await hostRow(pool, host.hostId)).lease_token;
    isFree = token === null;
  });
  const down = { status: null, error: 'connect-timeout' };
  await settle(context, 1, loan?.id ?? '', [report(`${site.origin}/a`, down)]);
  expect(isFree).toBe(false);
});

it('what a fetcher found down, our own slices know', async () => {
  const { site, crawl, host } = await known(0, '/a', '/b');
  const loan = await borrow(crawl);
  const settledAt = performance.now();
  await settle(context, 1, loan?.id ?? '', [
    report(`${site.origin}/a`, { status: null, error: 'connect-timeout' }),
  ]);
  const slice = await fetching.role({ sliceMs: 1_000 }).fetchSlice(host);
  expect(slice).toMatchObject({ fetched: 0, next: 'wait' });
  expect(slice.waitMs + performance.now() - settledAt).toBeGreaterThan(4_000);
});
