/** DELETE /v1/crawls/{crawlId}: who may, when, and that nobody sees anything of the crawl from then on. */
import { expect, it } from 'vitest';
import { accessTable } from '../../support/access-table.ts';
import type { CrawlRemoval } from '../../../contracts/http/crawls.ts';
import { removeBatch } from '../../../storage/crawls/index.ts';
import { runCli } from '../../cli/run-cli.ts';
import { not, setState, tables } from '../../support/database/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { addPage, newCrawl, withApi } from './world.ts';

const { pool, api } = withApi({ anonymous: true });

async function crawlOfOnePage(): Promise<string> {
  const id = await newCrawl(pool);
  await addPage(pool, id, 'https://a.example/1', { title: 'One', text: 'a b', links: [] });
  return id;
}

it('is for crawls of one’s own that are over, which are unknown at once', async () => {
  const id = await crawlOfOnePage();
  await setState(pool, id, 'running', null);
  const path = `/v1/crawls/${id}`;
  const open = await ask<{ detail: string }>(api.url, api.key, 'DELETE', path);
  expect(open).toMatchObject({
    status: 409,
    body: { detail: `Crawl ${id} is running: only crawls that are over can be deleted.` },
  });
  await setState(pool, id, 'finished', 'complete');

  const stranger = await newKey(pool, await newTenant(pool), 'admin');
  expect((await ask(api.url, stranger, 'DELETE', path)).status).toBe(404);
  const reader = await newKey(pool, '1', 'reader');
  expect((await ask(api.url, reader, 'DELETE', path)).status).toBe(403);
  expect((await ask(api.url, api.key, 'GET', path)).status).toBe(200);

  const deleted = await ask<CrawlRemoval>(api.url, api.key, 'DELETE', path);
  expect(deleted).toMatchObject({ status: 202, body: { id, urls: 1 } });
  const lookers = Object.keys(accessTable).filter((route) => route.startsWith('GET /v1/crawls/{crawlId}'));
  expect(lookers.length).toBeGreaterThan(8);
  for (const route of lookers) {
    const asked = route.slice(4).replace('{crawlId}', id).replace('{version}', '1');
    const query = asked.endsWith('/explain') ? '?url=https://a.example/1' : '';
    expect({ route, status: (await ask(api.url, api.key, 'GET', asked + query)).status }).toEqual({
      route,
      status: 404,
    });
  }
  const redriven = await ask(api.url, api.key, 'POST', `${path}/dead-letters/redrive`, {});
  expect(redriven.status).toBe(404);
  expect(
    (await ask(api.url, api.key, 'POST', `${path}/seeds`, { urls: ['https://a.example/2'] })).status,
  ).toBe(404);
  expect((await ask<CrawlRemoval>(api.url, api.key, 'DELETE', path)).body).toEqual({ id, urls: 1 });
  while (await removeBatch(pool));
  expect((await ask(api.url, api.key, 'DELETE', path)).status).toBe(404);
});

it('is waited for by the command line, which cancels first where it is forced', async () => {
  const id = await crawlOfOnePage();
  await setState(pool, id, 'running', null);
  const env = { ORBWEAVER_SERVER: api.url, ORBWEAVER_API_KEY: api.key };
  expect(await runCli(['crawls', 'delete', id], env)).toMatchObject({ code: 3, stdout: '' });
  const deleting = runCli(['crawls', 'delete', id, '--force'], env);
  const marked = async (): Promise<boolean> =>
    (await tables.crawl.count(pool, { id, removed_at: not(null) })) > 0;
  await expect.poll(marked).toBe(true);
  while (await removeBatch(pool));
  expect(await deleting).toMatchObject({ code: 0, stdout: `Crawl ${id} is deleted.\n` });
  expect(await runCli(['crawls', 'delete', id], env)).toMatchObject({ code: 2 });
});
