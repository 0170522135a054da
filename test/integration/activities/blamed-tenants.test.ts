/**
 * Trouble that only URLs of one tenant have shown stops nobody else at the host (domain/blame.ts).
 *
 * @module-tag long
 */
import { expect, it } from 'vitest';
import { letOthersAsk } from '../../../storage/feeding/index.ts';
import { addTenant, changeHost, fromNow, hostRow, setState, tables } from '../../support/database/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { gaps, redirect, startSite, status, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const bad = Array.from({ length: 12 }, (_, at) => `/err${String(at)}`);
const good = ['/good', '/better', '/best'];
const cutOff: Answer = (response) => {
  response.destroy();
};

let tenants = 0;
/** A crawl of a tenant of its own, with these pages queued. */
async function ofTenant(host: HostRow, paths: readonly string[]): Promise<number> {
  const crawl = await fetching.crawl({ delaySeconds: 0.1 });
  await tables.crawl.change(
    pool,
    { id: crawl },
    { tenant_id: await addTenant(pool, `blamed ${String(++tenants)}`) },
  );
  await fetching.queue(crawl, host, ...paths);
  return crawl;
}

async function troubled(answer: Answer): Promise<{ site: Site; host: HostRow }> {
  const site = await startSite(Object.fromEntries(bad.map((path) => [path, answer])));
  return { site, host: await fetching.host(site.origin) };
}

/** URLs that failed, or come later, are due. */
async function dueAgain({ hostId }: HostRow): Promise<void> {
  await tables.url.change(pool, { host_id: hostId, state: 'queued' }, { due_at: fromNow() });
}

/** Visits the host until it is in trouble, as its workflow would. */
async function untilTrouble(host: HostRow): Promise<void> {
  for (let visits = 0; visits < 20; visits++) {
    const { next } = await fetching.role().fetchSlice({ ...host, inTrouble: false });
    if (next === 'trouble') return;
    await dueAgain(host);
  }
  throw new Error('the host is in no trouble');
}

const othersAsk = async ({ hostId }: HostRow): Promise<boolean> =>
  (await letOthersAsk(pool, 0)).some(({ id }) => String(id) === hostId);
const fetched = async (crawl: number, { origin }: HostRow): Promise<string[]> =>
  Object.entries(await fetching.urls(crawl, origin)).flatMap(([path, { state }]) =>
    state === 'done' ? [path] : [],
  );

it.each<[string, string, Answer]>([
  ['server errors', 'goes on', status(500)],
  ['server errors', 'is cancelled', status(500)],
  ['connections that break', 'goes on', cutOff],
  ['503 that names no time', 'goes on', status(503)],
  ['429 that names no time', 'goes on', status(429)],
])('%s of one tenant, which %s, stop nobody who comes later', async (_, then, answer) => {
  const { site, host } = await troubled(answer);
  const theirs = await ofTenant(host, bad);
  await untilTrouble(host);
  // A trouble of seconds would be over before the others come.
  await changeHost(pool, host.hostId, { not_before: fromNow(3_000) });
  if (then === 'is cancelled') await setState(pool, theirs, 'cancelled', 'cancelled');
  const sent = site.hits.length;
  // Nobody else is there: it waits.
  expect(await othersAsk(host)).toBe(false);
  const mine = await ofTenant(host, good);
  expect((await fetching.role().fetchSlice(host)).waitMs).toBeGreaterThan(1_000_000);
  expect(await othersAsk(host)).toBe(true);
  await expect
    .poll(async () => {
      await fetching.role({ sliceMs: 2_000 }).fetchSlice(host);
      return fetched(mine, host);
    })
    .toHaveLength(good.length);
  expect(good).toContain(site.hits[sent]?.path);
  for (const gap of gaps(site).slice(1)) expect(gap).toBeGreaterThanOrEqual(95);
  await expectExact(pool, mine);
  await expectExact(pool, theirs);
});

it('others who are there already go on, and the tenant waits', async () => {
  const { site, host } = await troubled(status(500));
  const theirs = await ofTenant(host, bad);
  const mine = await ofTenant(host, good);
  await tables.url.change(pool, { crawl_id: mine }, { due_at: fromNow(60) });
  const { next } = await fetching.role().fetchSlice(host);
  expect(next).not.toBe('trouble');
  expect(site.paths().filter((path) => path !== '/robots.txt')).toHaveLength(5);
  const row = await hostRow(pool, host.hostId);
  expect(row).toMatchObject({ failures: 0, last_error: null, outages: 0 });
  expect(row.not_before_ms).toBeLessThan(1_000);
  const held = await tables.queue.row(pool, { crawl_id: theirs });
  expect(held.held_until_ms).toBeGreaterThan(3_000_000);
  await dueAgain(host);
  await fetching.role().fetchSlice(host);
  expect(await fetched(mine, host)).toHaveLength(good.length);
  await expectExact(pool, theirs);
});

