/** The ranking of domains over HTTP: imported as lines of either format, looked up, used for scores, removed (F02). */
import { expect, it } from 'vitest';
import type { Problem } from '../../../contracts/http/problem.ts';
import type { ImportedRanks, RanksView } from '../../../contracts/http/ranks.ts';
import { RankBook } from '../../../engine/books/esteem-books.ts';
import { until } from '../../support/until.ts';
import { withApi } from './world.ts';

const { pool, api } = withApi();

const post = async (
  body: string,
  query = '',
  type = 'text/csv',
): Promise<{ status: number; body: ImportedRanks & Problem }> => {
  const response = await fetch(`${api.url}/v1/ranks${query}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  return { status: response.status, body: (await response.json()) as ImportedRanks & Problem };
};
const look = async (domain: string): Promise<RanksView> =>
  (await (await fetch(`${api.url}/v1/ranks?domain=${domain}`)).json()) as RanksView;

it('keeps the latest ranking only, by the better place of each domain', async () => {
  const many = Array.from({ length: 12_000 }, (_, at) => `${String(at + 1)},d${String(at + 1)}.example`);
  expect((await post(many.join('\r\n'))).body).toMatchObject({ domains: 12_000, refused: [] });
  expect(await look('www.d7.example')).toEqual({
    domains: 12_000,
    ranked: { domain: 'd7.example', place: 7 },
  });

  const common = [
    '#harmonicc_pos\t#harmonicc_val',
    '1\t9\t2\t1\tcom.first',
    '4\t8\t1\t1\tcom.fourth',
    '5\t8\t1\t1\tcom.fourth',
  ];
  const second = await post(common.join('\n'), '?most=4', 'text/tab-separated-values');
  expect(second.body).toEqual({ domains: 2, beyond: 1, refusedCount: 0, refused: [] });
  expect(await look('d7.example')).toEqual({ domains: 2, ranked: null });

  const book = new RankBook(pool);
  const places = await book.placesOf([
    'https://www.fourth.com',
    'http://first.com:8080',
    'https://other.com',
  ]);
  expect(Object.fromEntries(places)).toEqual({ 'https://www.fourth.com': 4, 'http://first.com:8080': 1 });
});

it('reports lines that are none, and keeps the ranking if there is no other', async () => {
  const mixed = await post('1,a.example\nnonsense\n2,https://b.example/\n');
  expect(mixed.body).toMatchObject({ domains: 1, refusedCount: 2 });
  expect(mixed.body.refused).toEqual([
    { line: 2, text: 'nonsense' },
    { line: 3, text: '2,https://b.example/' },
  ]);
  const none = await post('<html>\n');
  expect(none).toMatchObject({
    status: 422,
    body: { detail: expect.stringMatching(/^No line .* is a line of a ranking/) as unknown },
  });
  expect(await look('a.example')).toMatchObject({ ranked: { place: 1 } });
  expect((await post('{}', '', 'application/json')).status).toBe(415);
  expect((await post('1,a.example', '?most=0')).status).toBe(400);

  const removed = await fetch(`${api.url}/v1/ranks`, { method: 'DELETE' });
  expect(await removed.json()).toEqual({ removed: 1 });
  expect(await look('a.example')).toEqual({ domains: 0, ranked: null });
});

it('holds the ranking whose import began last, and nothing of the other', async () => {
  const entries = (name: string, count: number): string =>
    Array.from({ length: count }, (_, at) => `${String(at + 1)},${name}${String(at)}.example`).join('\n');
  let send = (_part: string | null): void => undefined;
  const parts = new ReadableStream<Uint8Array>({
    start: (stream) => {
      send = (part) => {
        if (part === null) stream.close();
        else stream.enqueue(Buffer.from(part));
      };
    },
  });
  const first = fetch(`${api.url}/v1/ranks`, {
    ...{ method: 'POST', headers: { 'content-type': 'text/csv' }, body: parts, duplex: 'half' },
  });
  send(`${entries('early', 6_000)}\n`);
  await until(
    'the first import has stored entries',
    async () => (await look('early1.example')).ranked !== null,
  );
  expect((await post(`${entries('late', 20)}\n`)).body).toMatchObject({ domains: 20 });
  send(entries('slow', 6_000));
  send(null);
  const answer = await first;
  expect([answer.status, ((await answer.json()) as Problem).detail]).toEqual([
    409,
    expect.stringMatching(/^Another import, or the removal of the ranking, began/),
  ]);
  expect(await look('slow1.example')).toEqual({ domains: 20, ranked: null });
});
