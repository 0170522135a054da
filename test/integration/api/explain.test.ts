/** Every decision on a URL, as the API tells it (G5). */
import { beforeEach, describe, expect, it } from 'vitest';
import { explanation, type Explanation } from '../../../contracts/http/explain.ts';
import { problem } from '../../../contracts/http/problem.ts';
import {
  addLetter,
  addUrl,
  changeHost,
  fromNow,
  hostRow,
  longAgo,
  optedOut,
  robotsRead,
  setState,
  tables,
  type HostColumns,
} from '../../support/database/index.ts';
import { getOk, addPage, newCrawl, storeBody, newRunningCrawl, withApi } from './world.ts';

const { pool, api } = withApi();
let crawl: string;
beforeEach(async () => {
  crawl = await newRunningCrawl(pool, {}, ['https://a.example/docs/']);
});

const get = <T>(path: string): Promise<T> => getOk<T>(`${api.url}/v1/crawls/${crawl}${path}`);

const content = { title: 'One', text: 'a few words', links: ['https://a.example/2'] };

describe('explain', () => {
  const explain = async (url: string): Promise<Explanation> => {
    const answer = await get<Explanation>(`/explain?url=${encodeURIComponent(url)}`);
    expect(explanation.parse(answer)).toEqual(answer);
    return answer;
  };
  /** Verdicts of one step, in order. */
  const verdicts = ({ decisions }: Explanation, step: string): string[] =>
    decisions.filter((decision) => decision.step === step).map(({ verdict }) => verdict);
  const robots = (origin: string, body: string | null, status = 200): Promise<void> =>
    robotsRead(pool, origin, { status, body });
  const setHost = (origin: string, columns: HostColumns): Promise<void> => changeHost(pool, origin, columns);

  it('shows the regular expression that decided', async () => {
    const patterns = { include: ['re:/p/[0-9]+'], exclude: ['*.png', 're:(?i)[.]pdf$'] };
    crawl = await newCrawl(pool, patterns, ['https://a.example/']);
    const stopped = await explain('https://a.example/p/1.PDF');
    expect(stopped.scope).toMatchObject({ reason: 'pattern', detail: 're:(?i)[.]pdf$' });
    expect((await explain('https://a.example/p/1')).scope.includedBy).toBe('re:/p/[0-9]+');
    expect((await explain('https://a.example/p/x')).scope.reason).toBe('not-included');
  });

  it.each([
    ['scheme', 'mailto:a@b', /neither an http nor an https/],
    ['not-a-url', 'a.example/x', /not an absolute URL/],
    ['credentials', 'https://me:secret@a.example/', /user name or password/],
    ['too-long', `https://a.example/${'x'.repeat(3_000)}`, /longer than/],
  ])('refuses what no crawl can have: %s', async (rejected, url, detail) => {
    const response = await fetch(`${api.url}/v1/crawls/${crawl}/explain?url=${encodeURIComponent(url)}`);
    expect(response.status).toBe(422);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const body = problem.parse(await response.json());
    expect(body).toMatchObject({ status: 422, errors: [{ path: 'url', message: rejected }] });
    expect(body.detail).toMatch(detail);
  });

  it('knows no crawl that is not there, and wants a URL', async () => {
    const at = (query: string): Promise<Response> => fetch(`${api.url}/v1/crawls/${query}`);
    expect((await at('999999/explain?url=https://a.example/')).status).toBe(404);
    expect((await at(`${crawl}/explain`)).status).toBe(400);
  });

  it('says what would become of a URL never met', async () => {
    const spelt = await explain(' https://A.example:443/new?b=1&utm_source=x&a=2#y');
    expect(spelt).toMatchObject({
      url: 'https://a.example/new?b=1&utm_source=x&a=2', canonical: 'https://a.example/new?a=2&b=1', record: null,
      scope: { verdict: 'admit', depth: 1 },
    }); // prettier-ignore
    expect(verdicts(spelt, 'canonical')).toEqual([
      'lower-case-host', 'default-port', 'fragment', 'tracking-parameter', 'sorted-parameters',
    ]); // prettier-ignore
    expect(spelt.summary).toMatch(/has not met this URL\. .*would be queued for https:\/\/a\.example/);
    expect(verdicts(spelt, 'state')).toEqual(['would-be-queued']);
    expect(verdicts(await explain('https://z.example/'), 'state')).toEqual(['would-be-outside']);

    await addUrl(pool, crawl, 'https://a.example/met');
    await robots('https://a.example', 'User-agent: *\nDisallow: /private');
    const forbidden = await explain('https://a.example/private/1');
    expect(forbidden.summary).toMatch(/line 2 of its robots\.txt forbids it: Disallow: \/private/);
    expect(forbidden.robots).toMatchObject({ allowed: false, line: 2, agent: 'orbweaver' });
    expect(verdicts(forbidden, 'state')).toEqual(['would-be-disallowed']);
    expect(forbidden.next).toBeNull();

    await setState(pool, crawl, 'finished', 'complete');
    expect(verdicts(await explain('https://a.example/new'), 'state')).toEqual(['would-be-refused']);
  });

  it('applies the filters of the crawl', async () => {
    crawl = await newRunningCrawl(pool, { exclude: ['*.pdf', '*/x/*'], maxDepth: 1, maxPagesPerHost: 2 }, [
      'https://l.example/',
    ]);
    expect((await explain('https://l.example/')).scope).toMatchObject({ verdict: 'admit', isSeed: true });
    const stopped = await explain('https://l.example/x/1');
    expect(stopped.scope).toMatchObject({ verdict: 'excluded', reason: 'pattern', detail: '*/x/*' });
    expect(verdicts(stopped, 'filter')).toEqual(['url-length', 'depth', 'domain', 'pattern']);
    await addUrl(pool, crawl, 'https://l.example/deep', { depth: 2 });
    expect((await explain('https://l.example/deep')).scope).toMatchObject({ reason: 'depth' });
    await addUrl(pool, crawl, 'https://l.example/2');
    const full = await explain('https://l.example/3');
    expect(full.summary).toMatch(/has 2 URLs of its host, at most 2 are allowed/);
  });

  it('tells when a queued URL is fetched and what stands before it', async () => {
    const origin = 'https://queue.example';
    crawl = await newRunningCrawl(pool, {}, [`${origin}/`]);
    for (let i = 0; i < 10; i++) await addUrl(pool, crawl, `${origin}/${String(i)}`, { priority: 2 });
    // Due later than the one in question: it does not go first.
    await addUrl(pool, crawl, `${origin}/later`, {
      priority: 2,
      due_at: new Date(Date.now() + 7_200_000),
    });
    await addUrl(pool, crawl, `${origin}/it`, { priority: 1, depth: 3 });
    await robots(origin, 'User-agent: *\nCrawl-delay: 2');
    await setHost(origin, { not_before: fromNow(3_600), failures: 2, last_error: 'tls: expired' });
    const waiting = await explain(`${origin}/it`);
    expect(waiting.record).toMatchObject({ state: 'queued', depth: 3 });
    expect(verdicts(waiting, 'wait')).toEqual(['host-backoff', 'queue']);
    const because = waiting.next?.because.join(' ') ?? '';
    expect(because).toMatch(/not be visited before .*: no secure connection could be made \(expired\)/);
    expect(because).toMatch(/10 queued URLs of this crawl go first at this host, at one request every 2 s/);
    const { not_before: rested } = await hostRow(pool, origin);
    const behindMs = Date.parse(waiting.next?.at ?? '') - Number(rested);
    expect(behindMs).toBeGreaterThan(15_000);
    expect(behindMs).toBeLessThan(20_500);
    // One that was found now would go after them all.
    expect((await explain(`${origin}/found`)).next?.because.join(' ')).toMatch(/11 queued URLs/);

    await setHost(origin, { parked_at: fromNow() });
    expect((await explain(`${origin}/it`)).next).toMatchObject({ at: null });
    await setHost(origin, {
      ...{ parked_at: null, not_before: longAgo, lease_token: 1, lease_until: fromNow(-60) },
    });
    expect(verdicts(await explain(`${origin}/it`), 'wait')).toEqual(['lease-lost', 'queue', 'host-not-fed']);
    await setHost(origin, { lease_until: fromNow(60) });
    expect(verdicts(await explain(`${origin}/it`), 'wait')).toEqual(['lease', 'queue', 'host-not-fed']);
    const it = { url: `${origin}/it` };
    await tables.url.change(pool, it, { state: 'leased', lease_token: 1 });
    expect((await explain(`${origin}/it`)).record).toMatchObject({ state: 'leased', leaseHeld: true });
    await tables.url.change(pool, it, { state: 'queued', lease_token: null });
    await setState(pool, crawl, 'paused', 'lunch');
    const paused = await explain(`${origin}/it`);
    expect(paused.next?.at).toBeNull();
    expect(paused.summary).toMatch(/nobody can say when it is fetched\. The crawl is paused \(lunch\)/);
  });

  it('tells the pause of a host', async () => {
    crawl = await newRunningCrawl(pool, {}, ['https://held.example/']);
    await addUrl(pool, crawl, 'https://held.example/it');
    await robots('https://held.example', '');
    await setHost('https://held.example', { fed: true, paused_at: fromNow() });
    expect(verdicts(await explain('https://held.example/it'), 'wait')[0]).toBe('host-paused');
    await setHost('https://held.example', { paused_at: null });
    expect(verdicts(await explain('https://held.example/it'), 'wait')[0]).toBe('next');
  });

  it('counts the turns that other crawls take', async () => {
    const origin = 'https://shared.example';
    const other = await newRunningCrawl(pool, {}, [`${origin}/`]);
    for (const i of [1, 2, 3]) {
      await addUrl(pool, crawl, `${origin}/${String(i)}`, { priority: 2 });
      await addUrl(pool, other, `${origin}/${String(i)}`);
    }
    await addUrl(pool, crawl, `${origin}/it`);
    await robots(origin, '');
    await setHost(origin, { fed: true });
    const before = Date.now();
    const { next } = await explain(`${origin}/it`);
    const passed = Date.now() - before;
    expect(next?.because).toEqual([expect.stringMatching(/3 queued URLs .*; 2 crawls take turns/)]);
    const inMs = Date.parse(next?.at ?? '') - before;
    expect(inMs).toBeGreaterThan(5_000);
    expect(inMs).toBeLessThan(6_500 + passed);
  });

  it('says that a page limit is used up', async () => {
    crawl = await newRunningCrawl(pool, { maxPages: 1 }, ['https://a.example/']);
    await addPage(pool, crawl, 'https://a.example/1', content);
    await addUrl(pool, crawl, 'https://a.example/2');
    expect(verdicts(await explain('https://a.example/2'), 'wait')).toContain('page-limit');
  });

  it('tells where a URL came from, its tries and its end', async () => {
    const parent = await addPage(pool, crawl, 'https://a.example/parent', content);
    const place = await addUrl(pool, crawl, 'https://a.example/bad', {
      state: 'failed', reason: 'server-error', detail: 'answered 500', attempts: 2, status: 500,
      parent_host: parent.hostId, parent_key: parent.key,
    }); // prettier-ignore
    const ids = { host_id: place.hostId, crawl_id: crawl, key: place.key };
    await tables.attempt.add(pool, {
      ...{ ...ids, at: fromNow(-60), class: 'server-error', status: 500, message: 'one' },
    });
    await tables.attempt.add(pool, { ...ids, class: 'timeout', message: 'two' });
    await addLetter(pool, crawl, place, 'server-error', {
      status: 500,
      message: 'spent',
      attempts: 2,
    });
    const answer = await explain('https://a.example/bad');
    expect(answer).toMatchObject({
      record: { discoveredFrom: 'https://a.example/parent', reason: 'server-error', redirectedWith: null },
      attempts: [{ message: 'one', status: 500 }, { message: 'two', status: null }],
      deadLetter: { class: 'server-error', message: 'spent', attempts: 2 },
      next: null,
      summary: 'It was given up and is a dead letter: the server failed on it (answered 500).',
    }); // prettier-ignore
    expect(verdicts(answer, 'found')).toEqual(['link']);
    // One of a class that nobody has named is told by its code.
    expect(verdicts(answer, 'attempt')).toEqual(['server-error', 'timeout']);
    expect(verdicts(answer, 'dead-letter')).toEqual(['server-error']);
  });

  it('knows who has opted out', async () => {
    const origin = 'https://sub.quiet.example';
    crawl = await newRunningCrawl(pool, {}, [`${origin}/`]);
    await addUrl(pool, crawl, `${origin}/queued`);
    await optedOut(pool, 'quiet.example');
    expect(verdicts(await explain(`${origin}/found`), 'state')).toEqual(['would-be-excluded']);
    const queued = await explain(`${origin}/queued`);
    expect(verdicts(queued, 'wait')[0]).toBe('opt-out');
    expect(queued.summary).toMatch(/quiet\.example has opted out of being crawled/);
  });

  it('tells duplicates, redirects and what is still to be done', async () => {
    await tables.content.remove(pool);
    const original = await addPage(pool, crawl, 'https://a.example/1', content);
    const fetched = { state: 'done', status: 200, fetched_at: new Date(), fetches: 1 };
    const alias = { ...fetched, alias_host: original.hostId, alias_key: original.key };
    await addUrl(pool, crawl, 'https://a.example/copy', {
      ...alias,
      content_hash: storeBody(content.text),
      content_id: original.contentId,
    });
    await addUrl(pool, crawl, 'https://a.example/alike', {
      ...alias,
      content_hash: storeBody('other'),
    });
    const moved = await addUrl(pool, crawl, 'https://a.example/moved', {
      ...fetched,
      status: 301,
      redirect_to: 'https://a.example/target?utm_source=x',
    });
    const from = { hops: 1, parent_host: moved.hostId, parent_key: moved.key };
    await addUrl(pool, crawl, 'https://a.example/target', from);
    await addUrl(pool, crawl, 'https://a.example/fresh', { ...fetched, stage: 2 });

    expect((await explain('https://a.example/copy')).summary).toMatch(
      /same content as https:\/\/a\.example\/1/,
    );
    expect(verdicts(await explain('https://a.example/copy'), 'duplicate')).toEqual(['body']);
    expect(verdicts(await explain('https://a.example/alike'), 'duplicate')).toEqual(['text']);
    const redirecting = await explain('https://a.example/moved');
    expect(redirecting.summary).toMatch(/301 and redirects to/);
    expect(redirecting.record).toMatchObject({ redirectState: 'queued' });
    const target = await explain('https://a.example/target');
    expect(target.record).toMatchObject({ discoveredFrom: 'https://a.example/moved', redirectedWith: 301 });
    expect(verdicts(target, 'found')).toEqual(['redirect']);
    const fresh = await explain('https://a.example/fresh');
    expect(fresh.summary).toMatch(/waits for extraction/);
    expect(verdicts(fresh, 'extract')).toEqual(['extract']);
    const page = await explain('https://a.example/1');
    expect(page.record?.page).toMatchObject({ words: 3, links: 1 });
    expect(verdicts(page, 'extract')).toEqual(['read']);
  });

  it('judges robots.txt by its status where it has no body, and for the spelling that is fetched', async () => {
    await addUrl(pool, crawl, 'https://r.example/?utm_source=x');
    expect(verdicts(await explain('https://r.example/'), 'robots')).toEqual(['not-read']);
    await robots('https://r.example', null, 404);
    expect((await explain('https://r.example/')).robots).toMatchObject({ allowed: true, rule: null });
    await robots('https://r.example', null, 503);
    expect((await explain('https://r.example/')).robots).toMatchObject({ allowed: null });
    await robots('https://r.example', 'User-agent: *\nDisallow: /*utm_');
    const answer = await explain('https://r.example/');
    expect(answer.robots).toMatchObject({ allowed: false, line: 2 });
    expect(verdicts(answer, 'canonical')).toEqual(['unchanged', 'known-as']);
  });
});
