/** report, export, events and seeds of the command line, by an API over a real database. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { setCrawlState } from '../../../storage/crawls/index.ts';
import { jsonLines, runCli, type CliResult } from '../../cli/run-cli.ts';
import { newKey, newTenant } from '../api/asking.ts';
import { addPage, newCrawl, withApi } from '../api/world.ts';
import { addUrl, seedsOf, setState } from '../../support/database/index.ts';
import { ownFolder } from '../../support/given.ts';

const { pool, api } = withApi({ anonymous: true });
const folder = ownFolder();

/** No stack runs on the data folder: what is answered comes from the server. */
const run = (args: readonly string[], input = '', key = api.key): Promise<CliResult> =>
  runCli(
    [...args, '--server', api.url],
    { ORBWEAVER_DATA: path.join(folder, 'none'), ORBWEAVER_API_KEY: key },
    input,
  );
const done = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};
const file = (name: string): string => path.join(folder, name);

async function crawlOfTwoPages(): Promise<string> {
  const id = await newCrawl(pool);
  await addPage(pool, id, 'https://a.example/1', { title: 'One', text: 'a b', links: ['/2'] });
  await addPage(pool, id, 'https://a.example/2', { title: '=Two', text: 'c d', links: [] });
  await addUrl(pool, id, 'https://a.example/bad', { state: 'failed', reason: 'timeout' });
  await setState(pool, id, 'finished', 'complete');
  return id;
}

describe('report', () => {
  it('is shown as tables, given as JSON, and kept as a page', async () => {
    const id = await crawlOfTwoPages();
    const shown = await done('report', id);
    expect(shown).toMatch(new RegExp(`^Crawl ${id} is finished \\(complete\\); as of 2\\d{3}-`));
    expect(shown).toMatch(/\nStatuses\n {2}status {2}URLs {2}size\n {2}200 {5}2 /);
    expect(shown).toMatch(/\n {2}failed +timeout +1\n/);
    expect(shown).toMatch(/\nBusiest hosts\n.*\n {2}https:\/\/a\.example +3 +2 +1 /);
    const [report] = jsonLines(await done('report', id, '--json'));
    expect(report).toMatchObject({
      crawl: { id },
      totals: { pages: 2 },
      statuses: [{ status: 200, urls: 2 }],
    });
    expect(await done('report', id, '--html', file('report.html'))).toContain('is in ');
    expect(readFileSync(file('report.html'), 'utf8')).toMatch(/^<!doctype html>/i);
    expect((await run(['report', '999999'])).stderr).toBe('orbweaver: There is no crawl 999999.\n');
  });
});

describe('export', () => {
  it('writes pages as JSON lines or CSV, to standard output or a file', async () => {
    const id = await crawlOfTwoPages();
    const lines = jsonLines(await done('export', id, '--fields', 'links'));
    expect(lines).toContainEqual(expect.objectContaining({ title: 'One', links: ['https://a.example/2'] }));
    const csv = await done('export', id, '--format', 'csv');
    expect(csv.trimEnd().split('\r\n')).toHaveLength(3);
    expect(csv).toContain("'=Two");
    const { code, stdout, stderr } = await run(['export', id, '--format', 'csv', '--out', file('pages.csv')]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/bytes were written to .*pages\.csv\.\n$/);
    expect(readFileSync(file('pages.csv'), 'utf8')).toBe(csv);
    expect(await run(['export', '999999', '--out', file('none.csv')])).toMatchObject({ code: 2 });
    const inVain = await run(['export', id, '--out', file('no/such/folder')]);
    expect(inVain).toMatchObject({ code: 2 });
    expect(inVain.stderr).toContain('cannot be written');
  });
});

