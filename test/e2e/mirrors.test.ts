/**
 * Sites with the very same bytes: those that were asked for are crawled whole each, others are met but not crawled.
 *
 * @module-tag deep
 */
import { expect, it } from 'vitest';
import { auditCrawl } from '../../storage/reports/index.ts';
import { allPages } from '../support/all-pages.ts';
import { startSite, type Answer, type Site } from '../integration/activities/site.ts';
import { withDesk } from '../support/crawling.ts';
import { makeBlobDir, withWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';

const world = withWorld();
const desk = withDesk(world);
withWorker(world, { blobDir: makeBlobDir() });

const linking =
  (text: string, ...links: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      `<title>${text}</title><p>${text}</p>${links.map((link) => `<a href="${link}">x</a>`).join('')}`,
    );
  };

/** A chain of pages by relative links; `out` is linked from the last. */
const chain = (out: string): Readonly<Record<string, Answer>> => ({
  '/': linking('start', 'one'),
  '/one': linking('one', '/two'),
  '/two': linking('two', 'one', out),
});

const asked = (site: Site): string[] => site.paths().toSorted();

it('two mirrors that are seeds are fetched page by page, a third that is linked from them is not followed', async () => {
  const stray = await startSite();
  const sites = [await startSite(), await startSite()];
  for (const site of [stray, ...sites]) site.answers = chain(`${stray.origin}/one`);
  const id = await desk.start(
    sites.map(({ origin }) => `${origin}/`),
    { scope: 'any', delaySeconds: 0 },
  );
  expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
  for (const site of sites) expect(asked(site)).toEqual(['/', '/one', '/robots.txt', '/two']);
  expect(asked(stray)).toEqual(['/one', '/robots.txt']);
  const originals: string[] = [];
  const copies: string[] = [];
  for await (const { url, duplicateOf } of allPages(desk.pool, id)) {
    (duplicateOf === null ? originals : copies).push(new URL(url).pathname);
  }
  expect(originals.toSorted()).toEqual(['/', '/one', '/two']);
  expect(copies.toSorted()).toEqual(['/', '/one', '/one', '/two']);
  expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
});
