/**
 * Real web programs are crawled whole, by the usual settings: every page that a reader wants, and an end. A program that
 * is not installed is skipped by name (Debian: gitweb, cgit, mediawiki, dokuwiki, php-cli with php-sqlite3, apache2-bin,
 * nginx; `npm run test-programs` installs Roundup and httpbin).
 *
 * @module-tag deep
 */
import { describe, expect, it } from 'vitest';
import type { CrawlView } from '../../../contracts/http/crawls.ts';
import type { AuditView, PageView } from '../../../contracts/http/results.ts';
import { ask } from '../../integration/api/asking.ts';
import { allPages } from '../../support/all-pages.ts';
import { withServing } from '../../support/serving.ts';
import { until } from '../../support/until.ts';
import { makeBlobDir } from '../../support/worker.ts';
import { states } from './states.ts';
import { targets } from './targets.ts';

const serving = withServing({ blobDir: makeBlobDir() });

const get = async <T>(path: string): Promise<T> =>
  (await ask<T>(serving.api.url, serving.key, 'GET', path)).body;

async function pagesOf(id: string): Promise<PageView[]> {
  const pages: PageView[] = [];
  for await (const page of allPages(serving.desk.pool, id)) pages.push(page);
  return pages;
}

async function crawl(seeds: readonly string[], settings: object): Promise<CrawlView> {
  const { body } = await ask<{ id: string }>(serving.api.url, serving.key, 'POST', '/v1/crawls', {
    seeds,
    delaySeconds: 0,
    allowPrivate: ['127.0.0.0/8'],
    ...settings,
  });
  const view = () => get<CrawlView>(`/v1/crawls/${body.id}`);
  await until(`crawl ${body.id} ends`, async () => (await view()).endedAt !== null, 600_000);
  return view();
}

describe.each(targets)('$name', ({ isHere, start }) => {
  it.skipIf(!isHere())('is crawled whole, and the crawl ends', async () => {
    const { seeds, settings = {}, useful, shows, after, stop } = await start();
    try {
      const { id, state } = await crawl(seeds, settings);
      const pages = await pagesOf(id);
      const shown = pages
        .filter(({ state: of }) => of === 'done')
        .map(({ url }) => shows(new URL(url)))
        .filter((name) => name !== null);
      expect([...new Set(shown)].sort()).toEqual([...useful].sort());
      expect(state).toBe('finished');
      expect((await get<AuditView>(`/v1/crawls/${id}/audit`)).differences).toEqual([]);
      await after?.();
    } finally {
      await stop();
    }
  });
});

describe('httpbin', () => {
  it.skipIf(!states.isHere())('has each answer end as its status says', async () => {
    const { origin, stop } = await states.start();
    try {
      const { id } = await crawl(
        states.expected.map(([path]) => origin + path),
        { maxDepth: 0 },
      );
      const pages = await pagesOf(id);
      const found = states.expected.map(([path]) => {
        const page = pages.find(({ url }) => url === origin + path);
        return [path, page === undefined ? 'no page' : `${page.state} ${String(page.status)}`];
      });
      expect(found).toEqual(states.expected);
    } finally {
      await stop();
    }
  });
});
