/** What a crawl waits for, how long it takes, and its time without its pauses (G14). */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CrawlView } from '../../../contracts/http/crawls.ts';
import type { CrawlTimeView } from '../../../contracts/http/crawl-time.ts';
import type { CrawlHost } from '../../../contracts/http/crawl-hosts.ts';
import type { CrawlOutlookView } from '../../../contracts/http/outlook.ts';
import { noteLoads, noteOutages, noteWorker } from '../../../storage/instance/index.ts';
import { runCli } from '../../cli/run-cli.ts';
import {
  addHosts,
  addUrl,
  addUrls,
  changeCrawl,
  changeHost,
  fromNow,
  hadSettings,
  hostIdOf,
  longAgo,
  setState,
  tables,
  type HostColumns,
  type CrawlColumns,
} from '../../support/database/index.ts';
import { newCrawl, withApi } from './world.ts';

const { pool, api } = withApi();

async function get<T>(path: string): Promise<T> {
  const response = await fetch(api.url + path);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}
const outlook = (id: string, query = ''): Promise<CrawlOutlookView> =>
  get(`/v1/crawls/${id}/outlook${query}`);
async function running(): Promise<string> {
  const id = await newCrawl(pool, { delaySeconds: 2 });
  await changeCrawl(pool, id, { seeded_line: 1_000 });
  await setState(pool, id, 'running', null);
  return id;
}
async function host(
  crawl: string,
  name: string,
  urls: number,
  columns: HostColumns = { failures: 0 },
): Promise<string> {
  const origin = `https://${name}-${crawl}.example`;
  for (let at = 0; at < urls; at++) await addUrl(pool, crawl, `${origin}/${String(at)}`);
  await changeHost(pool, origin, columns);
  return origin;
}
const inAnHour = fromNow(3_600);

