/** More seeds for a crawl (F01), as JSON and as lines. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Problem } from '../../../contracts/http/problem.ts';
import {
  addedSeeds,
  maxSeedLineBytes,
  seedList,
  type AddedSeeds,
  type SeedView,
} from '../../../contracts/http/seeds.ts';
import {
  bringTableBack,
  crawlState,
  seedsOf,
  setState,
  tables,
  takeTableAway,
} from '../../support/database/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { newCrawl, newRunningCrawl, withApi } from './world.ts';

const { pool, api } = withApi();
let crawl: string;
beforeEach(async () => {
  crawl = await newRunningCrawl(pool, {}, ['https://a.example/']);
});

async function send(
  body: string | Buffer | Readable,
  type = 'text/uri-list',
): Promise<{ status: number; body: AddedSeeds & Partial<Problem> }> {
  const response = await fetch(`${api.url}/v1/crawls/${crawl}/seeds`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: body instanceof Readable ? Readable.toWeb(body) : body,
    duplex: 'half',
  });
  return { status: response.status, body: (await response.json()) as AddedSeeds & Partial<Problem> };
}

/** Good ones, in their order, behind the one that the crawl began with. */
const stored = async (): Promise<string[]> => (await seedsOf(pool, crawl)).slice(1);

describe('as JSON', () => {
  it('are stored behind those that there are; bad ones are told one by one', async () => {
    const { status, body } = await send(
      JSON.stringify({ urls: ['https://b.example/', 'ftp://c.example/'] }),
      'application/json',
    );
    expect(status).toBe(200);
    expect(addedSeeds.parse(body)).toEqual(body);
    expect(body).toMatchObject({ accepted: 1, rejectedCount: 1, rejected: [{ line: 2 }] });
    expect(await stored()).toEqual(['https://b.example/']);
  });

  it.each([[{}], [{ urls: [] }], [{ urls: ['x'] }], [{ urls: 'https://b.example/', other: 1 }]])(
    '%j is refused, and nothing is stored',
    async (body) => {
      expect((await send(JSON.stringify(body), 'application/json')).status).toBe(422);
      expect(await stored()).toEqual([]);
    },
  );
});

describe('as lines', () => {
  it('keep the good ones and tell of every bad one by its line', async () => {
    const body = Buffer.concat([
      Buffer.from('# a comment\r\nhttps://b.example/1\r\n\nno url\nhttps://b.example/'),
      Buffer.from([0xff, 0x0a]),
      Buffer.from(`a\0b\nhttps://b.example/${'x'.repeat(maxSeedLineBytes)}\nhttps://b.example/last`),
    ]);
    const answer = await send(body);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ accepted: 2, rejectedCount: 4 });
    expect(answer.body.rejected.map(({ line }) => line)).toEqual([4, 5, 6, 7]);
    expect(answer.body.rejected.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('not-a-url'),
      expect.stringContaining('is not UTF-8'),
      expect.stringContaining('not-a-url'),
      expect.stringContaining('too-long'),
    ]);
    expect(await stored()).toEqual(['https://b.example/1', 'https://b.example/last']);
  });

  it('may be JSON', async () => {
    const answer = await send(
      '"https://b.example/1"\n{"url":"https://b.example/2"}\n{]\n7\n',
      'application/x-ndjson',
    );
    expect(answer.body).toMatchObject({
      accepted: 2,
      rejectedCount: 2,
      rejected: [{ line: 3 }, { line: 4 }],
    });
    expect(await stored()).toEqual(['https://b.example/1', 'https://b.example/2']);
  });

  it('stores 100,000 lines with flat memory', async () => {
    const lines = function* (): Generator<Buffer> {
      for (let block = 0; block < 100; block++)
        yield Buffer.from(
          Array.from({ length: 1_000 }, (_, i) => `https://b.example/${String(block)}/${String(i)}\n`).join(
            '',
          ),
        );
    };
    let peak = 0;
    const before = process.memoryUsage().rss;
    const meter = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
    const began = performance.now();
    const answer = await send(Readable.from(lines()));
    clearInterval(meter);
    console.info(
      `100,000 seeds: ${((performance.now() - began) / 1_000).toFixed(2)} s, +${String((peak - before) >> 20)} MB`,
    );
    expect(answer.body).toMatchObject({ accepted: 100_000, rejectedCount: 0 });
    expect((peak - before) / 1024 ** 2).toBeLessThan(200);
    expect(await tables.seed.count(pool, { crawl_id: crawl })).toBe(100_001);
  });

  it('that cannot be stored any more are told as a fault of ours, with what is stored', async () => {
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      const sending = httpRequest(`${api.url}/v1/crawls/${crawl}/seeds`, {
        method: 'POST',
        headers: { 'content-type': 'text/uri-list', authorization: `Bearer ${api.key}` },
      });
      sending.once('response', resolve).once('error', reject);
      void (async () => {
        for (let i = 0; i < 2_500; i++) sending.write(`https://b.example/${String(i)}\n`);
        await expect.poll(stored).toHaveLength(2_000);
        await takeTableAway(pool, 'seed');
        for (let i = 0; i < 2_500; i++) sending.write(`https://c.example/${String(i)}\n`);
      })();
    });
    try {
      expect((await answered).statusCode).toBe(500);
    } finally {
      await bringTableBack(pool, 'seed');
    }
    expect(await stored()).toHaveLength(2_000);
  });

  it('cut off: whole batches that came before are stored, each once', async () => {
    const sending = httpRequest(`${api.url}/v1/crawls/${crawl}/seeds`, {
      method: 'POST',
      headers: { 'content-type': 'text/uri-list' },
    });
    sending.on('error', () => undefined);
    for (let i = 0; i < 2_500; i++) sending.write(`https://b.example/${String(i)}\n`);
    await expect.poll(stored).toHaveLength(2_000);
    sending.destroy();
    expect((await send('https://b.example/after')).status).toBe(200);
    expect(await stored()).toHaveLength(2_001);
  });

  it.each([['text/plain'], ['text/csv']])('are refused as %s', async (type) => {
    expect((await send('https://b.example/', type)).status).toBe(415);
    expect(await stored()).toEqual([]);
  });

  it('are refused where the crawl was cancelled, and said to be', async () => {
    await setState(pool, crawl, 'cancelled', null);
    const { status, body } = await send('https://b.example/');
    expect(status).toBe(409);
    expect(body.detail).toContain('No seed of the body was stored.');
  });

  it('all bad: nothing is stored, and a finished crawl stays finished', async () => {
    await setState(pool, crawl, 'finished', 'complete');
    expect((await send('x\ny\n')).status).toBe(422);
    expect(await crawlState(pool, crawl)).toBe('finished');
  });
});

