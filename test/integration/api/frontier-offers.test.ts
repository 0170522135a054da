/** What other fetchers may add to the frontier (F37). */
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../contracts/http/problem.ts';
import { expectExact } from '../storage/frontier.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import { addUrl, changeCrawl, seedsOf, setState, tables } from '../../support/database/index.ts';
import { newKey, newTenant } from './asking.ts';
import { ack, frontierApi, leaseOf, offer, queued, rested, pool, urlRow } from './fetching-from.ts';
import { newRunningCrawl } from './world.ts';

frontierApi();

describe('check_and_add', () => {
  it('admits by the rules of the crawl, each URL once, and says which were new', async () => {
    const { crawlId, origin } = await queued({
      config: { scope: 'host', maxDepth: 3, exclude: ['*/secret*'] },
    });
    const parent_url = `${origin}/a`;
    const found = [
      ...[
        `${origin}/new`,
        `${origin}/new#again`,
        `${origin}/b`,
        `${origin}/secret`,
        'https://outside.example/',
      ],
      ...['mailto:nobody@example', '\u0000', `${origin}/\ud800`],
    ].map((url) => ({ url, parent_url, depth: 1 }));
    const first = await offer(found);
    expect(first.status).toBe(200);
    expect(first.body.new_urls.slice(0, 1)).toEqual([`${origin}/new`]);
    expect(first.body.new_urls).not.toContain(`${origin}/b`);
    expect(first.body.rejected.map(({ index }) => index)).toEqual(expect.arrayContaining([5]));
    expect((await offer(found)).body.new_urls).toEqual([]);
    expect(await urlRow(crawlId, `${origin}/secret`)).toMatchObject({ state: 'excluded', reason: 'pattern' });
    await expectExact(pool, Number(crawlId));
  });

  it("takes no depth for less than the parent's and one", async () => {
    const { crawlId, origin } = await queued({ config: { maxDepth: 1 } });
    const [one, two] = [`${origin}/one`, `${origin}/two`];
    expect((await offer([{ url: one, parent_url: `${origin}/a`, depth: 0 }])).body.new_urls).toEqual([one]);
    expect((await offer([{ url: two, parent_url: one, depth: 0 }])).body.new_urls).toEqual([]);
    expect(await urlRow(crawlId, two)).toMatchObject({ state: 'excluded', reason: 'depth', depth: 2 });
  });

  it('takes no link for a seed, whose redirects would widen the crawl', async () => {
    const { crawlId, origin } = await queued({ config: { scope: 'host' }, paths: [] });
    const [link, outside] = [`${origin}/x`, 'https://elsewhere.example/'];
    await offer([{ url: link, depth: 0 }], { crawl_id: crawlId });
    expect(await urlRow(crawlId, link)).toMatchObject({ depth: 1, seed: false });
    for (const location of [`${origin}/y`, outside]) {
      const { body } = await leaseOf({ crawl_id: crawlId });
      await ack(body.lease_id, [{ url: body.urls[0]?.url, status: 301, location }]);
      await rested((await urlRow(crawlId, link))?.host_id as number);
    }
    expect((await viewCrawl(pool, crawlId))?.seeds.moved).toBe(0);
    expect(await urlRow(crawlId, outside)).toBeUndefined();
  });

  it('says what it needs: a crawl, an open one, a parent that is known, and no more links than are taken', async () => {
    const { crawlId, origin } = await queued({ config: { maxLinksPerPage: 2 } });
    const orphan = await offer([{ url: `${origin}/x`, parent_url: `${origin}/nobody-met` }], { crawl_id: crawlId }); // prettier-ignore
    expect(orphan.body.rejected[0]?.why).toBe('parent_url: the crawl has not met this URL');
    expect((await offer([{ url: `${origin}/x` }], { crawl_id: crawlId })).body.new_urls).toEqual([
      `${origin}/x`,
    ]);
    const many = ['1', '2', '3'].map((name) => ({ url: `${origin}/${name}`, parent_url: `${origin}/a` }));
    const { body } = await offer(many);
    expect(body.new_urls).toHaveLength(2);
    expect(body.rejected).toEqual([
      { index: 2, why: 'parent_url: the crawl takes at most 2 links from a page' },
    ]);
    await setState(pool, crawlId, 'cancelled', null);
    expect((await offer([{ url: `${origin}/y` }], { crawl_id: crawlId })).status).toBe(409);
    expect((await offer([])).status).toBe(422);
  });

  it('refuses to grow beyond the quota of the tenant', async () => {
    const tenant = await newTenant(pool, { urlsTotal: 1 });
    const key = await newKey(pool, tenant, 'operator');
    const { origin, crawlId } = await queued();
    await changeCrawl(pool, crawlId, { tenant_id: tenant });
    const { status, body } = await offer([{ url: `${origin}/x` }], { crawl_id: crawlId }, key);
    expect({ status, quota: (body as unknown as Problem).quota }).toEqual({
      status: 403,
      quota: 'urlsTotal',
    });
  });
});

describe('check_and_add without a crawl', () => {
  it('adds what belongs to no crawl to the default one, and says once that it is new', async () => {
    const tenant = await newTenant(pool);
    const key = await newKey(pool, tenant, 'operator');
    const urls = [
      'https://one.example/',
      'https://two.example/a?b=1',
      'https://one.example/#top',
      'mailto:x',
    ];
    const candidates = urls.map((url) => ({ url, parent_url: 'https://unmet.example/', depth: 4 }));
    const both = await Promise.all([offer(candidates, {}, key), offer(candidates, {}, key)]);
    expect(both.flatMap(({ body }) => body.new_urls).sort()).toEqual(urls.slice(0, 2));
    for (const { body } of both) expect(body.rejected.map(({ index }) => index)).toEqual([3]);
    const { default_crawl_id: crawl } = await tables.tenant.row(pool, { id: tenant });
    expect((await seedsOf(pool, crawl ?? 0)).sort()).toEqual(urls.slice(0, 2));
    expect((await offer(candidates, {}, key)).body.new_urls).toEqual([]);
  });

  it('goes to the crawl that the parent was lent for last, where several have met it', async () => {
    const { crawlId, origin } = await queued();
    const second = await newRunningCrawl(pool, { scope: 'any', delaySeconds: 0 }, [`${origin}/`]);
    await addUrl(pool, second, `${origin}/a`);
    const parent_url = `${origin}/a`;
    const { body } = await leaseOf({ crawl_id: crawlId });
    expect(body.urls.map(({ url }) => url)).toEqual([parent_url]);
    const link = `${origin}/of-the-first`;
    expect((await offer([{ url: link, parent_url, depth: 1 }])).body.new_urls).toEqual([link]);
    expect(await urlRow(crawlId, link)).toBeDefined();
    expect(await urlRow(second, link)).toBeUndefined();
  });
});