describe('GET /v1/crawls/{crawlId}/outlook', () => {
  it('names the hosts that are waited for, why and until when, and the one that takes longest', async () => {
    const id = await running();
    const parked = await host(id, 'parked', 9, { parked_at: fromNow(), last_error: 'tls: expired' });
    const failed = { failures: 2, last_error: 'server-errors: answered 500' };
    const backoff = await host(id, 'backoff', 3, { ...failed, not_before: inAnHour });
    const closed = await host(id, 'closed', 2, { closed_until: inAnHour });
    const slow = await host(id, 'slow', 1, { not_before: inAnHour, paced_until: inAnHour });
    await hadSettings(pool, await host(id, 'short', 1), { delaySeconds: 0.1 });
    const long = await host(id, 'long', 4, { base_delay_ms: 3_000, slowdown: 1 });
    expect(await outlook(id)).not.toHaveProperty('parked');
    const now = await outlook(id, '?fields=parked');
    expect(now).toMatchObject({ state: 'running', onlyWaiting: false, waiting: { hosts: 4 } });
    expect(now.waiting.items.map(({ origin, why, queued }) => [origin, why, queued])).toEqual([
      [backoff, 'backoff', 3],
      [closed, 'closed', 2],
      [slow, 'delay', 1],
      [parked, 'parked', 9],
    ]);
    expect(now.waiting.items[0]?.lastError).toBe('server-errors: answered 500');
    expect(Date.parse(now.waiting.items[0]?.until ?? '') - Date.now()).toBeGreaterThan(3_500_000);
    expect(now.waiting.items[3]?.until).toBeNull();
    const tried = { origin: parked, why: 'parked', lastError: 'tls: expired' };
    expect(now.parked).toEqual([{ ...tried, queued: 9 }]);
    const { items } = await get<{ readonly items: readonly CrawlHost[] }>(`/v1/crawls/${id}/hosts`);
    expect(items.map(({ origin, urls, waits }) => [origin, urls, waits])).toEqual([
      ...[[parked, 9, 'parked'], [backoff, 3, 'backoff'], [closed, 2, 'closed'], [slow, 1, null]],
      ...[[`https://short-${id}.example`, 1, null], [long, 4, null]],
    ]); // prettier-ignore
    expect(items[0]).toMatchObject({ domain: new URL(parked).hostname, queued: 9, leased: 0 });
    expect((await outlook(id, '?limit=1')).waiting).toMatchObject({ hosts: 4, items: [{ why: 'backoff' }] });
    // The crawl is over when the host is done that takes longest: one that may be asked in an hour.
    expect(now.eta?.seconds).toBeGreaterThan(3_590);
    const { eta } = await get<CrawlTimeView>(`/v1/crawls/${id}/time`);
    expect(Math.abs((eta?.seconds ?? 0) - (now.eta?.seconds ?? 0))).toBeLessThan(10);
    expect([now.eta?.by, eta?.by]).toEqual(['host', 'host']);
    for (const origin of [backoff, closed, slow])
      await changeHost(pool, origin, {
        ...{ failures: 0, not_before: longAgo, paced_until: longAgo, closed_until: longAgo },
      });
    const open = await outlook(id);
    expect(open.eta?.seconds).toBeCloseTo(24, 0);
    expect(open.eta?.because).toContain(`${long} takes longest`);
    // A crawl that is over waits for nothing; whoever looks at it still learns which hosts were parked.
    await tables.url.change(pool, { crawl_id: id }, { state: 'excluded' });
    await setState(pool, id, 'cancelled', null);
    const over = await outlook(id, '?fields=parked');
    expect({ ...over.waiting, parked: over.parked }).toEqual({
      hosts: 0,
      items: [],
      parked: [{ ...tried, queued: 0 }],
    });
  });

  it('says when only hosts that wait are left, URLs that are due later among them', async () => {
    const id = await running();
    await host(id, 'backoff', 2, { failures: 1, not_before: inAnHour, last_error: 'overloaded: 503' });
    const well = await hostIdOf(pool, await host(id, 'well', 1));
    expect(await outlook(id)).toMatchObject({ onlyWaiting: false, waiting: { hosts: 1 } });
    await tables.url.change(pool, { host_id: well }, { due_at: inAnHour });
    const now = await outlook(id);
    expect(now).toMatchObject({ onlyWaiting: true, waiting: { hosts: 2 } });
    expect(now.waiting.items.map(({ why }) => why)).toEqual(['backoff', 'retry']);
    await tables.url.change(pool, { crawl_id: id }, { state: 'leased' });
    expect(await outlook(id)).toMatchObject({ onlyWaiting: false, waiting: { hosts: 0 } });
  });

  it('is told by status', async () => {
    const id = await running();
    const failed = { failures: 1, last_error: 'server-errors: answered 500' };
    const bad = await host(id, 'bad', 2, { ...failed, not_before: inAnHour });
    const gone = await host(id, 'gone', 1, { parked_at: fromNow(), last_error: 'connect-refused: no' });
    await host(id, 'well', 5);
    const { stdout, code } = await runCli(['status', id, '--server', api.url, '--key', api.key]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`waiting +${bad} until .* \\(server-errors: answered 500\\), 2 URLs\n`),
    );
    expect(stdout).toContain(`try it again with: ./orbweaver host retry ${gone}\n`);
    expect(stdout).toContain('  hosts         3: 1 waiting, 1 parked\n');
    expect(stdout).toMatch(/left +about (59:\d\d min|1:00:\d\d h), if no further links are found\n/);
    expect(stdout).toContain(`${bad} takes longest`);
  });
});

