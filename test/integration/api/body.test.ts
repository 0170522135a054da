/** `GET /v1/crawls/{crawlId}/body` and the verb `body`: what a server sent, from a real archive. */
import { hash as digest, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { NotHereYet, type Capture } from '../../../storage/archive/index.ts';
import { runCli, type CliResult } from '../../cli/run-cli.ts';
import { addUrl, tables } from '../../support/database/index.ts';
import { archiveIn, newCrawl, serve, withServices, withServed } from './world.ts';
import { ownFolder } from '../../support/given.ts';

const { pool } = withServices();
const folder = ownFolder();
const archive = archiveIn(pool, folder);
const api = withServed(pool, { archive });
let crawl: string;
beforeAll(async () => {
  crawl = await newCrawl(pool);
});

/** As a fetch stores it. */
async function stored(url: string, body: Buffer, headers: Capture['headers'] = {}): Promise<void> {
  const hash = digest('sha256', body, 'buffer');
  const content_type = headers['content-type'] ?? null;
  const place = await addUrl(pool, crawl, url, {
    state: 'done',
    status: 200,
    content_hash: hash,
    content_type,
  });
  const { known, ...kept } = await archive.put({
    ...{ hash, url, at: new Date(), remoteAddress: null, asked: {}, status: 200 },
    ...{ headers, body, truncated: false },
  });
  if (known)
    await tables.revisit.add(pool, { host_id: place.hostId, crawl_id: crawl, key: place.key, ...kept });
  else await tables.body.add(pool, { hash, ...kept });
}

const ask = (url: string, part = 'body', id = crawl): Promise<Response> =>
  fetch(`${api.url}/v1/crawls/${id}/body?part=${part}&url=${encodeURIComponent(url)}`);
const verb = (...args: readonly string[]): Promise<CliResult> =>
  runCli(['body', ...args], {
    ...{ ORBWEAVER_SERVER: api.url, ORBWEAVER_API_KEY: api.key, ORBWEAVER_DATA: folder },
  });

it('is every byte, as something that no browser shows', async () => {
  const body = randomBytes(3_000_000);
  await stored('https://a.example/large', body, { 'content-type': 'text/html' });
  const answer = await ask('HTTPS://A.example:443/large#top');
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'x-content-type-options': 'nosniff',
  });
  expect(body.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
});

