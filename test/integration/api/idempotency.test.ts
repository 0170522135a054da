/** Idempotency-Key: what is sent again is done once, and answered as the first time. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { CreatedCrawl } from '../../../contracts/http/crawls.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import { dropOldAnswers } from '../../../storage/tenancy/index.ts';
import { fromNow, tables } from '../../support/database/index.ts';
import { newKey, newTenant } from './asking.ts';
import { noteTaker, serve, withApi } from './world.ts';

const { pool, api } = withApi({ anonymous: true });
let admin: string;
beforeAll(async () => {
  admin = await newKey(pool, '1', 'admin');
});

let made = 0;
const fresh = (): string => `key-${String(++made)}-${String(Math.random())}`;
const crawl = { seeds: ['https://a.example/'] };
async function post(path: string, body: unknown, key: string, token = admin): Promise<Response> {
  return fetch(api.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  });
}
const crawls = () => tables.crawl.count(pool);

describe('a request with an Idempotency-Key', () => {
  it('is done once, and answered the same again', async () => {
    const [key, before] = [fresh(), await crawls()];
    const first = await post('/v1/crawls', crawl, key);
    const again = await post('/v1/crawls', crawl, key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    for (const field of ['content-type', 'location'])
      expect(again.headers.get(field)).toBe(first.headers.get(field));
    expect(await again.json()).toEqual(await first.json());
    expect(await crawls()).toBe(before + 1);
  });

  it('is done once, however many come at the same time', async () => {
    const [key, before] = [fresh(), await crawls()];
    const answers = await Promise.all(Array.from({ length: 12 }, () => post('/v1/crawls', crawl, key)));
    expect(await crawls()).toBe(before + 1);
    for (const answer of answers) expect([201, 409]).toContain(answer.status);
    const waiting = answers.find(({ status }) => status === 409);
    if (waiting !== undefined) expect(waiting.headers.get('retry-after')).toBe('2');
    expect((await post('/v1/crawls', crawl, key)).status).toBe(201);
  });

  it('with another body, or to another path, is refused, and does nothing', async () => {
    const key = fresh();
    const first = await post('/v1/crawls', crawl, key);
    const { id } = (await first.json()) as CreatedCrawl;
    const before = await crawls();
    const others = [
      await post('/v1/crawls', { seeds: ['https://b.example/'] }, key),
      await post(`/v1/crawls/${id}/seeds`, crawl, key),
    ];
    for (const other of others) {
      expect(other.status).toBe(422);
      expect(((await other.json()) as Problem).type).toBe('urn:orbweaver:problem:idempotency-key-reused');
    }
    expect(await crawls()).toBe(before);
  });

  it('that was refused frees its key', async () => {
    const key = fresh();
    expect((await post('/v1/crawls', { seeds: ['nothing'] }, key)).status).toBe(422);
    expect((await post('/v1/crawls', crawl, key)).status).toBe(201);
  });

  it('belongs to its caller: others may use the same key', async () => {
    const key = fresh();
    const tenant = await newTenant(pool);
    const [one, other] = [await newKey(pool, tenant, 'operator'), await newKey(pool, tenant, 'operator')];
    const ids = [];
    for (const token of [admin, one, other]) {
      ids.push(((await (await post('/v1/crawls', crawl, key, token)).json()) as CreatedCrawl).id);
    }
    expect(new Set(ids).size).toBe(3);
  });

  it('that was cut off is not done again', async () => {
    const [key, before] = [fresh(), await crawls()];
    await post('/v1/crawls', crawl, key);
    // As a process leaves it that was killed in between.
    await tables.answer.change(pool, { key }, { status: null, body: null });
    const again = await post('/v1/crawls', crawl, key);
    expect(again.status).toBe(409);
    expect(((await again.json()) as Problem).type).toBe('urn:orbweaver:problem:idempotency-key-pending');
    expect(await crawls()).toBe(before + 1);
  });

  it('whose first one failed here is not done again: nobody knows how far it came', async () => {
    const [key, before] = [fresh(), await crawls()];
    const failing = await serve(pool, {
      control: { ...noteTaker(pool), start: () => Promise.reject(new Error('cut off')) },
      anonymous: true,
    });
    const send = (url: string): Promise<Response> =>
      fetch(`${url}/v1/crawls`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${admin}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(crawl),
      });
    expect((await send(failing.url)).status).toBeGreaterThanOrEqual(500);
    const made = (await crawls()) - before;
    expect((await send(api.url)).status).toBe(409);
    expect((await crawls()) - before).toBe(made);
    await failing.stop();
  });

  it('does not keep what is shown once', async () => {
    const key = fresh();
    const first = await post('/v1/keys', { name: 'a key', role: 'reader' }, key);
    const { key: secret } = (await first.json()) as { key: string };
    expect(secret).toMatch(/^owk_/);
    expect(JSON.stringify(await tables.answer.rows(pool))).not.toContain(secret);
    const again = await post('/v1/keys', { name: 'a key', role: 'reader' }, key);
    expect(again.status).toBe(409);
    expect(((await again.json()) as Problem).type).toBe('urn:orbweaver:problem:idempotency-key-spent');
  });

  it('counts as new after a day, and old answers are dropped', async () => {
    const [key, before] = [fresh(), await crawls()];
    await post('/v1/crawls', crawl, key);
    await tables.answer.change(pool, { key }, { created_at: fromNow(-25 * 3_600) });
    expect((await post('/v1/crawls', crawl, key)).headers.get('idempotent-replayed')).toBeNull();
    expect(await crawls()).toBe(before + 2);
    await tables.answer.change(pool, {}, { created_at: fromNow(-25 * 3_600) });
    expect((await dropOldAnswers(pool)).length).toBeGreaterThan(0);
    expect(await tables.answer.count(pool)).toBe(0);
  });

  it.each(['', ' ', 'a b', 'x'.repeat(256), 'ü'])('whose key is %j is refused', async (key) => {
    const sent = Buffer.from(key).toString('latin1');
    expect((await post('/v1/crawls', crawl, sent)).status).toBe(400);
  });
});
