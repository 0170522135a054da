/**
 * Rules of a crawl on the running stack: a small shop gives typed fields, by API and export; rules are tried on a stored
 * page and on a URL; a selector that takes for ever costs its budget only.
 *
 * @module-tag deep
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RuleTrial } from '../../contracts/http/rule-trial.ts';
import type { CrawlView } from '../../contracts/http/crawls.ts';
import type { PageView } from '../../contracts/http/results.ts';
import { findRunningStack } from '../../stack/info.ts';
import { jsonLines, runCliProcess, startCli, type CliResult, type RunningCli } from '../cli/run-cli.ts';
import { until } from '../support/until.ts';
import { ownFolder } from '../support/given.ts';
import { withHttpServer } from '../support/http-server.ts';

const folder = ownFolder();
const requests: string[] = [];

const products = [
  { name: 'Lamp', price: '$1,299.50', tags: ['metal', 'blue'], stock: 'yes', since: '4 May 2031' },
  { name: 'Chair', price: '89 USD', tags: [], stock: 'no', since: 'soon' },
];
const shop: Readonly<Record<string, string>> = {
  '/': `<title>Shop</title><nav><a href="/p/0">Lamp</a><a href="/p/1">Chair</a><a rel="sponsored" href="/partner">P</a>
    <a rel="nofollow" href="/cart">Cart</a></nav><p class="banner">We use cookies.</p><p>Welcome to the shop.</p>`,
  '/partner': '<title>Partner</title><p>A partner of the shop.</p>',
  '/cart': '<title>Cart</title><p>Nothing in it.</p>',
  '/heavy': `<title>Heavy</title><a href="/">back</a>${'<i></i>'.repeat(3_000)}<p>Heavy text.</p>`,
  ...Object.fromEntries(
    products.map(({ name, price, tags, stock, since }, at) => [
      `/p/${String(at)}`,
      `<title>${name}</title><h1>${name}</h1><p class="banner">We use cookies.</p><b class="price">${price}</b>
       <ul>${tags.map((tag) => `<li class="tag">${tag}`).join('')}</ul><i class="stock">${stock}</i>
       <span class="since">${since}</span><a class="buy" href="?buy">buy</a><p>All about the ${name}.</p>`,
    ]),
  ),
};
const rules = `
fields:
  price: {select: .price, type: number}
  tags: {select: .tag, many: true}
  inStock: {select: .stock, type: boolean}
  since: {select: .since, type: date}
  buy: {select: .buy, type: url}
exclude: [.banner, .buy, .price, ul, i, span]
links: {follow: [sponsored]}
`;

const site = withHttpServer((request, response) => {
  requests.push(request.url ?? '');
  if (request.url === '/robots.txt') {
    response.end('User-agent: *\nDisallow: /private\n');
    return;
  }
  const body = shop[(request.url ?? '').replace(/\?.*/, '')];
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body ?? 'none');
});
beforeAll(() => {
  writeFileSync(path.join(folder, 'shop.yaml'), rules);
  writeFileSync(path.join(folder, 'slow.json'), '{"fields": {"never": {"select": "b ~ i ~ i ~ i ~ i"}}}');
  writeFileSync(path.join(folder, 'bad.yaml'), 'fields:\n  price:\n    select: "b["\n');
  writeFileSync(path.join(folder, 'unknown.yaml'), 'feilds: {}\n');
});

const run = (...args: string[]): Promise<CliResult> => runCliProcess(args, { ORBWEAVER_DATA: folder });
const file = (name: string): string => path.join(folder, name);
const local = ['--allow-private', '127.0.0.0/8'];
const byPath = (lines: string): Map<string, PageView> =>
  new Map((jsonLines(lines) as PageView[]).map((page) => [page.url.slice(site.origin.length), page]));

it('rules that cannot be used are refused with their line, before anything starts', async () => {
  const bad = await run('crawl', `${site.origin}/`, ...local, '--rules', file('bad.yaml'));
  expect(bad.code).toBe(2);
  expect(bad.stderr).toMatch(
    /bad\.yaml, line 3: fields \(price\.select\) cannot be used: .*not a CSS selector/,
  );
  const unknown = await run('crawl', `${site.origin}/`, ...local, '--rules', file('unknown.yaml'));
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain(
    'line 1: there is no part feilds; the parts are fields, include, exclude, links',
  );
  expect(requests).toEqual([]);
});