it('is sent in parts as well', async () => {
  await stored('https://a.example/parts', Buffer.from('0123456789'));
  const part = (range: string, more: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${api.url}/v1/crawls/${crawl}/body?url=${encodeURIComponent('https://a.example/parts')}`, {
      headers: { range, ...more },
    });
  const shown = async (answer: Response) => {
    const { status, headers } = answer;
    return [status, headers.get('content-range'), status < 400 ? await answer.text() : null];
  };
  expect(await shown(await part('bytes=2-4'))).toEqual([206, 'bytes 2-4/10', '234']);
  expect(await shown(await part('bytes=8-'))).toEqual([206, 'bytes 8-9/10', '89']);
  expect(await shown(await part('bytes=-3'))).toEqual([206, 'bytes 7-9/10', '789']);
  expect(await shown(await part('bytes=10-'))).toEqual([416, 'bytes */10', null]);
  // Nobody knows whether it is what the client has the beginning of.
  expect(await shown(await part('bytes=2-4', { 'if-range': '"x"' }))).toEqual([200, null, '0123456789']);
});

it('has the head of its own answer, also where another page brought the body', async () => {
  const body = Buffer.from('shared');
  await stored('https://a.example/first', body, { etag: '"one"', 'content-encoding': 'gzip' });
  await stored('https://a.example/second', body, { etag: '"two"' });
  expect(await (await ask('https://a.example/first', 'head')).text()).toBe(
    'HTTP/1.1 200 OK\r\netag: "one"\r\nx-archive-orig-content-encoding: gzip\r\ncontent-length: 6\r\n',
  );
  expect(await (await ask('https://a.example/second', 'head')).text()).toContain('etag: "two"');
  expect(await (await ask('https://a.example/second')).text()).toBe('shared');
});

it('has the head that a page was first answered with, though it has not changed since', async () => {
  const body = Buffer.from('for ever');
  await stored('https://a.example/stays', body, { etag: '"old"' });
  const hash = digest('sha256', body, 'buffer');
  const { known, ...kept } = await archive.put({
    ...{ hash, url: 'https://a.example/stays', at: new Date(), remoteAddress: null, asked: {}, status: 304 },
    ...{ headers: { etag: '"old"' }, body: Buffer.of(), truncated: false, unchangedSince: new Date() },
  });
  const [url] = await tables.url.rows(pool, { url: 'https://a.example/stays' });
  await tables.revisit.add(pool, { host_id: url?.host_id, crawl_id: crawl, key: url?.key, ...kept });
  expect(known).toBe(true);
  expect(await (await ask('https://a.example/stays', 'head')).text()).toContain('200 OK\r\netag: "old"');
  expect(await (await ask('https://a.example/stays')).text()).toBe('for ever');
});

it('has no head where only an answer that brought another body has one', async () => {
  const [before, now] = [Buffer.from('before'), Buffer.from('now')];
  await stored('https://a.example/other', before);
  await stored('https://a.example/changed', before, { etag: '"before"' });
  await stored('https://a.example/now', now);
  await tables.url.change(
    pool,
    { crawl_id: crawl, url: 'https://a.example/changed' },
    { content_hash: digest('sha256', now, 'buffer') },
  );
  expect(await (await ask('https://a.example/changed')).text()).toBe('now');
  expect((await ask('https://a.example/changed', 'head')).status).toBe(404);
});

it('is Markdown for whoever wants that, over the API and by the verb', async () => {
  const html = '<nav>Menu</nav><h1>Sizes</h1><table><tr><th>a<th>b<tr><td>1<td><a href="x">2</a></table>';
  await stored('https://a.example/dir/page', Buffer.from(html), { 'content-type': 'text/html' });
  const answer = await ask('https://a.example/dir/page', 'markdown');
  expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  const wanted = '# Sizes\n\n| a | b |\n| --- | --- |\n| 1 | [2](https://a.example/dir/x) |\n';
  expect(await answer.text()).toBe(wanted);
  expect(await verb(crawl, 'https://a.example/dir/page', '--markdown')).toMatchObject({
    code: 0,
    stdout: wanted,
  });

  const text = 'A spider builds a web, and waits in it, and eats what comes, day after day. '.repeat(4);
  const around = (inner: string) =>
    `<div class="sidebar"><ol><li><a href=/m>Menu</a></ol></div>${inner}<div class="comments"><p>${text}</p></div>`;
  const article = around(
    `<article><h1>Spiders</h1><p>${text}</p><ol><li><b>Eight</b> legs, as all of them have.</ol></article>`,
  );
  await stored('https://a.example/spiders', Buffer.from(article), { 'content-type': 'text/html' });
  const main = `# Spiders\n\n${text.trim()}\n\n1. **Eight** legs, as all of them have.\n`;
  expect(await (await ask('https://a.example/spiders', 'main-markdown')).text()).toBe(main);
  expect(await verb(crawl, 'https://a.example/spiders', '--markdown', '--main')).toMatchObject({
    stdout: main,
  });

  await stored('https://a.example/long', Buffer.from('word '.repeat(200_100)), {
    'content-type': 'text/html',
  });
  expect((await ask('https://a.example/long', 'markdown')).headers.get('orbweaver-left-out')).toBe('500');
  await stored('https://a.example/png', Buffer.from('PNG'), { 'content-type': 'image/png' });
  expect((await ask('https://a.example/png', 'markdown')).status).toBe(422);
  expect((await ask('https://a.example/none', 'markdown')).status).toBe(404);
});

it('is refused where there is none', async () => {
  await addUrl(pool, crawl, 'https://a.example/waits');
  expect((await ask('https://a.example/waits')).status).toBe(404);
  expect((await ask('https://never.example/')).status).toBe(404);
  expect((await ask('https://a.example/first', 'body', '999999')).status).toBe(404);
  expect((await ask('mailto:a@b')).status).toBe(422);
});

it.each<[Error, RegExp]>([
  [new NotHereYet('some segment'), /still on the machine that fetched it/],
  [Object.assign(new Error('HTTP 503'), { code: 'EIO' }), /store of bodies does not answer/],
  [
    Object.assign(new Error('canceling statement'), { name: 'TooLate', code: '57014' }),
    /database took too long/,
  ],
])('is not said to be missing where it cannot be had now: %s', async (error, said) => {
  const fails = (): Promise<never> => Promise.reject(error);
  const away = await serve(pool, { archive: { answer: fails, ownAnswer: fails } });
  const page = `https://a.example/away/${error.name}`;
  await stored(page, Buffer.from(`away ${String(error)}`));
  try {
    const answer = await fetch(`${away.url}/v1/crawls/${crawl}/body?url=${encodeURIComponent(page)}`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toMatch(said);
  } finally {
    await away.stop();
  }
});

it('is written by the verb, to standard output or to a file', async () => {
  await stored('https://a.example/verb', Buffer.from('byte by byte'), { etag: '"verb"' });
  expect(await verb(crawl, 'https://a.example/verb')).toMatchObject({ code: 0, stdout: 'byte by byte' });
  const head = await verb(crawl, 'https://a.example/verb', '--head');
  expect(head.stdout).toContain('HTTP/1.1 200 OK\r\netag: "verb"\r\n');
  const file = path.join(folder, 'page');
  expect((await verb(crawl, 'https://a.example/verb', '--out', file)).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe('byte by byte');
  const none = await verb(crawl, 'https://a.example/none');
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no stored body of this URL')]);
});
