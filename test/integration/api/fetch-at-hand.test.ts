/** `POST /v1/fetch` where the archive decides: what is at hand is answered without a request, and only to its tenant. */
import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FetchedPage, WaitingFetch } from '../../../contracts/http/fetch.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import { runCli } from '../../cli/run-cli.ts';
import { ownFolder } from '../../support/given.ts';
import { addUrl, changeCrawl, fromNow, longAgo, setState, tables } from '../../support/database/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { addPage, archiveIn, newRunningCrawl, noteTaker, withServed, withServices } from './world.ts';

const { pool } = withServices();
const folder = ownFolder();
const archive = archiveIn(pool, folder);
const control = noteTaker(pool);
const api = withServed(pool, { archive, control, anonymous: true });
let [key, reader, crawl] = ['', '', ''];
beforeAll(async () => {
  [key, reader] = [await newKey(pool, '1', 'operator'), await newKey(pool, '1', 'reader')];
  crawl = await newRunningCrawl(pool);
});

const html =
  '<title>Lamp</title><h1>Lamp</h1><p>It costs <b class=price>12.50</b> €.</p><a href=/more>more</a>';
/** A page of the crawl, with its body in the archive. */
async function visited(url: string, columns: object = {}, body = html, of = crawl): Promise<void> {
  await addPage(pool, of, url, { title: 'Lamp', text: body, links: ['https://a.example/more'] }, columns);
  const { known, ...kept } = await archive.put({
    ...{
      hash: hash('sha256', body, 'buffer'),
      url,
      at: new Date(),
      remoteAddress: null,
      asked: {},
      status: 200,
    },
    ...{ headers: { 'content-type': 'text/html' }, body: Buffer.from(body), truncated: false },
  });
  if (!known) await tables.body.add(pool, { hash: hash('sha256', body, 'buffer'), ...kept });
}

const post = (body: object, by = key) =>
  ask<FetchedPage & WaitingFetch & Problem>(api.url, by, 'POST', '/v1/fetch', { waitSeconds: 0, ...body });
const get = (path: string, by = key) => ask<FetchedPage & WaitingFetch & Problem>(api.url, by, 'GET', path);

describe('a page that is young enough', () => {
  it('is answered from the archive in each format, in whatever spelling it is asked for', async () => {
    await visited('https://a.example/lamp');
    const { status, body } = await post({ url: ' HTTPS://A.example:443/lamp#top' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ id: null, url: 'https://a.example/lamp', crawlId: crawl, fromArchive: true, rendered: false },
      ...{
        format: 'markdown',
        content: '# Lamp\n\nIt costs **12.50** €.\n\n[more](https://a.example/more)\n',
        leftOut: 0,
      },
      page: { url: 'https://a.example/lamp', state: 'done', status: 200, title: 'Lamp', language: 'en' },
    });
    expect(body).not.toHaveProperty('links');
    const as = async (format: string) => (await post({ url: 'https://a.example/lamp', format })).body;
    expect((await as('html')).content).toBe(html);
    expect((await as('text')).content).toContain('It costs 12.50 €.');
    expect(await as('json')).toMatchObject({ links: ['https://a.example/more'], meta: null });
    expect(control.started).toEqual([]);
  });

  it('is cut where no character is cut in two, and says how much is missing', async () => {
    await visited('https://a.example/euros', {}, '<p>€€€</p>');
    const { body } = await post({ url: 'https://a.example/euros', format: 'text', maxBytes: 5 });
    expect(body).toMatchObject({ content: '€', leftOut: 6 });
  });

  it('has the fields that rules find in it, and the values that they cannot read', async () => {
    await visited('https://a.example/rules');
    const fields = { price: { select: '.price', type: 'number' }, name: { select: 'h1', type: 'date' } };
    const { body } = await post({
      url: 'https://a.example/rules',
      format: 'text',
      rules: { fields, exclude: ['a'] },
    });
    expect(body).toMatchObject({
      fields: { price: 12.5, name: null },
      unread: [{ field: 'name', type: 'date', text: 'Lamp' }],
    });
    expect(body.content).not.toContain('more');
  });

  it('is the one to which redirects have led, if all of them are young enough', async () => {
    await visited('https://a.example/new');
    const hop = { redirect_to: 'https://a.example/new', content_hash: null, status: 301, reason: 'redirect' };
    await visited('https://a.example/old', hop);
    const { body } = await post({ url: 'https://a.example/old' });
    expect(body).toMatchObject({ url: 'https://a.example/old', page: { url: 'https://a.example/new' } });
    await tables.url.change(pool, { crawl_id: crawl, url: 'https://a.example/new' }, { fetched_at: longAgo });
    expect((await post({ url: 'https://a.example/old' })).status).toBe(202);
  });

  it('is a 404 as well, as the host has answered', async () => {
    await visited('https://a.example/gone', {
      state: 'dead',
      status: 404,
      reason: 'gone',
      content_hash: null,
    });
    const { status, body } = await post({ url: 'https://a.example/gone' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ content: null, page: { status: 404, state: 'dead', reason: 'gone' } });
  });
});

