import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditView, Explanation, PageView } from '../../../contracts/http.ts';
import { auditView, explanation, pageView } from '../../../contracts/http.ts';
import { allPages } from '../../../storage/pages.ts';
import {
  addHost,
  addPage,
  addUrl,
  newCrawl,
  noteTaker,
  serve,
  setState,
  startServices,
  type Api,
  type Services,
} from './world.ts';

let services: Services;
let api: Api;
let crawl: string;

beforeAll(async () => {
  services = await startServices();
  api = await serve(services.pool, noteTaker(services.pool));
}, 60_000);
afterAll(async () => {
  await api.stop();
  await services.stop();
});
beforeEach(async () => {
  crawl = await newCrawl(services.pool, {}, ['https://a.example/docs/']);
  await setState(services.pool, crawl, 'running', null);
});

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${api.url}/v1/crawls/${crawl}${path}`);
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as T;
}

interface Pages {
  readonly items: PageView[];
  readonly next: string | null;
}

/** Follows the cursor until nothing comes any more. */
async function feed(query = '', cursor: string | null = null): Promise<Pages> {
  const items: PageView[] = [];
  for (;;) {
    const answer = await get<Pages>(`/pages?limit=3${query}${cursor === null ? '' : `&cursor=${cursor}`}`);
    items.push(...answer.items);
    cursor = answer.next;
    if (cursor === null || answer.items.length === 0) return { items, next: cursor };
  }
}

const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);
const content = { title: 'One', text: 'a few words', links: ['https://a.example/2'] };

describe('pages', () => {
  it('come in the order of their answers, each once, to the end', async () => {
    const urls = Array.from({ length: 10 }, (_, i) => `https://a.example/${String(i)}`);
    // Four share each instant: the cursor tells them apart.
    const first = Date.now() - 60_000;
    for (const [i, url] of urls.entries()) {
      await addPage(
        services.pool,
        crawl,
        url,
        { ...content, title: url },
        { fetched_at: new Date(first + Math.floor(i / 4)) },
      );
    }
    await setState(services.pool, crawl, 'finished', 'complete');
    const { items, next } = await feed();
    expect(next).toBeNull();
    expect(items.map(({ url }) => url).sort()).toEqual(urls);
    expect(items.map(({ fetchedAt }) => fetchedAt)).toEqual(items.map(({ fetchedAt }) => fetchedAt).sort());
    expect((await get<Pages>('/pages?limit=1000')).next).toBeNull();
  });

  it('say what was found, with links and text where asked for', async () => {
    await addPage(services.pool, crawl, 'https://a.example/1', content, { fetched_at: secondsAgo(60) });
    const [plain] = (await feed()).items;
    expect(plain).toMatchObject({
      url: 'https://a.example/1', status: 200, state: 'done', title: 'One', language: 'en', words: 3, linkCount: 1,
      contentType: 'text/html', duplicateOf: null, noindex: false,
    }); // prettier-ignore
    expect(plain?.contentHash).toMatch(/^[0-9a-f]{32}$/);
    expect(plain).not.toHaveProperty('text');
    const [full] = (await feed('&fields=links,text')).items;
    expect(full).toMatchObject({ text: 'a few words', links: ['https://a.example/2'] });
    expect(pageView.parse(full)).toEqual(full);
  });

  it('hold back what may still change or be overtaken, and lose nothing of it', async () => {
    await addPage(services.pool, crawl, 'https://a.example/1', content, { fetched_at: secondsAgo(60) });
    await addPage(services.pool, crawl, 'https://a.example/2', content, {
      fetched_at: secondsAgo(50),
      stage: 2,
    });
    await addPage(services.pool, crawl, 'https://a.example/3', content, { fetched_at: secondsAgo(40) });
    const first = await feed();
    expect(first.items.map(({ url }) => url)).toEqual(['https://a.example/1']);
    expect(first.next).not.toBeNull();
    await services.pool.query('update url set stage = 0 where crawl_id = $1', [crawl]);

    // A transaction that began before now and commits later: its rows may still land between 2 and 3.
    const late = await services.pool.connect();
    await late.query('begin');
    const { rows } = await late.query<{ began: Date }>('select now() as began');
    const began = rows[0]?.began ?? new Date();
    await addPage(services.pool, crawl, 'https://a.example/4', content, {
      fetched_at: new Date(began.getTime() + 1),
    });
    // Past the margin for clocks, so that only the open transaction holds page 4 back.
    await services.pool.query(`select pg_sleep_until($1::timestamptz + interval '1.2 seconds')`, [began]);
    const second = await feed('', first.next);
    expect(second.items.map(({ url }) => url)).toEqual(['https://a.example/2', 'https://a.example/3']);
    await late.query('rollback');
    late.release();

    await setState(services.pool, crawl, 'finished', 'complete');
    const last = await feed('', second.next);
    expect(last).toMatchObject({ items: [{ url: 'https://a.example/4' }], next: null });
  });

  it('show a duplicate with what its original holds, and leave out what has no outcome', async () => {
    const original = await addPage(services.pool, crawl, 'https://a.example/1', content, {
      fetched_at: secondsAgo(60),
    });
    await addUrl(services.pool, crawl, 'https://a.example/copy', {
      state: 'done', status: 200, fetched_at: secondsAgo(50), alias_host: original.hostId, alias_key: original.key,
    }); // prettier-ignore
    await addUrl(services.pool, crawl, 'https://a.example/gone', {
      state: 'dead',
      status: 404,
      fetched_at: secondsAgo(40),
    });
    await addUrl(services.pool, crawl, 'https://a.example/again', {
      state: 'queued',
      status: 500,
      fetched_at: secondsAgo(30),
    });
    await addUrl(services.pool, crawl, 'https://a.example/sitemap.xml', {
      state: 'done', status: 200, kind: 1, fetched_at: secondsAgo(20),
    }); // prettier-ignore
    const { items } = await feed('&fields=text');
    expect(items).toMatchObject([
      { url: 'https://a.example/1', duplicateOf: null },
      {
        url: 'https://a.example/copy',
        duplicateOf: 'https://a.example/1',
        title: 'One',
        text: 'a few words',
      },
      { url: 'https://a.example/gone', state: 'dead', status: 404, title: null, text: null },
    ]);
  });

  it('come in smaller answers where texts are long', async () => {
    for (const i of [1, 2, 3]) {
      const long = { ...content, text: `${String(i)}${'x'.repeat(20e6)}` };
      await addPage(services.pool, crawl, `https://a.example/${String(i)}`, long, {
        fetched_at: secondsAgo(60 - i),
      });
    }
    await setState(services.pool, crawl, 'finished', 'complete');
    const answer = await get<Pages>('/pages?fields=text');
    expect(answer.items).toHaveLength(1);
    const titles: string[] = [];
    for await (const page of allPages(services.pool, crawl, ['text'])) titles.push(page.text?.[0] ?? '');
    expect(titles).toEqual(['1', '2', '3']);
  });

  it.each(['x', 'eC4x', '', Buffer.from('1.2.zz').toString('base64url')])(
    'refuse the cursor %j',
    async (cursor) => {
      const response = await fetch(`${api.url}/v1/crawls/${crawl}/pages?cursor=${cursor}`);
      expect(response.status).toBe(400);
    },
  );
});

