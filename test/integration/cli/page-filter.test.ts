/**
 * Which pages `pages` and `export` write, by an API over a real database.
 *
 * @module-tag long
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonLines, runCli, type CliResult } from '../../cli/run-cli.ts';
import { addPage, newRunningCrawl, withApi } from '../api/world.ts';
import { addUrl, addUrls } from '../../support/database/index.ts';

const { pool, api } = withApi({ anonymous: true });
let crawl: string;

beforeAll(async () => {
  crawl = await newRunningCrawl(pool);
  const content = { title: 'x', text: 'x', links: [] };
  const fetched = (second: number): { fetched_at: Date } => ({ fetched_at: new Date(second * 1_000) });
  await addPage(pool, crawl, 'https://a.example/1', content, fetched(1));
  await addPage(pool, crawl, 'https://b.example/2', content, { ...fetched(2), content_type: 'image/png' });
  const { hostId } = await addUrl(pool, crawl, 'https://b.example/queued');
  // The page that is looked for stands behind more than one answer looks at.
  const many = Array.from({ length: 21_000 }, (_, n) => ({
    ...{ host_id: hostId, url: `https://b.example/many/${String(n)}`, content_type: 'text/css' },
    ...{ state: 'done', status: 200, ...fetched(3) },
  }));
  await addUrls(pool, crawl, many);
  await addUrl(pool, crawl, 'https://a.example/9', { state: 'dead', status: 404, ...fetched(9) });
});

/** No stack runs on the data folder: what is answered comes from the server. */
const run = (...args: string[]): Promise<CliResult> =>
  runCli([...args, '--server', api.url], {
    ORBWEAVER_DATA: '/nonexistent/orbweaver',
    ORBWEAVER_API_KEY: api.key,
  });

describe.each(['pages', 'export'])('%s', (verb) => {
  it.each<[string[], string[]]>([
    [
      ['--host', 'https://A.example/'],
      ['https://a.example/1', 'https://a.example/9'],
    ],
    [['--status', '4xx'], ['https://a.example/9']],
    [['--type', 'image/*'], ['https://b.example/2']],
    [['--host', 'https://a.example', '--since', '1970-01-01T00:00:05Z'], ['https://a.example/9']],
    [['--host', 'https://b.example', '--type', 'text/html'], []],
  ])('%o writes the pages that fit, however far apart they are', async (options, urls) => {
    const { code, stdout, stderr } = await run(verb, crawl, ...options);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: verb === 'export' ? '' : `Crawl ${crawl} is running: more pages may follow.\n`,
    });
    const written = stdout === '' ? [] : (jsonLines(stdout) as { url: string }[]);
    expect(written.map(({ url }) => url)).toEqual(urls);
  });

  it.each([
    [['--host', 'a.example'], /^orbweaver: --host cannot be used: "a\.example" is not an origin such as /],
    [['--status', '44'], /^orbweaver: --status cannot be used: neither a status such as 404 nor a class/],
    [['--type', 'html'], /^orbweaver: --type cannot be used: not a media type such as text\/html/],
    [['--since', 'today'], /^orbweaver: --since cannot be used: /],
  ])('%o is refused in one sentence, before anything is asked', async (options, sentence) => {
    const { code, stdout, stderr } = await run(verb, crawl, ...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
  });
});