describe('seeds and events', () => {
  it('come from a file that no request can carry: its beginning with the crawl, the rest after it', async () => {
    const long = (line: number): string => `https://a.example/${String(line)}/${'x'.repeat(2_000)}`;
    const lines = Array.from({ length: 2_500 }, (_, at) => (at === 2_399 ? 'no url' : long(at + 1)));
    writeFileSync(file('large.txt'), lines.join('\n'));
    const { code, stdout, stderr } = await run(['crawls', 'start', '--seeds', file('large.txt'), '--id']);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /large\.txt, line 2400: "no url" is not an absolute URL[^]*more seeds of .*large\.txt/,
    );
    expect(await seedsOf(pool, stdout.trim())).toEqual(lines.filter((line) => line !== 'no url'));
  });

  it(
    'more seeds are streamed from arguments, files and standard input, bad ones are told',
    { tags: ['long'] },
    async () => {
      const id = await newCrawl(pool);
      expect(await done('seeds', 'add', id, 'https://a.example/x')).toBe(`Crawl ${id} has 1 seed more.\n`);
      writeFileSync(file('seeds.txt'), '# more\nhttps://a.example/y\n\nnonsense\n');
      expect(await done('seeds', 'add', id, 'https://a.example/z', '--seeds', file('seeds.txt'))).toBe(
        `Crawl ${id} has 2 seeds more; 1 seed cannot be crawled:\n` +
          `  ${file('seeds.txt')}, line 4: "nonsense" is not an absolute URL such as https://example.com/\n`,
      );
      writeFileSync(file('seeds.jsonl'), '"https://a.example/1"\n{"url": "https://a.example/2"}\n');
      expect(jsonLines(await done('seeds', 'add', id, '--seeds', file('seeds.jsonl'), '--json'))).toEqual([
        { accepted: 2, rejectedCount: 0, rejected: [] },
      ]);
      const many = Array.from({ length: 30_000 }, (_, at) => `https://a.example/many/${String(at)}`);
      const piped = await run(['seeds', 'add', id, '--seeds', '-'], many.join('\n'));
      expect(piped).toMatchObject({ code: 0, stdout: `Crawl ${id} has 30,000 seeds more.\n` });

      const listed = await done('events', id);
      expect(listed.split('\n')[0]).toMatch(/^id +at +event +data$/);
      expect(listed).toMatch(/\n1 +.*crawl\.created/);
      const all = jsonLines(await done('events', id, '--json')) as { id: string; kind: string }[];
      expect(all.at(-1)).toMatchObject({ kind: 'seeds.added' });
      const behind = jsonLines(await done('events', id, '--after', '1', '--json'));
      expect(behind).toEqual(all.slice(1));
    },
  );

  it('are refused whole where none is good, the file is none, or the quota is spent while they are sent', async () => {
    const id = await newCrawl(pool);
    const bad = await run(['seeds', 'add', id, 'nonsense', 'ftp://a.example/']);
    expect(bad).toMatchObject({ code: 2, stdout: '' });
    expect(bad.stderr).toMatch(
      /None of the seeds can be crawled\.[^]*"nonsense" is not an absolute URL[^]*"ftp/,
    );
    expect((await run(['seeds', 'add', id])).stderr).toMatch(/Give at least one URL/);
    expect((await run(['seeds', 'add', id, '--seeds', file('none')])).stderr).toMatch(/cannot be read/);

    const tenant = await newTenant(pool);
    const key = await newKey(pool, tenant, 'operator');
    const own = await run(['crawls', 'start', 'https://a.example/', '--id'], '', key);
    const crawl = own.stdout.trim();
    await setState(pool, crawl, 'cancelled', null);
    const lines = Array.from({ length: 200_000 }, (_, at) => `https://a.example/${String(at)}`).join('\n');
    const refused = await run(['seeds', 'add', crawl, '--seeds', '-'], lines, key);
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toMatch(
      /is cancelled: it takes no more seeds\. No seed of the body was stored\.\n$/,
    );
  });

  it('are followed to the end of the crawl', async () => {
    const id = await newCrawl(pool);
    await setCrawlState(pool, Number(id), 'running', null, null);
    const followed = run(['events', id, '--follow']);
    await setCrawlState(pool, Number(id), 'finished', 'complete', 'complete');
    const { code, stdout, stderr } = await followed;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/crawl\.created[^]*crawl\.running[^]*crawl\.finished .*reason: complete\b.*\n$/);
  });
});