it('of another tenant: the crawl is unknown', async () => {
  const key = await newKey(pool, await newTenant(pool), 'operator');
  const answer = await ask(api.url, key, 'POST', `/v1/crawls/${crawl}/seeds`, { urls: 'https://b.example/' });
  expect(answer.status).toBe(404);
  expect(await stored()).toEqual([]);
});

describe('the list', () => {
  interface SeedPage {
    readonly items: readonly SeedView[];
    readonly next: string | null;
  }
  const list = async (query = '', id = crawl): Promise<SeedPage> => {
    const { status, body } = await ask<SeedPage>(api.url, api.key, 'GET', `/v1/crawls/${id}/seeds${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(seedList.parse(body)).toEqual(body);
    return body;
  };

  it('has them in their order, good and rejected ones, page by page', async () => {
    await send(['https://b.example/', 'ftp://c.example/', 'no url', 'https://d.example/'].join('\n'));
    const all = [
      { line: 1, url: 'https://a.example/', state: 'good', reason: null },
      { line: 2, url: 'https://b.example/', state: 'good', reason: null },
      { line: 3, url: 'ftp://c.example/', state: 'rejected', reason: 'scheme' },
      { line: 4, url: 'no url', state: 'rejected', reason: 'not-a-url' },
      { line: 5, url: 'https://d.example/', state: 'good', reason: null },
    ];
    expect(await list()).toEqual({ items: all, next: null });
    expect((await list('?state=rejected')).items).toEqual(all.slice(2, 4));
    expect((await list('?state=good')).items).toEqual([...all.slice(0, 2), ...all.slice(4)]);
    const seen: SeedView[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: SeedPage = await list(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.items);
      cursor = page.next;
    }
    expect(seen).toEqual(all);
  });

  it('is of the own crawl alone, and so are its cursors', async () => {
    await send('https://b.example/\nhttps://c.example/');
    const { next } = await list('?limit=1');
    const other = await newCrawl(pool, {}, ['https://x.example/', 'https://y.example/']);
    const path = `/v1/crawls/${other}/seeds?cursor=${String(next)}`;
    expect((await ask(api.url, api.key, 'GET', path)).status).toBe(400);
    const stranger = await newKey(pool, await newTenant(pool), 'admin');
    expect((await ask(api.url, stranger, 'GET', `/v1/crawls/${crawl}/seeds`)).status).toBe(404);
  });

  it.each(['?state=new', '?cursor=0', '?limit=1001', '?what=1'])('is refused with %s', async (query) => {
    expect((await ask(api.url, api.key, 'GET', `/v1/crawls/${crawl}/seeds${query}`)).status).toBe(400);
  });
});
