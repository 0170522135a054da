/** A crawl none of whose pages needs a browser. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createExtractor } from '../../../content/extract.ts';
import { noteWorker } from '../../../storage/instance/index.ts';
import * as rendering from '../../../storage/rendering/index.ts';
import { tables } from '../../support/database/index.ts';
import { withFetching } from './fetching.ts';
import { extractBodies, judgeBodies } from './reading.ts';
import type { Answer } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;
const pages = 12;

const words = (of: number): string =>
  Array.from({ length: 60 }, (_, at) => `word${String(of * 100 + at)}`).join(' ');
/** A page of some words that leads to the next one, with a script, as most have one. */
const written =
  (nth: number): Answer =>
  (response) => {
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><title>${String(nth)}</title><p>${words(nth)}</p><a href="/${String(nth + 1)}">more</a><script src=/app.js></script>`,
    );
  };

it('sends Postgres no statement about rendering, however many pages it has, though there is a browser', async () => {
  await noteWorker(pool, randomUUID(), ['render'], null);
  const paths = Array.from({ length: pages }, (_, nth) => `/${String(nth)}`);
  const answers = Object.fromEntries(paths.map((each, nth) => [each, written(nth)]));
  const { host, crawl } = await fetching.site(paths, {
    answers,
    config: { scope: 'host', render: 'auto', maxDepth: 0 },
  });
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  const [role, reader, extractor] = [fetching.role(), fetching.dependencies(), await createExtractor()];
  await role.fetchSlice(host);
  while ((await judgeBodies(reader, host)) + (await extractBodies(reader, extractor, host)) > 0);

  expect(await tables.url.count(pool, { crawl_id: crawl, state: 'done', stage: 0 })).toBe(pages);
  const sent = query.mock.calls.map(([asked]) => (asked as unknown as { readonly text?: string }).text);
  const about = Object.entries(rendering).map(([name, { text }]) => ({ name, text }));
  expect(about.filter(({ text }) => sent.includes(text)).map(({ name }) => name)).toEqual([]);
  expect(await tables.rendering.count(pool)).toBe(0);
});
