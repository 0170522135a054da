/** More seeds for a crawl (F01), as JSON and as lines. */
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Problem } from '../../../contracts/http.ts';
import { addedSeeds, maxSeedLineBytes, type AddedSeeds } from '../../../contracts/http/seeds.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { newCrawl, noteTaker, serve, setState, startServices, type Api, type Services } from './world.ts';

let services: Services;
let api: Api;
let crawl: string;

beforeAll(async () => {
  services = await startServices();
  api = await serve(services.pool, noteTaker(services.pool), 1e6);
}, 60_000);
afterAll(async () => {
  await api.stop();
  await services.stop();
});
beforeEach(async () => {
  crawl = await newCrawl(services.pool, {}, ['https://a.example/']);
  await setState(services.pool, crawl, 'running', null);
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
async function stored(): Promise<string[]> {
  const { rows } = await services.pool.query<{ url: string }>(
    'select url from seed where crawl_id = $1 and line > 1 and rejected is null order by line',
    [crawl],
  );
  return rows.map(({ url }) => url);
}

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
    const { rows } = await services.pool.query('select count(*)::int as n from seed where crawl_id = $1', [
      crawl,
    ]);
    expect(rows).toEqual([{ n: 100_001 }]);
  }, 60_000);

  it('cut off: whole batches that came before are stored, each once', async () => {
    const sending = httpRequest(`${api.url}/v1/crawls/${crawl}/seeds`, {
      method: 'POST',
      headers: { 'content-type': 'text/uri-list' },
    });
    sending.on('error', () => undefined);
    for (let i = 0; i < 2_500; i++) sending.write(`https://b.example/${String(i)}\n`);
    await vi.waitFor(async () => expect(await stored()).toHaveLength(2_000), { timeout: 20_000 });
    sending.destroy();
    expect((await send('https://b.example/after')).status).toBe(200);
    expect(await stored()).toHaveLength(2_001);
  }, 30_000);

  it.each([['text/plain'], ['text/csv']])('are refused as %s', async (type) => {
    expect((await send('https://b.example/', type)).status).toBe(415);
    expect(await stored()).toEqual([]);
  });

  it('are refused where the crawl was cancelled, and said to be', async () => {
    await setState(services.pool, crawl, 'cancelled', null);
    const { status, body } = await send('https://b.example/');
    expect(status).toBe(409);
    expect(body.detail).toContain('No seed of it was stored.');
  });

  it('all bad: nothing is stored, and a finished crawl stays finished', async () => {
    await setState(services.pool, crawl, 'finished', 'complete');
    expect((await send('x\ny\n')).status).toBe(422);
    const { rows } = await services.pool.query('select state from crawl where id = $1', [crawl]);
    expect(rows).toEqual([{ state: 'finished' }]);
  });
});

it('of another tenant: the crawl is unknown', async () => {
  const key = await newKey(services.pool, await newTenant(services.pool), 'operator');
  const answer = await ask(api.url, key, 'POST', `/v1/crawls/${crawl}/seeds`, { urls: 'https://b.example/' });
  expect(answer.status).toBe(404);
  expect(await stored()).toEqual([]);
});
