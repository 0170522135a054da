/** The export of a crawl: everything, in one answer that is never held in memory. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { pageFields } from '../../../contracts/page-fields.ts';
import { type PageView, pageView } from '../../../contracts/http/results.ts';
import { addUrls, busyConnections, setState } from '../../support/database/index.ts';
import { newKey, newTenant } from './asking.ts';
import { addPage, newRunningCrawl, withApi } from './world.ts';

const { pool, api } = withApi();
let crawl: string;
beforeAll(async () => {
  crawl = await newRunningCrawl(pool, {}, ['https://a.example/']);
});

const get = (query = '', id = crawl): Promise<Response> => fetch(`${api.url}/v1/crawls/${id}/export${query}`);

/** Pages of a crawl of its own, put there directly. */
async function largeCrawl(pages: number): Promise<string> {
  const id = await newRunningCrawl(pool, {}, ['https://large.example/']);
  const { hostId } = await addPage(pool, id, 'https://large.example/', {
    title: 'x',
    text: 'x',
    links: [],
  });
  const urls = Array.from({ length: pages - 1 }, (_, n) => ({
    ...{
      host_id: hostId,
      url: `https://large.example/page/${String(n)}`,
      state: 'done',
      content_type: 'text/html',
    },
    ...{ status: 200, bytes: 1_000, fetches: 1, fetched_at: new Date(Date.now() - n) },
  }));
  await addUrls(pool, id, urls);
  await setState(pool, id, 'finished', 'complete');
  return id;
}

describe('an export', () => {
  it('has every page as `pages` answers it, a line each', async () => {
    const nasty = { title: '=1+1,"x"\n', text: 'a few words', links: ['https://a.example/2'] };
    await addPage(pool, crawl, 'https://a.example/1', nasty, {
      fetched_at: new Date(Date.now() - 60_000),
      cut: JSON.stringify({ links: 1_300, nofollow: 3 }),
    });
    await addPage(
      pool,
      crawl,
      'https://a.example/2',
      { ...nasty, title: 'Two' },
      { fetched_at: new Date(Date.now() - 50_000) },
    );
    const response = await get('?fields=links,text');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as PageView);
    const { items } = (await (
      await fetch(`${api.url}/v1/crawls/${crawl}/pages?fields=links,text`)
    ).json()) as { items: PageView[] };
    expect(lines).toEqual(items);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(pageView.parse(line)).toEqual(line);
  });

  it('as CSV quotes what has to be, and gives no spreadsheet a formula', async () => {
    const response = await get('?format=csv');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head, first] = (await response.text()).split('\r\n');
    expect(head).toMatch(/^url,state,status,reason,title,/);
    expect(first).toContain(`https://a.example/1,done,200,,"'=1+1,""x""`);
  });

  it('as CSV has all that a page tells, what was left out of it too', async () => {
    const [head = '', ...lines] = (await (await get('?format=csv')).text()).trimEnd().split('\r\n');
    // What was left out as repeated is told with the text.
    const asked: readonly string[] = [...pageFields, 'repeated'];
    const told = Object.keys(pageView.shape).filter((field) => !asked.includes(field));
    expect(head.split(',').toSorted()).toEqual(told.toSorted());
    expect(lines.map((line) => line.split(',').at(-1))).toEqual(['links=1300 nofollow=3', '']);
  });

  it('as CSV has the fields that are asked for as further columns, texts as they are and others as JSON', async () => {
    const [plain = '', ...pages] = (await (await get('?format=csv')).text()).trimEnd().split('\r\n');
    const [head, ...lines] = (await (await get('?format=csv&fields=text,links,fields')).text())
      .trimEnd()
      .split('\r\n');
    expect(head).toBe(`${plain},text,links,fields`);
    expect(lines).toEqual(pages.map((page) => `${page},a few words,"[""https://a.example/2""]",`));
  });

  it('is refused for what is no crawl of the caller, and for questions that make no sense', async () => {
    const tenant = await newTenant(pool);
    const key = await newKey(pool, tenant, 'admin');
    const theirs = await fetch(`${api.url}/v1/crawls/${crawl}/export`, {
      headers: { 'api-x-token': `Bearer ${key}` },
    });
    expect([theirs.status, (await get('', '999')).status]).toEqual([404, 404]);
    expect((await get('?format=xml')).status).toBe(400);
    expect((await get('?format=warc&fields=text')).status).toBe(400);
  });

  it('is one of ten at a time: more are refused until one has ended', async () => {
    const id = await largeCrawl(30_000);
    const open: IncomingMessage[] = [];
    for (let n = 0; n < 10; n++) {
      open.push(
        await new Promise((begun, failed) => {
          httpRequest(`${api.url}/v1/crawls/${id}/export`, {
            headers: { authorization: `Bearer ${api.key}` },
          })
            .on('response', begun)
            .on('error', failed)
            .end();
        }),
      );
    }
    const refused = await get('', id);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    expect(refused.headers.get('content-disposition')).toBeNull();
    for (const each of open) each.destroy();
    await expect.poll(async () => (await get('?format=csv')).status).toBe(200);
  });

  it('of 100,000 pages is whole', { tags: ['deep'] }, async () => {
    const response = await get('', await largeCrawl(100_000));
    const seen = new Set<string>();
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) seen.add((JSON.parse(line) as PageView).url);
    }
    expect([seen.size, rest]).toEqual([100_000, '']);
  });

  it('is read from the database no faster than its reader takes it', { tags: ['long'] }, async () => {
    const id = await largeCrawl(100_000);
    const queries = vi.spyOn(pool, 'query');
    onTestFinished(() => queries.mockRestore());
    const asked = httpRequest(`${api.url}/v1/crawls/${id}/export`).end();
    onTestFinished(() => {
      asked.destroy();
    });
    const answer = await new Promise<IncomingMessage>((resolve) => asked.once('response', resolve));
    answer.pause();
    let before = -1;
    await expect
      .poll(
        () => {
          const [last, now] = [before, queries.mock.calls.length];
          before = now;
          return now - last;
        },
        { interval: 500 },
      )
      .toBe(0);
    // Each batch of a thousand takes some three; what the sockets of the system hold is read ahead.
    expect(queries.mock.calls.length).toBeLessThan(150);
  });

  it('ends when its reader leaves', async () => {
    const id = await largeCrawl(30_000);
    await new Promise<void>((resolve, reject) => {
      const asked = httpRequest(`${api.url}/v1/crawls/${id}/export`, (answer) => {
        answer.once('data', () => {
          asked.destroy();
          resolve();
        });
      });
      asked.once('error', reject).end();
    });
    await expect.poll(() => busyConnections(pool)).toBe(0);
    expect((await get('', crawl)).status).toBe(200);
  });
});