it('an outage is shown by all that people and programs ask, until it is over or its process is gone', async () => {
  const id = await running();
  const origin = await host(id, 'out', 3);
  await changeCrawl(pool, id, { started_at: fromNow(-90_000) });
  await tables.queue.change(pool, { crawl_id: id }, { work_at: fromNow(-1_000) });
  const [worker, other] = [randomUUID(), randomUUID()];
  for (const each of [worker, other]) {
    await noteWorker(pool, each, ['fetch'], null);
    await tables.worker.change(pool, { id: each }, { seen_at: fromNow(3_600) });
  }
  const sees = async (each: string, over = false): Promise<void> => {
    const told = { dependency: 'blobs', since_ago: 600_000, seen_ago: 0, over, why: 'ENOSPC: no space left' };
    await noteOutages(pool, each, JSON.stringify([told]));
    // It is seen for the whole test.
    if (!over) await tables.outage.change(pool, { worker: each }, { seen_at: fromNow(3_600) });
  };
  const time = (): Promise<CrawlTimeView> => get(`/v1/crawls/${id}/time`);
  const cli = async (...words: string[]) => {
    const { stdout, stderr } = await runCli([...words, '--server', api.url, '--key', api.key]);
    return stdout + stderr;
  };
  await sees(worker);
  expect((await outlook(id)).outages).toMatchObject([{ dependency: 'blobs', workers: 1, of: 2 }]);
  expect((await outlook(id)).eta?.by).toBe('host');

  await sees(other);
  const outage = { dependency: 'blobs', why: 'ENOSPC: no space left', workers: 2, of: 2 };
  const eta = { by: 'outage', seconds: null, at: null };
  expect(await outlook(id)).toMatchObject({ outages: [outage], eta });
  const now = await time();
  expect(now).toMatchObject({ outages: [outage], eta, hosts: { items: [{ origin, cause: 'outage' }] } });
  expect(now.causes[0]).toMatchObject({ cause: 'outage', blame: 'ours' });
  expect(now.causes[0]?.seconds).toBeGreaterThan(590);
  expect(await get('/v1/hosts')).toMatchObject({ outages: [outage] });
  const url = encodeURIComponent(`${origin}/0`);
  expect(await get(`/v1/crawls/${id}/explain?url=${url}`)).toMatchObject({
    decisions: expect.arrayContaining([expect.objectContaining({ verdict: 'outage' })]) as unknown[],
  });
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  expect(Number(/^orbweaver_outage_seconds{dependency="blobs"} (\d+)/m.exec(metrics)?.[1])).toBeGreaterThan(
    590,
  );
  const words = /The blob store is out since \S+ \(ENOSPC: no space left\): no page is fetched/;
  for (const asked of [['status', id], ['explain', id], ['explain', id, `${origin}/0`], ['hosts']])
    expect(await cli(...asked)).toMatch(words);
  expect(await cli('status', id)).toMatch(/left +no end in sight\n/);

  // One is over it, the other one has died: what it saw is not known to go on.
  await sees(worker, true);
  await tables.outage.change(pool, { worker: other }, { seen_at: fromNow(-60) });
  expect(await outlook(id)).toMatchObject({ outages: [] });
  // No worker that fetches is left.
  await tables.worker.change(pool, {}, { seen_at: fromNow(-60) });
  expect(await outlook(id)).toMatchObject({ outages: [{ dependency: 'workers' }], eta: { by: 'outage' } });
  await tables.worker.remove(pool);
  expect((await outlook(id)).outages).toEqual([]);
});

it("a crawl's time is without its pauses, and without what passed between its end and a new beginning", async () => {
  const id = await running();
  const shift = (columns: CrawlColumns) => changeCrawl(pool, id, columns);
  const seconds = async (): Promise<number> => (await get<CrawlView>(`/v1/crawls/${id}`)).seconds ?? -1;
  const since = performance.now();
  const expectAbout = async (expected: number): Promise<void> => {
    const actual = await seconds();
    expect(actual).toBeGreaterThanOrEqual(expected);
    // What has passed in the test itself, and a second for clocks that are set.
    expect(actual).toBeLessThan(expected + (performance.now() - since) / 1_000 + 1);
  };
  await shift({ started_at: fromNow(-100) });
  await expectAbout(100);
  await setState(pool, id, 'paused', 'a rest');
  await shift({ rests_since: fromNow(-30) });
  await expectAbout(70);
  await setState(pool, id, 'running', null);
  await expectAbout(70);
  await setState(pool, id, 'finished', 'complete');
  await shift({ rests_since: fromNow(-20) });
  await setState(pool, id, 'running', null);
  await expectAbout(50);
});

