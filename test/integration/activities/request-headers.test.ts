/** Request headers of a crawl: to whom they go, and that nothing is shared between crawls that send others. */
import { expect, it } from 'vitest';
import { moveCrawl } from '../storage/frontier.ts';
import { like, tables } from '../../support/database/index.ts';
import { withFetching } from './fetching.ts';
import { page, redirect, startSite } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

it('go to the origins of the seeds, not with robots.txt, and to nobody else', async () => {
  const own = await startSite({ '/': page('Home', { etag: '"home"' }), '/away': page('Away') });
  const other = await startSite({ '/linked': page('Linked') });
  own.answers = { ...own.answers, '/away': redirect(`${other.origin}/redirected`) };
  const [ownHost, otherHost] = [await fetching.host(own.origin), await fetching.host(other.origin)];
  const crawl = async (headers: Record<string, string>): Promise<void> => {
    const id = await fetching.crawl({ scope: 'any', headers }, [`${own.origin}/`]);
    await fetching.queue(id, ownHost, '/', '/away');
    await tables.url.change(pool, { crawl_id: id, url: like('%/') }, { seed: true });
    await fetching.queue(id, otherHost, '/linked');
    const agent = fetching.role();
    for (let round = 0; round < 3; round++)
      for (const host of [ownHost, otherHost]) await agent.fetchSlice(host);
    await moveCrawl(pool, id, 'finished');
  };
  await crawl({ Authorization: 'Bearer one', accept: 'text/html' });
  const sent = (site: typeof own): Record<string, unknown> =>
    Object.fromEntries(site.hits.map(({ path, headers }) => [path, headers.authorization]));
  expect(sent(own)).toEqual({ '/robots.txt': undefined, '/': 'Bearer one', '/away': 'Bearer one' });
  expect(own.hits.find(({ path }) => path === '/')?.headers.accept).toBe('text/html');
  expect(sent(other)).toEqual({ '/robots.txt': undefined, '/linked': undefined, '/redirected': undefined });

  // The body that one crawl may read says nothing of what another may.
  for (const headers of [{}, { Authorization: 'Bearer two' }]) {
    const before = own.hits.length;
    await crawl(headers);
    const home = own.hits.slice(before).find(({ path }) => path === '/');
    expect(home?.headers['if-none-match']).toBeUndefined();
    expect(home?.headers.authorization).toBe(headers.Authorization);
  }
});
