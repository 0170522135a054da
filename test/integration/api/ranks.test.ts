/** The ranking of domains over HTTP: imported as lines of either format, looked up, used for scores, removed (F02). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Problem } from '../../../contracts/http/problem.ts';
import type { ImportedRanks } from '../../../contracts/http/ranks.ts';
import { RankBook } from '../../../engine/books/rank-book.ts';
import { noteTaker, serve, startServices, type Api, type Services } from './world.ts';

let services: Services;
let api: Api;
beforeAll(async () => {
  services = await startServices();
  api = await serve(services.pool, noteTaker(services.pool));
});
afterAll(async () => {
  await api.stop();
  await services.stop();
});

const send = async (
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
const look = async (domain: string): Promise<unknown> =>
  (await fetch(`${api.url}/v1/ranks?domain=${domain}`)).json();

it('keeps the latest ranking only, by the better place of each domain', async () => {
  const many = Array.from({ length: 12_000 }, (_, at) => `${String(at + 1)},d${String(at + 1)}.example`);
  expect((await send(many.join('\r\n'))).body).toMatchObject({ domains: 12_000, refused: [] });
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
  const second = await send(common.join('\n'), '?most=4', 'text/tab-separated-values');
  expect(second.body).toEqual({ domains: 2, beyond: 1, refusedCount: 0, refused: [] });
  expect(await look('d7.example')).toEqual({ domains: 2, ranked: null });

  const book = new RankBook(services.pool);
  const places = await book.placesOf([
    'https://www.fourth.com',
    'http://first.com:8080',
    'https://other.com',
  ]);
  expect(Object.fromEntries(places)).toEqual({ 'https://www.fourth.com': 4, 'http://first.com:8080': 1 });
});

it('reports lines that are none, and keeps the ranking if there is no other', async () => {
  const mixed = await send('1,a.example\nnonsense\n2,https://b.example/\n');
  expect(mixed.body).toMatchObject({ domains: 1, refusedCount: 2 });
  expect(mixed.body.refused).toEqual([
    { line: 2, text: 'nonsense' },
    { line: 3, text: '2,https://b.example/' },
  ]);
  const none = await send('<html>\n');
  expect(none).toMatchObject({
    status: 422,
    body: { detail: expect.stringMatching(/^No line .* is a line of a ranking/) as unknown },
  });
  expect(await look('a.example')).toMatchObject({ ranked: { place: 1 } });
  expect((await send('{}', '', 'application/json')).status).toBe(415);
  expect((await send('1,a.example', '?most=0')).status).toBe(400);

  const removed = await fetch(`${api.url}/v1/ranks`, { method: 'DELETE' });
  expect(await removed.json()).toEqual({ removed: 1 });
  expect(await look('a.example')).toEqual({ domains: 0, ranked: null });
});