describe('audit', () => {
  it('finds nothing in a sound crawl', async () => {
    await addPage(services.pool, crawl, 'https://a.example/1', content);
    await addUrl(services.pool, crawl, 'https://b.example/');
    const audit = await get<AuditView>('/audit');
    expect(audit).toMatchObject({
      ok: true, balanced: true, hosts: 2, differences: [], ledger: { discovered: 2, queued: 1, done: 1 },
    }); // prettier-ignore
    expect(audit.recount).toEqual(audit.ledger);
    expect(auditView.parse(audit)).toEqual(audit);
  });

  it.each([
    ['ledger.done', 'update ledger set done = done + 1 where crawl_id = $1'],
    ['ledger.sum', 'update ledger set dead = dead + 1 where crawl_id = $1'],
    ['ledger.bytes', 'update ledger set bytes = bytes - 7 where crawl_id = $1'],
    ['host.queued', 'update host_queue set queued = 5 where crawl_id = $1'],
    ['host.total', 'delete from host_queue where crawl_id = $1'],
    ['failed-without-letter', `update url set state = 'failed' where crawl_id = $1`],
    [
      'letter-without-failed',
      `insert into dead_letter (host_id, crawl_id, key, class, message, attempts)
       select host_id, crawl_id, key, 'tls', '', 1 from url where crawl_id = $1`,
    ],
    ['token-without-lease', `update url set lease_token = 1 where crawl_id = $1`],
    ['staged-but-not-done', `update url set stage = 1, state = 'dead' where crawl_id = $1`],
    ['read-without-page', `delete from page where crawl_id = $1`],
    ['alias-of-nothing', `update url set alias_host = 0, alias_key = '\\x00' where crawl_id = $1`],
    ['unknown-parent', `update url set parent_host = 0, parent_key = '\\x00' where crawl_id = $1`],
    [
      'closed.pending',
      `with c as (update crawl set state = 'finished' where id = $1)
                        update url set stage = 2 where crawl_id = $1`,
    ],
  ])('finds %s', async (check, damage) => {
    await addPage(services.pool, crawl, 'https://a.example/1', content);
    await services.pool.query(damage, [crawl]);
    const audit = await get<AuditView>('/audit');
    expect(audit.ok).toBe(false);
    expect(audit.differences.map((difference) => difference.check)).toContain(check);
  });
});

