/** Delays of crawls at a host they share (docs/design.md, "Politeness"): each binds the crawl's own turns, and nobody else's. */
import { expect, it, onTestFinished } from 'vitest';
import { newFront } from '../../../domain/front-queue/front-state.ts';
import { setHost } from '../../../storage/hosts/index.ts';
import { handOutUrls } from '../../../storage/lending/index.ts';
import { retireHost, takeTurns } from '../../../storage/feeding/index.ts';
import { takeLease } from '../../../storage/leases/index.ts';
import { createTenant } from '../../../storage/tenancy/index.ts';
import { expectExact, moveCrawl } from '../storage/frontier.ts';
import {
  changeCrawl,
  changeHost,
  fromNow,
  hostRow,
  leaseEnded,
  robotsRead,
  tables,
} from '../../support/database/index.ts';
import { lateStatement } from '../../support/late-statement.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { gaps, robots, startSite, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const day = 86_400;
let tenants = 0;

/** A crawl of a tenant that has no operator's leave. */
async function tenantsCrawl(delaySeconds: number | null, userAgent: string | null = null): Promise<number> {
  const tenant = await createTenant(pool, `turns ${String(++tenants)}`, {});
  const crawl = await fetching.crawl({ delaySeconds, userAgent });
  await changeCrawl(pool, crawl, { tenant_id: tenant?.id });
  onTestFinished(() => expectExact(pool, crawl).then(() => undefined));
  return crawl;
}

/** A site with nothing to say, whose host's pace is none at all by its operator's leave; a slow crawl has had its turn. */
async function slowed(delaySeconds: number): Promise<{ site: Site; host: HostRow; slow: number }> {
  const site = await startSite();
  const host = await fetching.host(site.origin);
  await setHost(pool, site.origin, 0, { delaySeconds: 0 });
  await robotsRead(pool, host.hostId);
  const slow = await tenantsCrawl(delaySeconds);
  await fetching.queue(slow, host, '/slow/a', '/slow/b', '/slow/c');
  expect(await fetching.role({ sliceMs: 0 }).fetchSlice(host)).toMatchObject({ fetched: 1 });
  expect(site.paths()).toEqual(['/slow/a']);
  return { site, host, slow };
}

const fed = async ({ hostId }: HostRow): Promise<boolean> => {
  for (const worked of [true, false]) await changeHost(pool, hostId, { fed: worked, known_at: fromNow() });
  return (await takeTurns(pool, 0, 1_000, newFront(1))).fed.some(({ id }) => String(id) === hostId);
};
const edit = async (crawl: number, delaySeconds: number): Promise<void> => {
  const { config, config_version: version } = await tables.crawl.row(pool, { id: crawl });
  await changeCrawl(pool, crawl, {
    config: { ...config, delaySeconds },
    config_version: version + 1,
  });
};

it('a delay of a day gives the host back to the scheduler, and holds up no other crawl', async () => {
  const { site, host, slow } = await slowed(day);
  const role = fetching.role();
  expect(await role.fetchSlice(host)).toMatchObject({ fetched: 0, next: 'idle', queued: 2, waitMs: 0 });
  // A body that is not read yet would keep it.
  const owed = (from: number, to: number) =>
    tables.url.change(pool, { crawl_id: slow, stage: from, state: 'done' }, { stage: to });
  await owed(1, 0);
  expect(await retireHost(pool, host.hostId)).toHaveLength(1);
  await owed(0, 1);
  // Nobody looks again for a crawl that has no turn.
  await changeHost(pool, host.hostId, { fed_at: fromNow(-60), not_before: fromNow(-60) });
  expect(await fed(host)).toBe(false);

  const other = await tenantsCrawl(null);
  await fetching.queue(other, host, '/a', '/b');
  await setHost(pool, site.origin, 0, { delaySeconds: null });
  expect(await fed(host)).toBe(true);
  expect(await role.fetchSlice(host)).toMatchObject({ fetched: 2 });
  expect(site.paths().slice(1)).toEqual(['/a', '/b']);
  expect(gaps(site).at(-1)).toBeLessThan(60_000);
  expect(Object.values(await fetching.urls(slow, site.origin)).filter(({ state }) => state === 'queued')).toHaveLength(2); // prettier-ignore
});

it('a delay that is lowered frees its crawl at once, and one that is raised counts from the last request', async () => {
  const { site, host, slow } = await slowed(day);
  await edit(slow, 2);
  expect(await fed(host)).toBe(true);
  await expect
    .poll(async () => (await fetching.role({ sliceMs: 1_000 }).fetchSlice(host)).fetched)
    .toBeGreaterThan(0);
  expect(gaps(site)[0]).toBeGreaterThanOrEqual(2_000);
  const before = site.hits.length;
  expect(before).toBeLessThan(3);
  await edit(slow, day);
  expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 0, next: 'idle' });
  expect(site.hits).toHaveLength(before);
});

