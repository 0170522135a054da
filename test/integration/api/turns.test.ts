/** One tenant's requests keep no other tenant's waiting: they are held closed here, and the other's go through. */
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createTurns, type Turns } from '../../../api/way-in/turns.ts';
import type { FairTurns } from '../../../domain/fair-turns.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import { createTenant } from '../../../storage/tenancy/index.ts';
import { ask, newKey, type Answer } from './asking.ts';
import { addPage, serve, withServices } from './world.ts';

const { pool } = withServices();
const tenants = { one: '', other: '' };
const keys = { one: '', other: '' };
beforeAll(async () => {
  for (const name of ['one', 'other'] as const) {
    tenants[name] = (await createTenant(pool, name, {}))?.id ?? '';
    keys[name] = await newKey(pool, tenants[name], 'admin');
  }
});

type Who = keyof typeof keys;
interface Served {
  readonly url: string;
  readonly as: <T = unknown>(who: Who, method: string, path: string, body?: unknown) => Promise<Answer<T>>;
  /** The crawl of each of the two. */
  readonly crawls: Readonly<Record<Who, string>>;
}

async function served(turns: Turns, archive?: Parameters<typeof serve>[1]): Promise<Served> {
  const api = await serve(pool, { anonymous: true, turns, ...archive });
  onTestFinished(() => api.stop());
  const as: Served['as'] = (who, ...request) => ask(api.url, keys[who], ...request);
  const make = async (who: Who): Promise<string> =>
    (await as<{ id: string }>(who, 'POST', '/v1/crawls', { seeds: 'https://a.example/' })).body.id;
  return { url: api.url, as, crawls: { one: await make('one'), other: await make('other') } };
}

/** Why the first tenant would get no turn now. */
const refused = (turns: FairTurns): string | null => {
  const turn = turns.ask(Number(tenants.one));
  if (typeof turn === 'string') return turn;
  turn.end();
  return null;
};
/** Resolves when as many of the first tenant wait as may. */
const full = (turns: FairTurns) => expect.poll(() => refused(turns)).toBe('full-for-one');

const few = { atOnce: 2, atOnceOfOne: 1, waiting: 3, waitingOfOne: 2 };
const path = (crawl: string, what: string): string => `/v1/crawls/${crawl}/${what}`;

it.each(['report', 'audit', 'time', 'near-duplicates', 'versions', 'pages?fields=main'])(
  'of GET …/%s one of a tenant is worked on, two wait, and more are refused; those of another go through',
  async (what) => {
    const turns = createTurns(few);
    const { as, crawls } = await served(turns);
    const held = turns.heavy.join(Number(tenants.one));
    const done: number[] = [];
    const waiting = [1, 2].map((n) =>
      as('one', 'GET', path(crawls.one, what)).then(({ status }) => {
        done.push(n);
        return status;
      }),
    );
    await full(turns.heavy);
    const { status, headers, body } = await as<Problem>('one', 'GET', path(crawls.one, what));
    expect([status, headers.get('retry-after'), body.type]).toEqual([
      ...[429, '5', 'urn:orbweaver:problem:rate-limited'],
    ]);
    expect((await as('other', 'GET', path(crawls.other, what))).status).toBe(200);
    // What is not costly does not wait for what is.
    expect((await as('one', 'GET', `/v1/crawls/${crawls.one}`)).status).toBe(200);
    expect(done).toEqual([]);
    held.end();
    expect(await Promise.all(waiting)).toEqual([200, 200]);
  },
);

it('a client that goes while its request waits leaves the turn to others', async () => {
  const turns = createTurns(few, { ...few, waitingOfOne: 1 });
  const { url, as } = await served(turns);
  const held = turns.places.join(Number(tenants.one));
  const client = new AbortController();
  const headers = { authorization: `Bearer ${keys.one}` };
  const asked = fetch(`${url}/v1/tenant`, { headers, signal: client.signal });
  await full(turns.places);
  client.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(() => refused(turns.places)).toBeNull();
  held.end();
  expect((await as('one', 'GET', '/v1/tenant')).status).toBe(200);
});

it('previews of edits wait for a turn, and edits do not', async () => {
  const turns = createTurns(few);
  const { as, crawls } = await served(turns);
  const held = turns.heavy.join(Number(tenants.one));
  const edit = { exclude: ['*/private/*'] };
  const preview = as('one', 'PATCH', `/v1/crawls/${crawls.one}?dryRun=true`, edit);
  expect((await as('one', 'PATCH', `/v1/crawls/${crawls.one}`, edit)).status).toBe(200);
  expect((await as('other', 'PATCH', `/v1/crawls/${crawls.other}?dryRun=true`, edit)).status).toBe(200);
  held.end();
  expect((await preview).status).toBe(200);
});