it('a crawl, its report and its explanation show how full the stages behind the fetchers are, while it is open', async () => {
  const id = await running();
  const origin = await host(id, 'slowed', 1);
  expect((await get<CrawlView>(`/v1/crawls/${id}`)).stages).toEqual([]);
  const worker = randomUUID();
  await noteWorker(pool, worker, ['fetch'], null);
  const loads = [
    { stage: 'commit', used: 30, capacity: 3_000 },
    { stage: 'unread', used: 19_000, capacity: 20_000 },
  ];
  await noteLoads(pool, worker, JSON.stringify(loads));
  // It is at work for the whole test.
  await tables.worker.change(pool, { id: worker }, { seen_at: fromNow(3_600) });
  const stages = [
    {
      ...loads[1],
      pace: expect.closeTo(0.25) as number,
      means: 'fetched pages that wait to be read, of all crawls',
    },
    { ...loads[0], pace: 1, means: 'milliseconds that a commit of a worker takes' },
  ];
  const because = 'Fetching is slowed to 25 % of its pace because reading is behind: 19,000 fetched pages wait to be read, of 20,000 at most.'; // prettier-ignore
  expect(await get<CrawlView>(`/v1/crawls/${id}`)).toMatchObject({ stages });
  expect(await get(`/v1/crawls/${id}/report`)).toMatchObject({ stages });
  expect(await get(`/v1/crawls/${id}/time`)).toMatchObject({ stages, summary: expect.stringContaining(because) as string }); // prettier-ignore
  const url = encodeURIComponent(`${origin}/0`);
  expect(await get(`/v1/crawls/${id}/explain?url=${url}`)).toMatchObject({
    decisions: expect.arrayContaining([
      expect.objectContaining({ verdict: 'pressure', because }),
    ]) as unknown[],
  });
  const { stdout } = await runCli(['status', id, '--server', api.url, '--key', api.key]);
  expect(stdout).toContain('unread 95 %; fetching at 25 % of its pace');
  await setState(pool, id, 'cancelled', null);
  expect((await get<CrawlView>(`/v1/crawls/${id}`)).stages).toEqual([]);
});

it("a crawl's time is looked up at 2,000 hosts with work at most, which stand for all, and the answer says so", async () => {
  const id = await running();
  await changeCrawl(pool, id, { started_at: fromNow(-90_000) });
  const time = (): Promise<CrawlTimeView> => get(`/v1/crawls/${id}/time`);
  const inAnHour = new Date(Date.now() + 3_600_000);
  const queued = async (count: number, name: string, columns: HostColumns): Promise<void> => {
    const hosts = await addHosts(
      ...([pool, count, (n: number) => `https://${name}${String(n)}-${id}.example`] as const),
      { failures: 0, paced_until: longAgo, ...columns },
    );
    await addUrls(
      pool,
      id,
      hosts.map((host_id) => ({ host_id, url: `https://${name}.example/` })),
    );
    await tables.queue.change(pool, { crawl_id: id }, { work_at: fromNow(-1_000) });
  };
  await queued(1_200, 'closed', { closed_until: inAnHour });
  expect((await time()).looked).toBeNull();
  await queued(1_200, 'slow', { paced_until: inAnHour });
  const now = await time();
  expect(now.looked).toEqual({ hosts: 2_000, of: 2_400 });
  expect(now.summary).toContain('at 2,000 of 2,400 hosts with work.');
  // Each host has waited a thousand seconds, and what passes between two statements of the test.
  expect(now.seconds).toBeGreaterThan(2_400 * 999);
  expect(now.seconds).toBeLessThan(2_400 * 1_090);
  const shares = Object.fromEntries(now.causes.map(({ cause, share }) => [cause, share]));
  expect(shares['windows']).toBeCloseTo(0.5, 1);
  expect(shares['delay']).toBeCloseTo(0.5, 1);
});