it(
  'visits for others leave the tenant waiting, for twice as long each time until it is answered well',
  { tags: ['long'] },
  async () => {
    const { site, host } = await troubled(status(500));
    const theirs = await ofTenant(host, bad);
    const mine = await ofTenant(host, good);
    const held = () => tables.queue.row(pool, { crawl_id: theirs });
    const visit = () => fetching.role().fetchSlice(host);
    const isOver = () => tables.queue.change(pool, { crawl_id: theirs }, { held_until: fromNow(-1) });
    await tables.url.change(pool, { crawl_id: mine }, { due_at: fromNow(60) });
    await visit();
    expect(await held()).toMatchObject({ held_times: 1 });
    const until = (await held()).held_until;
    await tables.url.change(pool, { crawl_id: mine }, { due_at: fromNow() });
    await visit();
    expect(await fetched(mine, host)).toHaveLength(good.length);
    expect(await held()).toMatchObject({ held_until: until, held_times: 1 });

    await ofTenant(host, ['/later']);
    await isOver();
    await visit();
    const again = await held();
    expect(again).toMatchObject({ held_times: 2 });
    expect(again.held_until_ms).toBeGreaterThan(7_000_000);

    site.answers = {};
    await isOver();
    await dueAgain(host);
    await visit();
    expect(await held()).toMatchObject({ held_until: -Infinity, held_times: 0 });
    await expectExact(pool, theirs);
  },
);

it('a URL of another tenant that fails too shows that the trouble is for all', async () => {
  const { site, host } = await troubled(status(500));
  await ofTenant(host, bad.slice(0, 8));
  await untilTrouble(host);
  await ofTenant(host, bad.slice(8));
  expect(await othersAsk(host)).toBe(true);
  const sent = site.hits.length;
  await expect
    .poll(async () => (await fetching.role().fetchSlice({ ...host, inTrouble: false })).next)
    .toBe('trouble');
  expect(site.hits).toHaveLength(sent + 1);
  expect(await hostRow(pool, host.hostId)).toMatchObject({ blamed_tenant: null, failures: 2 });
  await ofTenant(host, good);
  expect(await othersAsk(host)).toBe(false);
});

it('a time that an answer names holds for all', async () => {
  const { host } = await troubled(status(503, { 'retry-after': '3600' }));
  await ofTenant(host, bad);
  await untilTrouble(host);
  await ofTenant(host, good);
  expect(await othersAsk(host)).toBe(false);
  await changeHost(pool, host.hostId, { others_from: fromNow(-1) });
  expect(await othersAsk(host)).toBe(true);
});

it.each([
  ['a robots.txt that cannot be read', status(503, { 'retry-after': '3600' })],
  ['a robots.txt that leads on later', status(302, { location: '/rules.txt', 'retry-after': '3600' })],
])('the pause that %s asks a guest for holds for all', async (_, answer) => {
  const { site, host } = await troubled(status(500));
  await ofTenant(host, bad);
  await untilTrouble(host);
  // The trouble is over, and nobody has asked the host since.
  await changeHost(pool, host.hostId, { not_before: fromNow(-1), others_from: fromNow(-1) });
  site.answers = { ...site.answers, '/robots.txt': answer };
  const guests = await startSite({ '/robots.txt': redirect(`${site.origin}/robots.txt`) });
  const guest = await fetching.host(guests.origin);
  await ofTenant(guest, good);
  await fetching.role().fetchSlice(guest);
  const waitsMs = async () => (await hostRow(pool, host.hostId)).not_before_ms;
  expect(await waitsMs()).toBeGreaterThan(3_000_000);
  await ofTenant(host, good);
  expect(await othersAsk(host)).toBe(false);
  expect(await waitsMs()).toBeGreaterThan(3_000_000);
});

it('another crawl of the same tenant waits', async () => {
  const { host } = await troubled(status(500));
  const theirs = await ofTenant(host, bad);
  await untilTrouble(host);
  const again = await ofTenant(host, good);
  const { tenant_id: tenant } = await tables.crawl.row(pool, { id: theirs });
  await tables.crawl.change(pool, { id: again }, { tenant_id: tenant });
  expect(await othersAsk(host)).toBe(false);
});
