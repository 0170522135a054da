/** Opt-outs, complaints and the crawler's page over HTTP (F15). */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { crawlerHtml } from '../../../api/pages/crawler-page.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import type { ComplaintView, OptOutAdded, OptOutView } from '../../../contracts/opt-out.ts';
import { optOutHoldMs } from '../../../domain/opt-out.ts';
import { addUrl, like, tables } from '../../support/database/index.ts';
import { ask, type Answer } from './asking.ts';
import { newRunningCrawl, withApi } from './world.ts';

const { pool, api } = withApi();

const call = <T>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
  ask<T>(api.url, null, method, path, body);

const expectProblem = (answer: Answer<unknown>, status: number, words: RegExp): void => {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect((answer.body as Problem).detail).toMatch(words);
};

describe('/v1/opt-outs', () => {
  it(
    'takes a domain as people write it, answers when it holds, and again alike; then takes it back',
    { tags: ['long'] },
    async () => {
      const crawl = await newRunningCrawl(pool);
      await addUrl(pool, crawl, 'https://xn--bcher-kva.example/1');
      await addUrl(pool, crawl, 'https://shop.xn--bcher-kva.example/1');
      await addUrl(pool, crawl, 'https://other.example/1');
      const startedAt = performance.now();
      const first = await call<OptOutAdded>('POST', '/v1/opt-outs', {
        domain: 'Bücher.Example.',
        reason: 'mail\0',
      });
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(optOutHoldMs);
      expect(first.status).toBe(201);
      expect(first.headers.get('location')).toBe('/v1/opt-outs/xn--bcher-kva.example');
      expect(first.body).toMatchObject({
        domain: 'xn--bcher-kva.example',
        reason: 'mail\ufffd',
        added: true,
        excluded: 2,
      });
      const second = await call<OptOutAdded>('POST', '/v1/opt-outs', { domain: 'xn--bcher-kva.example' });
      expect(second.status).toBe(200);
      expect(second.body).toEqual({ ...first.body, added: false, excluded: 0 });
      const explained = await call<{ summary: string }>(
        'GET',
        `/v1/crawls/${crawl}/explain?url=https://shop.xn--bcher-kva.example/1`,
      );
      expect(explained.body.summary).toMatch(/opted out/);
      const back = await call('DELETE', '/v1/opt-outs/B%C3%BCcher.example');
      expect([back.status, back.body]).toEqual([
        200,
        { domain: 'xn--bcher-kva.example', queued: 2, more: false },
      ]);
      expectProblem(await call('DELETE', '/v1/opt-outs/xn--bcher-kva.example'), 404, /has not opted out/);
    },
  );

  it('refuses a public suffix unless it is meant, and says in a dry run what would be excluded', async () => {
    const crawl = await newRunningCrawl(pool);
    for (const host of ['one', 'two', 'three']) {
      await addUrl(pool, crawl, `https://${host}.suffix.co.uk/1`);
      await addUrl(pool, crawl, `https://${host}.github.io/1`);
    }
    await addUrl(pool, crawl, 'https://one.github.io/2');
    const count = () => tables.optOut.count(pool, { domain: ['github.io', 'co.uk', 'com'] });
    const before = await count();
    for (const domain of ['com', 'co.uk', 'github.io', 'CO.UK.']) {
      const refused = await call('POST', '/v1/opt-outs', { domain });
      expectProblem(refused, 422, /is a public suffix: others have their domains under it/);
    }
    expectProblem(
      await call('POST', '/v1/opt-outs', { domain: 'github.io' }),
      422,
      /reach 3 known hosts and exclude 4 queued URLs. Send publicSuffix: true/,
    );
    const dry = (domain: string) => call('POST', '/v1/opt-outs', { domain, dryRun: true });
    const { status, body } = await dry('github.io');
    expect([status, body]).toEqual([200, { domain: 'github.io', publicSuffix: true, hosts: 3, urls: 4 }]);
    expect((await dry('suffix.co.uk')).body).toMatchObject({ publicSuffix: false, hosts: 3, urls: 3 });
    expect((await dry('intranet')).body).toMatchObject({ publicSuffix: false, hosts: 0, urls: 0 });
    expect(await count()).toBe(before);
    const meant = await call('POST', '/v1/opt-outs', { domain: 'github.io', publicSuffix: true });
    expect([meant.status, meant.body]).toEqual([201, expect.objectContaining({ added: true, excluded: 4 })]);
    await call('DELETE', '/v1/opt-outs/github.io');
  });

  it('lists by name, each once, over cursors', async () => {
    const domains = ['b.list.example', '[2001:db8::1]', '10.1.2.3', 'a.list.example'];
    await Promise.all(domains.map((domain) => call('POST', '/v1/opt-outs', { domain })));
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: Answer<{ items: OptOutView[]; next: string | null }> = await call(
        'GET',
        `/v1/opt-outs?limit=2${query}`,
      );
      seen.push(...page.body.items.map(({ domain }) => domain));
      cursor = page.body.next;
    }
    expect(seen).toEqual([...domains].sort());
  });

  it.each([
    [{ domain: 'https://example.com/' }, /^domain: .*is no domain such as example.com/],
    [{ domain: '*.example.com' }, /below a domain is covered anyway/],
    [{ domain: 'example.com:80' }, /is no domain/],
    [{ domain: '' }, /is empty/],
    [{ domain: 'x'.repeat(2_000) }, /^domain/],
    [{}, /^domain/],
    [{ domain: 'a.example', reason: 'x'.repeat(501) }, /^reason/],
    [{ domain: 'a.example', reason: ' ' }, /^reason/],
    [{ domain: 'a.example', why: 'x' }, /why/],
    [[], /must be an object/],
  ])('refuses %j', async (body, words) => {
    expectProblem(await call('POST', '/v1/opt-outs', body), 422, words);
  });

  it('refuses what is no domain in a path or cursor, and other methods', async () => {
    expectProblem(await call('DELETE', '/v1/opt-outs/a%00b'), 400, /is no domain/);
    expectProblem(await call('GET', '/v1/opt-outs?cursor=a%20b'), 400, /^cursor/);
    expectProblem(await call('GET', '/v1/opt-outs?limit=0'), 400, /^limit/);
    expectProblem(await call('PATCH', '/v1/opt-outs'), 405, /PATCH/);
    expectProblem(await call('GET', '/v1/opt-outs/a.example'), 405, /GET/);
  });
});