it('where too many of all wait, 503 says so, and the Idempotency-Key of the request can be used again', async () => {
  const turns = createTurns({ atOnce: 1, atOnceOfOne: 1, waiting: 0, waitingOfOne: 2 });
  const { url, crawls } = await served(turns);
  const held = turns.heavy.join(7);
  const restore = async (): Promise<[number, string | null, unknown]> => {
    const response = await fetch(`${url}/v1/crawls/${crawls.one}/versions/1/restore?dryRun=true`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${keys.one}`, 'idempotency-key': 'restore-once' },
        'content-type': 'application/json',
      },
      body: '{}',
    });
    const { type } = (await response.json()) as { type?: string };
    return [response.status, response.headers.get('retry-after'), type];
  };
  expect(await restore()).toEqual([503, '5', 'urn:orbweaver:problem:busy']);
  held.end();
  expect(await restore()).toEqual([200, null, undefined]);
});

it('a tenant has so many requests under way, and another tenant is answered beside them', async () => {
  const places = { atOnce: Infinity, atOnceOfOne: 2, waiting: Infinity, waitingOfOne: 1 };
  const turns = createTurns(few, places);
  const { as } = await served(turns);
  const held = [1, 2].map(() => turns.places.join(Number(tenants.one)));
  const waiting = as('one', 'GET', '/v1/tenant');
  await full(turns.places);
  expect((await as('one', 'GET', '/v1/tenant')).status).toBe(429);
  expect((await as('other', 'GET', '/v1/tenant')).status).toBe(200);
  for (const place of held) place.end();
  expect((await waiting).status).toBe(200);
});

it('whoever leaves the line makes room in it', async () => {
  const turns = createTurns({ ...few, waitingOfOne: 1 });
  const { url, as, crawls } = await served(turns);
  const held = turns.heavy.join(Number(tenants.one));
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${keys.one}` };
  const left = fetch(url + path(crawls.one, 'report'), { headers, signal: leaving.signal });
  await full(turns.heavy);
  leaving.abort();
  await expect(left).rejects.toThrow('aborted');
  await expect.poll(() => typeof turns.heavy.ask(Number(tenants.one))).toBe('object');
  held.end();
  expect((await as('other', 'GET', path(crawls.other, 'report'))).status).toBe(200);
});

it('a large body is read in a turn of its tenant, aside from the event loop', async () => {
  const turns = createTurns(few);
  const { as, crawls } = await served(turns);
  const urls = Array.from({ length: 6_000 }, (_, n) => `https://a.example/${'x'.repeat(40)}${String(n)}`);
  const held = turns.heavy.join(Number(tenants.one));
  const large = as<{ accepted: number }>('one', 'POST', path(crawls.one, 'seeds'), { urls });
  const small = await as('one', 'POST', path(crawls.one, 'seeds'), { urls: urls.slice(0, 10) });
  expect(small.status).toBe(200);
  const theirs = await as<{ accepted: number }>('other', 'POST', path(crawls.other, 'seeds'), { urls });
  expect([theirs.status, theirs.body.accepted]).toEqual([200, 6_000]);
  held.end();
  expect((await large).body.accepted).toBe(6_000);
  const twice = `{"urls":["https://a.example/"],"urls":${JSON.stringify(urls)}}`;
  const faulty = await fetch(`${(await served(turns)).url}${path(crawls.one, 'seeds')}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.one}`, 'content-type': 'application/json' },
    body: twice,
  });
  expect([faulty.status, ((await faulty.json()) as Problem).detail]).toEqual([
    400,
    'The name "urls" is given twice in one object.',
  ]);
});

it('/healthz answers while a page is read', async () => {
  const page = '<main><div><p>one <b>word</b> after <a href="/x">another</a></p></div></main>'.repeat(40_000);
  const begun = Promise.withResolvers<undefined>();
  const answer = () => {
    begun.resolve(undefined);
    return Promise.resolve({ fields: new Map(), head: '', body: Buffer.from(page), rest: Buffer.alloc(0) });
  };
  const { url, as, crawls } = await served(createTurns(few), {
    archive: { answer, ownAnswer: () => Promise.resolve(null) },
  });
  await addPage(pool, crawls.one, 'https://a.example/', { title: 't', text: 'large', links: [] });
  let isDone = false;
  const markdown = as('one', 'GET', path(crawls.one, 'body?part=markdown&url=https://a.example/')).finally(
    () => (isDone = true),
  );
  await begun.promise;
  for (let n = 0; n < 10; n++) expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(isDone).toBe(false);
  expect((await markdown).status).toBe(200);
});