describe('explain', () => {
  const explain = async (url: string): Promise<Explanation> => {
    const answer = await get<Explanation>(`/explain?url=${encodeURIComponent(url)}`);
    expect(explanation.parse(answer)).toEqual(answer);
    return answer;
  };
  const robots = (origin: string, body: string | null, status = 200): Promise<unknown> =>
    services.pool.query(
      `insert into robots (host_id, status, body, fetched_at) select id, $2, $3, now() from host where origin = $1
       on conflict (host_id) do update set status = excluded.status, body = excluded.body`,
      [origin, status, body],
    );
  const setHost = (origin: string, sets: string): Promise<unknown> =>
    services.pool.query(`update host set ${sets} where origin = $1`, [origin]);

  it('says what no crawl can have', async () => {
    const answer = await explain('mailto:a@b');
    expect(answer).toMatchObject({ rejected: 'scheme', canonical: null });
    expect(answer.summary).toMatch(/neither an http nor an https/);
  });

  it('says what would become of a URL never met', async () => {
    expect((await explain('https://a.example/new?utm_source=x#y')).summary).toMatch(
      /has not met this URL; .*followed/,
    );
    expect(await explain('https://a.example/new?utm_source=x')).toMatchObject({
      canonical: 'https://a.example/new', record: null, scope: { verdict: 'admit' }, next: null,
    }); // prettier-ignore
    expect((await explain('https://z.example/')).summary).toMatch(/not be followed: .*scope/);
    await addHost(services.pool, 'https://a.example');
    await robots('https://a.example', 'User-agent: *\nDisallow: /private');
    const forbidden = await explain('https://a.example/private/1');
    expect(forbidden.summary).toMatch(/robots.txt would forbid it, robots.txt line 2: Disallow: \/private/);
    expect(forbidden.robots).toMatchObject({ allowed: false, line: 2, agent: 'orbweaver' });
  });

  it('applies the filters of the crawl', async () => {
    crawl = await newCrawl(services.pool, { exclude: ['*.pdf'], maxDepth: 0 }, ['https://a.example/']);
    expect((await explain('https://a.example/')).scope?.verdict).toBe('admit');
    expect((await explain('https://a.example/x')).scope).toMatchObject({
      verdict: 'excluded',
      reason: 'depth',
    });
  });

  it('tells when a queued URL is fetched and what stands before it', async () => {
    const origin = 'https://queue.example';
    for (let i = 0; i < 10; i++)
      await addUrl(services.pool, crawl, `${origin}/${String(i)}`, { priority: 2 });
    await addUrl(services.pool, crawl, `${origin}/it`, { priority: 1, depth: 3 });
    await setHost(origin, `not_before = now() + interval '1 hour', failures = 2, last_error = 'refused'`);
    const waiting = await explain(`${origin}/it`);
    expect(waiting.record).toMatchObject({ state: 'queued', depth: 3 });
    const because = waiting.next?.because.join(' ') ?? '';
    expect(because).toMatch(/not be visited before .*: 2 failures in a row, the last: refused/);
    expect(because).toMatch(/10 queued URLs of this crawl go first at this host, at one request every 1 s/);
    const inMs = Date.parse(waiting.next?.at ?? '') - Date.now();
    expect(inMs).toBeGreaterThan(3_605_000);
    expect(inMs).toBeLessThan(3_611_000);

    await setHost(origin, `parked_at = now()`);
    expect((await explain(`${origin}/it`)).next).toMatchObject({ at: null });
    await setHost(origin, `parked_at = null, not_before = '-infinity'`);
    await setState(services.pool, crawl, 'paused', 'lunch');
    const paused = await explain(`${origin}/it`);
    expect(paused.next?.at).toBeNull();
    expect(paused.summary).toMatch(/cannot be said. The crawl is paused \(lunch\)/);
  });

  it('tells where a URL came from, its tries and its end', async () => {
    const parent = await addPage(services.pool, crawl, 'https://a.example/parent', content);
    const place = await addUrl(services.pool, crawl, 'https://a.example/bad', {
      state: 'failed', reason: 'http-500', detail: 'answered 500 five times', attempts: 2, status: 500,
      parent_host: parent.hostId, parent_key: parent.key,
    }); // prettier-ignore
    const ids = [place.hostId, crawl, place.key];
    await services.pool.query(
      `insert into attempt (host_id, crawl_id, key, at, class, status, message)
       values ($1, $2, $3, now() - interval '1 minute', 'http-500', 500, 'one'), ($1, $2, $3, now(), 'timeout', null, 'two')`,
      ids,
    );
    await services.pool.query(
      `insert into dead_letter (host_id, crawl_id, key, class, status, message, attempts)
       values ($1, $2, $3, 'http-500', 500, 'spent', 2)`,
      ids,
    );
    expect(await explain('https://a.example/bad')).toMatchObject({
      record: { discoveredFrom: 'https://a.example/parent', reason: 'http-500' },
      attempts: [{ message: 'one', status: 500 }, { message: 'two', status: null }],
      deadLetter: { class: 'http-500', message: 'spent', attempts: 2 },
      next: null,
      summary: 'Its retries are spent (http-500: answered 500 five times): it is a dead letter.',
    }); // prettier-ignore
  });

  it('tells duplicates, redirects and what is still to be done', async () => {
    const original = await addPage(services.pool, crawl, 'https://a.example/1', content);
    const fetched = { state: 'done', status: 200, fetched_at: new Date() };
    await addUrl(services.pool, crawl, 'https://a.example/copy', {
      ...fetched, alias_host: original.hostId, alias_key: original.key,
    }); // prettier-ignore
    await addUrl(services.pool, crawl, 'https://a.example/moved', {
      ...fetched,
      status: 301,
      redirect_to: 'https://a.example/1',
    });
    await addUrl(services.pool, crawl, 'https://a.example/fresh', { ...fetched, stage: 2 });
    expect((await explain('https://a.example/copy')).summary).toMatch(
      /same content as https:\/\/a\.example\/1/,
    );
    expect((await explain('https://a.example/moved')).summary).toMatch(/301 and redirects to/);
    expect((await explain('https://a.example/fresh')).summary).toMatch(/waits for extraction/);
  });

  it('judges robots.txt by its status where it has no body', async () => {
    await addUrl(services.pool, crawl, 'https://r.example/');
    await robots('https://r.example', null, 404);
    expect((await explain('https://r.example/')).robots).toMatchObject({ allowed: true, rule: null });
    await robots('https://r.example', null, 503);
    expect((await explain('https://r.example/')).robots).toMatchObject({ allowed: null });
  });
});
