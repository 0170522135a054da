/** Text that repeats over the pages of a host: counted as pages are read, and left out where a crawl asks for it. */
import { expect, it } from 'vitest';
import { boilerplateView } from '../../../contracts/http/boilerplate.ts';
import type { PageRules } from '../../../contracts/page-rules.ts';
import type { PageView } from '../../../contracts/http/results.ts';
import { createTextReader } from '../../../engine/page-text.ts';
import { toMarkdown } from '../../../content/markdown.ts';
import { repeatedBlocks, repeatedReader } from '../../../storage/boilerplate/index.ts';
import { runCli } from '../../cli/run-cli.ts';
import { allPages } from '../../support/all-pages.ts';
import { tables } from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { serve } from '../api/world.ts';
import { withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { startSite, type Answer } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const footer = 'All stories of this fine newspaper are told without any warranty whatsoever, dear reader.';
const own = (at: number): string =>
  `Story number ${String(at)} tells of ${'the wind and the sea and a ship that was lost. '.repeat(2)}Part ${String(at)}.`;
const pages = 18;

const html =
  (at: number): Answer =>
  (response) => {
    // Few pages have the notice: it is no boilerplate.
    const notice = at < 4 ? '<p>This story was corrected after it had been printed by us.</p>' : '';
    const body = `<h1>How the wind blows over all of the sea</h1><p>${own(at)}</p>${notice}<p>${footer}</p>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><body>${body}`);
  };

async function crawled(boilerplate: 'keep' | 'leave-out', rules: PageRules | null = null) {
  const site = await startSite();
  site.answers = Object.fromEntries(Array.from({ length: pages }, (_, at) => [`/${String(at)}`, html(at)]));
  const { host, crawl } = await fetching.queued(
    site.origin,
    [...Object.keys(site.answers)],
    { scope: 'host', boilerplate, rules, nearDuplicates: true, delaySeconds: 0 },
    [`${site.origin}/`],
  );
  await until('all are read', async () => {
    await fetching.role().fetchSlice(host);
    await readBodies(fetching, host);
    return (await tables.url.count(pool, { crawl_id: crawl, state: 'done', stage: 0 })) === pages;
  });
  await tables.crawl.change(pool, { id: crawl }, { state: 'finished' });
  const textOf = createTextReader(fetching.blobs);
  const found = new Map<string, PageView>();
  for await (const page of allPages(pool, String(crawl), ['text', 'main', 'fields'], textOf))
    found.set(new URL(page.url).pathname, page);
  return { origin: site.origin, crawl: String(crawl), found };
}

it('is left out of text, main text and Markdown; the page says how much, and the list says what', async () => {
  const { origin, crawl, found } = await crawled('leave-out');
  for (const [path, { text, main, repeated }] of found) {
    const story = own(Number(path.slice(1))).trim();
    expect(text).toContain(story);
    expect(main).toContain(story);
    expect(text).not.toContain(footer);
    expect(main).not.toContain(footer);
    expect(repeated).toEqual({ blocks: 1, words: 14 });
  }
  // A heading is no boilerplate, nor is what a few pages have.
  expect(found.get('/1')?.text).toContain('How the wind blows over all of the sea');
  expect(found.get('/1')?.text).toContain('corrected after it had been printed');
  const [row] = await repeatedBlocks(pool, crawl, origin);
  expect(row?.pages).toBe(pages);
  expect(row?.repeated).toEqual([{ mark: expect.any(Number) as number, text: footer, pages }]);

  const marks = await repeatedReader(pool, crawl)(`${origin}/3`);
  const body = Buffer.from(`<!doctype html><body><p>${own(3)}</p><p>${footer}</p>`);
  for (const part of ['page', 'main'] as const) {
    const made = toMarkdown(body, 'text/html', `${origin}/3`, part, marks);
    expect(made?.text.trim()).toBe(own(3).trim());
  }
  // A page of nothing else keeps what it has.
  const only = Buffer.from(`<!doctype html><body><p>${footer}</p>`);
  expect(toMarkdown(only, 'text/html', origin, 'page', marks)?.text).toContain(footer);
});

it('is kept by crawls that do not ask, which have no row', async () => {
  const { origin, crawl, found } = await crawled('keep');
  for (const { text, repeated } of found.values()) {
    expect(text).toContain(footer);
    expect(repeated).toBeUndefined();
  }
  expect(await repeatedBlocks(pool, crawl, origin)).toEqual([]);
  expect(await tables.hostBlocks.count(pool, { crawl_id: Number(crawl) })).toBe(0);
});

it('is left out of what the rules of a crawl leave too', async () => {
  const { found } = await crawled('leave-out', {
    fields: { title: { select: 'h1', type: 'text' } },
    ...{ include: [], exclude: ['h1'], links: { follow: [] } },
  });
  for (const [path, { text, fields }] of found) {
    expect(text).toContain(own(Number(path.slice(1))).trim());
    expect(text).not.toContain(footer);
    expect(text).not.toContain('How the wind blows over');
    expect(fields).toEqual({ title: 'How the wind blows over all of the sea' });
  }
});

it('is listed by API and verb', async () => {
  const [one, other] = [await crawled('leave-out'), await crawled('keep')];
  const api = await serve(pool, { anonymous: true });
  try {
    const run = (...args: string[]) =>
      runCli(['boilerplate', ...args, '--server', api.url], { ORBWEAVER_API_KEY: api.key });
    const listed = async (crawl: string, host: string, ...more: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(crawl, host, ...more);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    };
    const told = { host: one.origin, pages, blocks: [{ text: footer, pages }] };
    expect(boilerplateView.parse(JSON.parse(await listed(one.crawl, one.origin, '--json')))).toEqual(told);
    expect(await listed(one.crawl, one.origin)).toContain(footer);
    expect(await listed(other.crawl, other.origin)).toContain(`No pages of ${other.origin} were counted.`);
    const { code, stderr } = await run('999', one.origin);
    expect([code, stderr]).toEqual([2, expect.stringContaining('999')]);
  } finally {
    await api.stop();
  }
});