describe('on a stack that is up', () => {
  let up: RunningCli;
  beforeAll(async () => {
    up = startCli(['up'], { ORBWEAVER_DATA: folder, ORBWEAVER_ALLOW_PRIVATE: '127.0.0.0/8' });
    await until('the stack is up', () => findRunningStack(folder)?.apiUrl).catch((error: unknown) => {
      throw new Error(up.stderr(), { cause: error });
    });
  });
  afterAll(async () => {
    up.process.kill('SIGINT');
    await up.result;
  });

  it('a crawl with rules over a small shop gives typed fields, and the text that the rules leave', async () => {
    const crawled = await run(
      'crawl',
      `${site.origin}/`,
      ...local,
      '--delay',
      '0',
      '--rules',
      file('shop.yaml'),
    );
    expect(crawled.code, crawled.stderr).toBe(0);
    const listed = await run('pages', '1', '--fields', 'fields,text');
    const pages = byPath(listed.stdout);
    expect([...pages.keys()].filter((each) => !each.includes('?')).toSorted()).toEqual([
      '/',
      '/p/0',
      '/p/1',
      '/partner',
    ]);
    expect(pages.get('/p/0')).toMatchObject({
      ...{ title: 'Lamp', text: 'Lamp\nAll about the Lamp.', words: 5, cut: {} },
      fields: {
        ...{ price: 1299.5, tags: ['metal', 'blue'], inStock: true, since: '2031-05-04' },
        buy: `${site.origin}/p/0?buy`,
      },
    });
    expect(pages.get('/p/1')).toMatchObject({
      fields: { price: 89, tags: [], inStock: false, since: null, buy: `${site.origin}/p/1?buy` },
      cut: { fieldsUnread: 1 },
    });
    expect(pages.get('/')).toMatchObject({
      text: 'Welcome to the shop.',
      fields: { price: null, tags: [], inStock: false, since: null, buy: null },
      cut: { nofollow: 1 },
    });
    const exported = await run('export', '1', '--fields', 'fields');
    expect(byPath(exported.stdout).get('/p/0')?.fields).toEqual(pages.get('/p/0')?.fields);
  });

  it('rules are tried on a stored page without a request', async () => {
    const before = requests.length;
    const tried = await run(
      'extract',
      `${site.origin}/p/0`,
      '--crawl',
      '1',
      '--rules',
      file('shop.yaml'),
      '--json',
    );
    expect(tried.code, tried.stderr).toBe(0);
    const found = JSON.parse(tried.stdout) as RuleTrial;
    expect(found).toMatchObject({
      title: 'Lamp',
      text: 'Lamp\nAll about the Lamp.',
      fields: { price: 1299.5 },
    });
    expect(found.links).toEqual([`${site.origin}/p/0?buy`]);
    const none = await run('extract', `${site.origin}/none`, '--crawl', '1', '--rules', file('shop.yaml'));
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('has no stored body of this URL');
    expect(requests).toHaveLength(before);
  });

  it('rules are tried on a URL, if robots.txt allows it', async () => {
    requests.length = 0;
    const tried = await run('extract', `${site.origin}/p/1`, ...local, '--rules', file('shop.yaml'));
    expect(tried.code, tried.stderr).toBe(0);
    expect(tried.stdout).toMatch(/price +89\n/);
    expect(tried.stdout).toContain('left out: 1 value that is not of the type of its field');
    const { stdout } = await run('status', '2', '--json');
    expect((JSON.parse(stdout) as CrawlView).config).toMatchObject({ maxPages: 1, retentionDays: 1 });
    expect(requests).toEqual(['/p/1']);
    const refused = await run('extract', `${site.origin}/private`, ...local, '--rules', file('shop.yaml'));
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('The page could not be had: robots');
    expect(requests).toEqual(['/p/1']);
  });

  it('a selector that takes for ever costs its budget only', async () => {
    const crawled = await run(
      'crawl',
      `${site.origin}/heavy`,
      ...local,
      '--delay',
      '0',
      '--rules',
      file('slow.json'),
    );
    expect(crawled.code, crawled.stderr).toBe(0);
    const listed = await run('pages', '4', '--fields', 'fields,text');
    const pages = byPath(listed.stdout);
    expect(pages.get('/heavy')).toMatchObject({
      text: 'back\nHeavy text.',
      fields: null,
      cut: { rulesTooSlow: 1 },
    });
    expect(pages.get('/p/0')).toMatchObject({ fields: { never: null }, title: 'Lamp' });
    expect(pages.size).toBeGreaterThan(3);
  });
});