it('a crawl that is cancelled leaves nothing behind that waits', async () => {
  const { site, host, slow } = await slowed(day);
  await moveCrawl(pool, slow, 'cancelled');
  await fetching.queue(await tenantsCrawl(60), host, '/a');
  expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 1 });
  expect(site.paths().at(-1)).toBe('/a');
  await moveCrawl(pool, slow, 'running');
});

it('a short wait for a turn is the workflow’s timer, which new URLs of others end', async () => {
  const { site, host } = await slowed(50);
  const result = await fetching.role({ sliceMs: 500 }).fetchSlice(host);
  const sinceIt = performance.now() - (site.hits[0]?.at ?? NaN);
  expect(result).toMatchObject({ fetched: 0, next: 'wait' });
  expect(result.waitMs + sinceIt).toBeGreaterThan(49_900);
  expect(result.waitMs).toBeLessThanOrEqual(50_000);
  const row = await hostRow(pool, host.hostId);
  expect(row.idle).toBe(true);
  expect(row.not_before_ms).toBeLessThanOrEqual(0);
});

it('a URL that comes before the host is marked as idle is seen by the last look', async () => {
  const { host } = await slowed(50);
  const other = await tenantsCrawl(null);
  // Whoever brings it finds a host that is at work, and wakes nobody.
  lateStatement(pool, 'mark-idle', () => fetching.queue(other, host, '/other'));
  expect(await fetching.role({ sliceMs: 500 }).fetchSlice(host)).toMatchObject({ fetched: 0, next: 'more' });
});

it('a lease that was not returned counts as a request of each crawl, one that was lent as one of its own', async () => {
  const { site, host, slow } = await slowed(1.5);
  // It has URLs left, however often it has its turn meanwhile.
  await fetching.queue(slow, host, ...Array.from({ length: 40 }, (_, at) => `/slow/more/${String(at)}`));
  const other = await tenantsCrawl(null);
  await fetching.queue(other, host, '/a');
  const turn = () => tables.queue.row(pool, { host_id: host.hostId, crawl_id: slow });
  const due = async (): Promise<number> => (await turn()).own_turn_at_ms;
  await expect.poll(due).toBeLessThan(700);
  const [lent] = await takeLease(pool, host.hostId, 60_000);
  await tables.url.change(
    pool,
    { crawl_id: other, state: 'queued' },
    { state: 'leased', lease_token: lent?.token },
  );
  const { key } = await tables.url.row(pool, { crawl_id: other });
  const row = { host_id: Number(host.hostId), crawl_id: other, key: key.toString('hex'), url: `${site.origin}/a`, token: lent?.token }; // prettier-ignore
  await handOutUrls(pool, crypto.randomUUID(), 1, 'gone', 60_000, JSON.stringify([row]));
  await leaseEnded(pool, host.hostId);
  const asked = (): number => site.paths().filter((path) => path.startsWith('/slow')).length;
  const askedBefore = asked();
  await fetching.role({ sliceMs: 300 }).fetchSlice(host);
  // What was lent is no request of this crawl. If the machine is slow, this visit may send one.
  expect((await due()) < 700 || asked() > askedBefore).toBe(true);
  await expect.poll(due).toBeLessThan(700);
  await expect.poll(() => takeLease(pool, host.hostId, 60_000)).toHaveLength(1);
  await leaseEnded(pool, host.hostId);
  const { read_at: before } = await turn();
  await fetching.role({ sliceMs: 100 }).fetchSlice(host);
  const after = await turn();
  expect(Number(after.own_turn_at) - Number(before)).toBeGreaterThanOrEqual(1_500);
});

it('a Crawl-delay for a name of one’s own binds that crawl; the one for ours binds all', async () => {
  const site = await startSite({
    '/robots.txt': robots('User-agent: special', 'Crawl-delay: 86400', '', 'User-agent: orbweaver', 'Crawl-delay: 0.3', 'Disallow: /closed'), // prettier-ignore
  });
  const host = await fetching.host(site.origin);
  const special = await tenantsCrawl(null, 'Special/1');
  await fetching.queue(special, host, '/closed', '/special/a', '/special/b');
  await fetching.queue(await tenantsCrawl(null), host, '/a', '/b', '/c');
  await fetching.role().fetchSlice(host);
  await fetching.role().fetchSlice(host);
  expect(site.paths().toSorted()).toEqual(['/a', '/b', '/c', '/robots.txt', '/special/a']);
  expect(Math.min(...gaps(site))).toBeGreaterThanOrEqual(300);
  // Our own name is obeyed under any other.
  expect((await fetching.urls(special, site.origin))['/closed']).toMatchObject({
    state: 'excluded',
    reason: 'robots',
  });
});
