/** A focused crawl takes what looks relevant first (G12): from the words of links to the order of requests. */
import { expect, it } from 'vitest';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { tables } from '../../support/database/index.ts';
import { withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { startSite, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const html =
  (text: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>t</title>${text}`);
  };
const link = (path: string, anchor: string): string => `<p><a href="${path}">${anchor}</a></p>`;

/** A front page of twenty links, two of which speak of the focus, and pages that say what their links promise. */
async function crawled(config: Partial<CrawlConfig>): Promise<{ site: Site; crawl: number }> {
  const plain = Array.from({ length: 20 }, (_, at) => `/p/${String(at)}`);
  const filler = 'the weather of today is fine and the roads are dry. '.repeat(8);
  const site = await startSite({
    '/': html(
      filler + plain.map((path) => link(path, path === '/p/7' ? 'Solar roofs' : 'Read on')).join(filler),
    ),
    ...Object.fromEntries(plain.map((path) => [path, html(filler + link(`${path}/below`, 'Read on'))])),
    '/p/7': html(`${'solar panels and photovoltaics on roofs. '.repeat(10)}${link('/p/7/below', 'Read on')}`),
  });
  const { host, crawl } = await fetching.queued(site.origin, ['/'], { scope: 'host', ...config }, [
    `${site.origin}/`,
  ]);
  const role = fetching.role();
  for (let slice = 0; slice < 3; slice++) {
    await role.fetchSlice(host);
    await readBodies(fetching, host);
  }
  return { site, crawl };
}

const focus = { words: ['solar', 'photovoltaics'], examples: [] };

it('goes where the words of links and pages point, and explains it', async () => {
  const { site, crawl } = await crawled({ focus });
  const pages = site.paths().filter((path) => path.startsWith('/p/'));
  const first = (depth: RegExp): string | undefined => pages.find((path) => depth.test(path));
  expect(first(/^\/p\/\d+$/)).toBe('/p/7');
  expect(first(/below$/)).toBe('/p/7/below');

  const explained = async (path: string): Promise<Awaited<ReturnType<typeof explainUrlOf>>> =>
    explainUrlOf(pool, String(crawl), site.origin + path, 'Orbweaver/0.0');
  const below = await explained('/p/7/below');
  const because = below?.decisions.find(({ step }) => step === 'priority')?.because;
  expect(because).toMatch(/for what its links promise of the crawl’s focus, 0\.\d+/);
  const relevant = await explained('/p/7');
  expect(relevant?.record?.page?.relevance).toBeGreaterThan(0.5);
  expect(relevant?.decisions.find(({ step }) => step === 'extract')?.because).toMatch(
    /its relevance to the crawl’s focus is/,
  );
  expect((await explained('/p/3'))?.record?.page?.relevance).toBe(0);
});

it('keeps nothing of it in a crawl without a focus', async () => {
  const { site, crawl } = await crawled({});
  expect(await tables.linkCount.rows(pool, { crawl_id: crawl })).toEqual([]);
  const page = await explainUrlOf(pool, String(crawl), `${site.origin}/p/7`, 'Orbweaver/0.0');
  expect(page?.record?.page).toMatchObject({ relevance: null });
});