it('is written by the verb fetch, which says why a page is not there', async () => {
  await visited('https://a.example/verb');
  const run = (...args: readonly string[]) =>
    runCli(['fetch', ...args], { ORBWEAVER_SERVER: api.url, ORBWEAVER_API_KEY: key, ORBWEAVER_DATA: folder });
  expect(await run('https://a.example/verb', '--format', 'html')).toMatchObject({
    code: 0,
    stdout: `${html}\n`,
  });
  const whole = await run('https://a.example/verb', '--json', '--main');
  expect(JSON.parse(whole.stdout)).toMatchObject({ crawlId: crawl, fromArchive: true });
  const awaited = await run('https://a.example/verb', '--max-age', '0', '--wait', '0');
  expect(awaited).toMatchObject({ code: 4, stdout: '' });
  expect(awaited.stderr).toContain('The page is not there yet');
});

describe('is no answer, so the page is asked for', () => {
  const asksFor = async (url: string, wanted: object = {}): Promise<void> => {
    const answer = await post({ url, ...wanted });
    expect(answer.status).toBe(202);
    expect(answer.body.crawlId).not.toBe(crawl);
  };

  it('a visit that is too old, or any visit if none will do', async () => {
    await visited('https://a.example/aged', { fetched_at: new Date(Date.now() - 7_200_000) });
    await asksFor('https://a.example/aged');
    expect((await post({ url: 'https://a.example/aged', maxAgeSeconds: 86_400 })).status).toBe(200);
    await visited('https://a.example/young');
    await asksFor('https://a.example/young', { maxAgeSeconds: 0 });
  });

  it('a visit that was made otherwise: without a browser, or with one', async () => {
    await visited('https://a.example/plain');
    expect((await post({ url: 'https://a.example/plain', render: 'never' })).status).toBe(200);
    await asksFor('https://a.example/plain', { render: 'always' });
    await visited('https://a.example/rendered', { answer_hash: hash('sha256', 'shell', 'buffer') });
    expect((await post({ url: 'https://a.example/rendered', render: 'always' })).status).toBe(200);
    await asksFor('https://a.example/rendered', { render: 'never' });
  });

  it('a visit of a crawl with a login', async () => {
    const signedIn = await newRunningCrawl(pool);
    await visited('https://a.example/mine', {}, html, signedIn);
    expect((await post({ url: 'https://a.example/mine' })).status).toBe(200);
    await changeCrawl(pool, signedIn, { session_revision: 1 });
    await asksFor('https://a.example/mine');
  });

  it('a visit of another tenant, whose fetches are nobody else’s', async () => {
    await visited('https://a.example/ours');
    const other = await newKey(pool, await newTenant(pool), 'operator');
    const asked = await post({ url: 'https://a.example/ours' }, other);
    expect(asked.status).toBe(202);
    const path = `/v1/fetch/${asked.body.id}`;
    expect(asked.headers.get('location')).toBe(path);
    expect((await get(path, other)).status).toBe(202);
    const unknown = await get('/v1/fetch/7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11');
    expect(unknown.status).toBe(404);
    const foreign = await get(path);
    expect(foreign.status).toBe(404);
    expect(foreign.body.detail.replace(asked.body.id, '')).toBe(
      unknown.body.detail.replace('7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11', ''),
    );
  });
});