describe('/v1/complaints', () => {
  it('stores and counts them by domain, newest first, and opts nobody out', async () => {
    const texts = ['first', 'second', 'third'];
    for (const text of texts) {
      const { status, body } = await call<ComplaintView>('POST', '/v1/complaints', {
        domain: 'Angry.example',
        text: `${text}\n<b>\0`,
        ...(text === 'first' && { contact: 'someone@angry.example' }),
      });
      expect(status).toBe(201);
      expect(body).toMatchObject({ domain: 'angry.example', text: `${text}\n<b>\ufffd` });
      expect(body.complaintsOfDomain).toBe(texts.indexOf(text) + 1);
    }
    await call('POST', '/v1/complaints', { domain: 'calm.example', text: 'x'.repeat(2_000) });
    const seen: ComplaintView[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Answer<{ items: ComplaintView[]; next: string | null }> = await call(
        'GET',
        `/v1/complaints?domain=angry.example&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...page.body.items);
      cursor = page.body.next;
    }
    expect(seen.map(({ text }) => text.split('\n')[0])).toEqual(['third', 'second', 'first']);
    expect(seen.map(({ contact }) => contact)).toEqual([null, null, 'someone@angry.example']);
    expect(seen.every(({ complaintsOfDomain }) => complaintsOfDomain === 3)).toBe(true);
    const all = await call<{ items: ComplaintView[] }>('GET', '/v1/complaints');
    expect(all.body.items.map(({ domain }) => domain)[0]).toBe('calm.example');
    expect(await tables.optOut.count(pool, { domain: like('%angry%') })).toBe(0);
  });

  it.each([
    [{ domain: 'a.example' }, /^text/],
    [{ domain: 'a.example', text: '' }, /^text/],
    [{ domain: 'a.example', text: 'x'.repeat(2_001) }, /^text/],
    [{ domain: 'a.example', text: 'x', contact: 'x'.repeat(321) }, /^contact/],
    [{ domain: 'no domain', text: 'x' }, /^domain/],
  ])('refuses %j', async (body, words) => {
    expectProblem(await call('POST', '/v1/complaints', body), 422, words);
  });

  it('refuses cursors it did not give', async () => {
    expectProblem(await call('GET', '/v1/complaints?cursor=x'), 400, /^cursor/);
  });
});

describe('GET /crawler', () => {
  interface Page {
    readonly status: number | undefined;
    readonly headers: IncomingHttpHeaders;
    readonly html: string;
  }
  /** fetch would set Host itself. */
  const pageAt = (url: string, host = 'crawler.example.org'): Promise<Page> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest(`${url}/crawler`, { headers: { host } }, (response) => {
        let html = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (html += chunk));
        response.on('end', () => {
          resolve({ status: response.statusCode, headers: response.headers, html });
        });
      });
      sent.on('error', reject);
      sent.end();
    });

  it('is read under any host name, may load and run nothing, and holds a style its policy allows', async () => {
    const { status, headers, html } = await pageAt(api.url);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
    const style = /<style>([^]*)<\/style>/.exec(html)?.[1] ?? '';
    expect(policy).toContain(`'sha256-${hash('sha256', style, 'base64')}'`);
    expect(html).not.toMatch(/<script|<link|<img|<iframe|<form|@import|url\(|https?:\/\//);
    expect(headers['x-powered-by']).toBeUndefined();
    // Everything else still answers under its own names only.
    const guarded = await fetch(`${api.url}/v1/crawls`);
    expect(guarded.status).toBe(200);
  });

  it('says what was in the log, how to slow it down, and that nobody was named', async () => {
    const { html } = await pageAt(api.url);
    expect(html).toContain('<code>Orbweaver/0 (test)</code>');
    expect(html).toContain('User-agent: orbweaver');
    expect(html).toContain('Crawl-delay');
    expect(html).toContain('has not named a contact');
    expect(html).toMatch(/How to opt out[^]*How to complain/);
  });

  it.each([
    ['Ann <b>Admin</b> & Co', 'run by Ann &lt;b&gt;Admin&lt;/b&gt; &amp; Co.'],
    ['crawl@example.org', '<a href="mailto:crawl@example.org">crawl@example.org</a>'],
    ['https://example.org/about?a="x"', '<a href="https://example.org/about?a=%22x%22">'],
    ['javascript:alert(1)', 'run by javascript:alert(1).'],
  ])('names the contact %s', (contact, words) => {
    const html = crawlerHtml({ userAgent: `X/1 <i>'"`, contact });
    expect(html).toContain(words);
    expect(html).toContain('<code>X/1 &lt;i&gt;&#39;&quot;</code>');
    expect(html).not.toMatch(/<i>|<b>/);
  });
});