describe('a page that is asked for', () => {
  it('goes into one crawl of the tenant, once, with all others of the day', async () => {
    const first = (await post({ url: 'https://b.example/1' })).body;
    const again = (await post({ url: 'https://b.example/1', format: 'html' })).body;
    const second = (await post({ url: 'https://b.example/2' })).body;
    expect([again.crawlId, second.crawlId]).toEqual([first.crawlId, first.crawlId]);
    expect(again.id).not.toBe(first.id);
    const seeds = await tables.seed.rows(pool, { crawl_id: first.crawlId });
    expect(
      seeds
        .map(({ url }) => url)
        .filter((url) => url.includes('b.example'))
        .toSorted(),
    ).toEqual(['https://b.example/1', 'https://b.example/2']);
    expect(control.started).toContain(first.crawlId);
    expect(first.waiting.because).not.toBe('');
  });

  it('is one fetch for all who want the same of it, and of no more than a crawl may note', async () => {
    const url = 'https://b.example/same';
    const { id, crawlId } = (await post({ url, maxAgeSeconds: 0 })).body;
    const fetches = () => tables.pageFetch.rows(pool, { crawl_id: crawlId, url });
    const [before] = await fetches();
    expect((await post({ url, maxAgeSeconds: 0 })).body.id).toBe(id);
    expect((await post({ url, maxAgeSeconds: 0, format: 'html' })).body.id).not.toBe(id);
    const after = await fetches();
    expect(after).toHaveLength(2);
    expect(Number(after.find((row) => row.id === id)?.since)).toBeGreaterThan(Number(before?.since));
    await tables.fetchCrawl.change(pool, { crawl_id: crawlId }, { asked_bytes: 2 ** 40 });
    const refused = await post({ url: 'https://b.example/more' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
    expect(refused.body.detail).toContain('as many fetches as one may have');
    expect((await post({ url, maxAgeSeconds: 0 })).body.id).toBe(id);
    await tables.fetchCrawl.change(pool, { crawl_id: crawlId }, { asked_bytes: 0 });
  });

  it('stands for 7 days where its host has asked us to stay away, and is tried anew after other failures', async () => {
    const url = 'https://b.example/closed';
    const { crawlId } = (await post({ url: 'https://b.example/any' })).body;
    await addUrl(pool, crawlId, url, { state: 'failed', reason: 'forbidden', due_at: fromNow(-3_600) });
    const row = { crawl_id: crawlId, url };
    const stateAfterAsking = async () => {
      await post({ url, maxAgeSeconds: 0 });
      return (await tables.url.row(pool, row)).state;
    };
    expect(await stateAfterAsking()).toBe('failed');
    await tables.url.change(pool, row, { due_at: fromNow(-7 * 86_400 + 60) });
    expect(await stateAfterAsking()).toBe('failed');
    await tables.url.change(pool, row, { due_at: fromNow(-7 * 86_400 - 60) });
    expect(await stateAfterAsking()).toBe('queued');
    await tables.url.change(pool, row, { state: 'failed', reason: 'server-error', due_at: fromNow(-60) });
    expect(await stateAfterAsking()).toBe('queued');
  });

  it('is asked for again by those who may start crawls, and by no reader', async () => {
    const { id, crawlId } = (await post({ url: 'https://b.example/from' })).body;
    const moved = {
      state: 'done',
      status: 301,
      reason: 'redirect',
      redirect_to: 'https://b.example/to',
    } as const;
    await addUrl(pool, crawlId, 'https://b.example/from', { ...moved, fetched_at: fromNow(60) });
    await visited('https://b.example/to', { fetched_at: fromNow(-7_200) }, html, crawlId);
    const state = async () =>
      (await tables.url.row(pool, { crawl_id: crawlId, url: 'https://b.example/to' })).state;
    const seen = await get(`/v1/fetch/${id}?waitSeconds=1`, reader);
    expect(seen.status).toBe(202);
    expect(seen.body.waiting.because).toContain('visited again once somebody');
    expect(await state()).toBe('done');
    expect((await get(`/v1/fetch/${id}`)).status).toBe(202);
    expect(await state()).toBe('queued');
  });

  it('goes into another crawl while the one before is ending', async () => {
    const { body } = await post({ url: 'https://b.example/ends' });
    await setState(pool, body.crawlId, 'draining', null, 'limit:max-seconds');
    const next = await post({ url: 'https://b.example/ends' });
    expect(next.status).toBe(202);
    expect(next.body.crawlId).not.toBe(body.crawlId);
  });

  it('is told to have no one to fetch it once its crawl was cancelled; the next is fetched by another', async () => {
    const { body } = await post({ url: 'https://c.example/1' });
    await setState(pool, body.crawlId, 'cancelled', 'enough', 'cancelled');
    const answer = await get(`/v1/fetch/${body.id}`);
    expect(answer.status).toBe(409);
    expect(answer.body.detail).toContain('was cancelled');
    const next = await post({ url: 'https://c.example/1' });
    expect(next.status).toBe(202);
    expect(next.body.crawlId).not.toBe(body.crawlId);
  });

  it('is refused where a quota is spent, and to those who may only read', async () => {
    const poor = await newKey(pool, await newTenant(pool, { crawlsPerDay: 0 }), 'operator');
    const refused = await post({ url: 'https://d.example/' }, poor);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ type: 'urn:orbweaver:problem:quota-spent', quota: 'crawlsPerDay' });
    expect((await post({ url: 'https://d.example/' }, reader)).status).toBe(403);
  });
});

it.each([
  [{ url: 'ftp://a.example/' }, 'This URL cannot be crawled'],
  [{ url: 'https://a.example/', format: 'pdf' }, 'format: it must be one of'],
  [{ url: 'https://a.example/', maxBytes: 0 }, 'maxBytes: it must be at least 1'],
  [{ url: 'https://a.example/', waitSeconds: 121 }, 'waitSeconds: it must be at most 120'],
  [{ url: 'https://a.example/', rules: { fields: { a: { select: 'b[' } } } }, 'not a CSS selector'],
  [{ url: 'https://a.example/', maxAge: 1 }, 'there is no "maxAge"'],
])('%j is refused', async (body, words) => {
  const answer = await post(body);
  expect(answer.status).toBe(422);
  expect(answer.body.detail).toContain(words);
});
