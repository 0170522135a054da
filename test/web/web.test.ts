import { createConnection } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { crawl } from './crawler.ts';
import { expectedOf, pageKey, shellsOf } from './expected.ts';
import { complaints, judge } from './judge.ts';
import { misfits, type Misfit } from './options.ts';
import { linksOf, planWeb } from './plan.ts';
import { renderPage } from './page.ts';
import { startWeb, type Web } from './server.ts';
import { spawnWeb } from './spawn.ts';
import { isDisallowed } from './wrinkles.ts';

const running: { stop(): Promise<void> }[] = [];
async function web(options: Parameters<typeof startWeb>[0]): Promise<Web> {
  const started = await startWeb(options);
  running.push(started);
  return started;
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

const wrinkled = { hosts: 3, pages: 20, wrinkles: 2, sitemap: false } as const;

describe('the plan', () => {
  const options = {
    seed: 7,
    hosts: 2,
    pages: 60,
    bytes: 24_000,
    links: 40,
    crossShare: 0.3,
    wrinkles: 1,
    crawlDelay: null,
    sitemap: true,
    shells: 5,
    misfits: [],
    latencyMs: 0,
    slowMs: 0,
    retryAfter: 1,
  };
  const origins = ['http://127.0.0.1:1001', 'http://127.0.0.1:1002'];
  const bytesOf = (seed: number): string =>
    planWeb({ ...options, seed }, origins)
      .sites.flatMap((site) => site.resources)
      .map((resource) => resource.path)
      .join('\n');

  it('is the same for the same seed, byte for byte, and another for another', () => {
    expect(bytesOf(7)).toBe(bytesOf(7));
    expect(bytesOf(8)).not.toBe(bytesOf(7));
    const render = (): string[] => {
      const plan = planWeb(options, origins);
      return plan.sites[1]?.pages.map((page) => renderPage(plan, page).toString('base64')) ?? [];
    };
    expect(render()).toEqual(render());
  });

  it('gives pages of the wanted size and number of links', () => {
    const plan = planWeb({ ...options, wrinkles: 0 }, origins);
    for (const page of plan.sites[0]?.pages ?? []) {
      const html = renderPage(plan, page);
      expect(html.length).toBeGreaterThanOrEqual(24_000);
      expect(html.length).toBeLessThan(26_500);
      expect(linksOf(plan, page)).toHaveLength(40);
      expect(html.toString().match(/<a href=/g)).toHaveLength(41); // one of them in a script
    }
  });

  it('has every path once and every page within reach', () => {
    const plan = planWeb(options, origins);
    for (const site of plan.sites) expect(site.byPath.size).toBe(site.resources.length);
    const { must } = expectedOf(plan, 'host');
    for (const page of plan.sites.flatMap((site) => site.pages)) {
      expect(must).toContain(pageKey(page.site.origin + page.path));
    }
  });

  it('has pages whose script asks for what they say, which is a page as any other', () => {
    const plan = planWeb(options, origins);
    const shells = shellsOf(plan, expectedOf(plan));
    expect(shells.size).toBe(2 * options.shells);
    const { must } = expectedOf(plan);
    for (const { site, path, files } of shells.values()) {
      const paths = files.map((file) => file.path);
      expect(paths).toEqual(['/shell/app.js', `/shell/says${path}`]);
      expect(paths.filter((each) => !must.has(site.origin + each))).toEqual([]);
    }
  });

  it('writes languages other than English too', () => {
    const plan = planWeb(options, origins);
    const found = new Set(plan.sites.flatMap((site) => site.pages.map((page) => page.language)));
    expect([...found].sort()).toEqual(['de', 'en', 'es', 'fr']);
  });
});

describe('a crawl by the rules', () => {
  it('fetches exactly what is expected of a wrinkled web', async () => {
    const { origins, seeds, plan, log } = await web(wrinkled);
    await crawl(seeds, origins, { barred: isDisallowed });
    const verdict = judge(log(), { delayMs: 0, expected: expectedOf(plan) });
    expect(complaints(verdict)).toEqual([]);
    expect(verdict.requests).toBeGreaterThan(3 * (20 + 2 * 15));
  });

  it('keeps to the seed host under scope host', async () => {
    const { origins, seeds, plan, log } = await web(wrinkled);
    await crawl(seeds.slice(1, 2), origins.slice(1, 2), { barred: isDisallowed });
    expect(complaints(judge(log(), { delayMs: 0, expected: expectedOf(plan, 'host', [1]) }))).toEqual([]);
  });

  it('reaches the same pages on addresses of their own', async () => {
    const { origins, seeds, plan, log } = await web({ ...wrinkled, spread: 'addresses' });
    expect(new Set(origins.map((origin) => new URL(origin).hostname)).size).toBe(3);
    await crawl(seeds, origins, { barred: isDisallowed });
    expect(complaints(judge(log(), { delayMs: 0, expected: expectedOf(plan) }))).toEqual([]);
  });

  it('is clean about pace when it waits out the delay', async () => {
    const { origins, seeds, plan, log } = await web({ hosts: 2, pages: 5 });
    await crawl(seeds, origins, { delayMs: 20 });
    const verdict = judge(log(), { delayMs: 20, expected: expectedOf(plan) });
    expect(complaints(verdict)).toEqual([]);
    expect(verdict.minGapMs).toBeGreaterThanOrEqual(20);
  });
});

describe('a crawl that breaks one rule', () => {
  const broken: [string, Parameters<typeof crawl>[2], string][] = [
    ['asks two pages at once', { barred: isDisallowed, atOnce: 2 }, 'overlapping requests'],
    ['ignores robots.txt', {}, 'disallowed URLs fetched'],
    [
      'does not ask for robots.txt',
      { barred: isDisallowed, robotsFirst: false },
      'hosts asked before their robots.txt',
    ],
    ['follows nofollow links', { barred: isDisallowed, obeyNofollow: false }, 'unexpected URLs'],
    ['takes spellings for pages', { barred: isDisallowed, forgetKeys: true }, 'URLs fetched more than once'],
    ['stops early', { barred: isDisallowed, most: 10 }, 'URLs missing'],
  ];
  it.each(broken)('one that %s', async (_, habits, complaint) => {
    const { origins, seeds, plan, log } = await web(wrinkled);
    await crawl(seeds, origins, habits);
    const lines = complaints(judge(log(), { delayMs: 0, expected: expectedOf(plan) }));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(complaint);
  });
});

describe('resources', () => {
  it('serves a copy with the same bytes, and 304 for its validator', async () => {
    const { plan } = await web(wrinkled);
    const copy = plan.sites[0]?.resources.find((one) => one.kind === 'page' && one.copyOf !== null);
    if (copy?.kind !== 'page' || copy.copyOf === null) throw new Error('no copy in this web');
    const [first, second] = await Promise.all(
      [copy, copy.copyOf].map((page) => fetch(page.site.origin + page.path)),
    );
    expect(await first?.text()).toBe(await second?.text());
    const etag = first?.headers.get('etag') ?? '';
    const again = await fetch(copy.site.origin + copy.path, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  it('serves a page under its tracking and reordered spellings', async () => {
    const { plan, origins } = await web({ hosts: 1, pages: 11 });
    const shop = plan.sites[0]?.pages.find((page) => page.path.startsWith('/shop/'))?.path ?? '';
    const [bare, query] = shop.split('?');
    const [id, language] = (query ?? '').split('&');
    const plain = await (await fetch(`${origins[0] ?? ''}${shop}`)).text();
    const other = await fetch(`${origins[0] ?? ''}${bare ?? ''}?utm_source=x&${language ?? ''}&${id ?? ''}`);
    expect(other.status).toBe(200);
    expect(await other.text()).toBe(plain);
  });

  it('names crawl-delay and sitemap in robots.txt, and lists pages only the sitemap knows', async () => {
    const { origins, plan } = await web({ hosts: 1, crawlDelay: 0.5, sitemap: true });
    const robots = await (await fetch(`${origins[0] ?? ''}/robots.txt`)).text();
    expect(robots).toContain('Crawl-delay: 0.5\n');
    expect(robots).toContain(`Sitemap: ${origins[0] ?? ''}/sitemap.xml\n`);
    const listed = `${origins[0] ?? ''}/listed/only-in-the-sitemap-0.html`;
    expect(await (await fetch(`${origins[0] ?? ''}/sitemap.xml`)).text()).toContain(`<loc>${listed}</loc>`);
    expect(expectedOf(plan).must).toContain(listed);
  });
});

describe('misfits', () => {
  const one = async (misfit: Misfit, more: Parameters<typeof startWeb>[0] = {}): Promise<Web> =>
    web({ hosts: 0, misfits: [misfit], ...more });

  /** Reads the start of an answer off a bare socket, since HTTP clients refuse half of these. */
  async function raw(origin: string, path: string, enough: number): Promise<Buffer> {
    const { hostname, port } = new URL(origin);
    const socket = createConnection(Number(port), hostname);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const chunks: Buffer[] = [];
    let size = 0;
    socket.on('error', () => undefined);
    const ended = new Promise((resolve) => socket.on('close', resolve));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= enough) socket.destroy();
    });
    await ended;
    return Buffer.concat(chunks);
  }

  it('answers late, with 500, or with 503 and Retry-After', async () => {
    const slow = await one('slow', { slowMs: 60 });
    const before = performance.now();
    await (await fetch(slow.seeds[0] ?? '')).text();
    expect(performance.now() - before).toBeGreaterThanOrEqual(55);

    const failing = await one('failing');
    expect((await fetch(failing.seeds[0] ?? '')).status).toBe(500);
    expect((await fetch(`${failing.origins[0] ?? ''}/robots.txt`)).status).toBe(200);

    const busy = await one('busy', { retryAfter: 3 });
    const statuses = [];
    for (let n = 0; n < 3; n++) {
      const response = await fetch(busy.seeds[0] ?? '');
      statuses.push([response.status, response.headers.get('retry-after')]);
    }
    expect(statuses).toEqual([
      [503, '3'],
      [503, '3'],
      [200, null],
    ]);
    expect(complaints(judge(busy.log(), { delayMs: 0 })).join()).toContain('before Retry-After was over');
  });

  it('asks for a pause now and then, in seconds and by a date that lies no sooner', async () => {
    // The calendar of the web, whose dates are compared with it, stands still.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const limited = await one('limited', { retryAfter: 3 });
    const statuses = [];
    const fields = [];
    const dated = { fromAsking: NaN, fromAnswer: NaN };
    for (let n = 0; n < 12; n++) {
      const before = Date.now();
      const response = await fetch(limited.seeds[0] ?? '');
      const after = Date.now();
      const field = response.headers.get('retry-after');
      statuses.push(response.status);
      if (field === null) continue;
      fields.push(field === '3' ? 'seconds' : 'date');
      if (field === '3') continue;
      dated.fromAsking = Date.parse(field) - before;
      dated.fromAnswer = Date.parse(field) - after;
    }
    expect(statuses).toEqual([200, 429, 200, 200, 429, 200, 200, 429, 200, 200, 200, 200]);
    expect(fields).toEqual(['seconds', 'date', 'seconds']);
    // The host chose it between the two.
    expect(dated.fromAsking).toBeGreaterThanOrEqual(3_000);
    expect(dated.fromAnswer).toBeLessThan(4_500);
    expect(limited.log().filter((record) => record.retryAfterMs === 3_000)).toHaveLength(3);
  });

  it('fails twice at some pages, never five times in a row, or twice at robots.txt, or asks for patience', async () => {
    const flaky = await one('flaky');
    const statuses = [];
    for (let round = 0; round < 3; round++) {
      for (const { path } of flaky.plan.sites[0]?.pages ?? []) {
        statuses.push((await fetch((flaky.origins[0] ?? '') + path)).status);
      }
    }
    expect(statuses.filter((status) => status === 500)).toHaveLength(4);
    expect(statuses.slice(10)).toEqual([200, 200, 200, 200, 200]);

    const reluctant = await one('reluctant');
    const robots = [];
    for (let n = 0; n < 4; n++) robots.push((await fetch(`${reluctant.origins[0] ?? ''}/robots.txt`)).status);
    expect(robots).toEqual([503, 503, 200, 200]);
    expect((await fetch(reluctant.seeds[0] ?? '')).status).toBe(200);

    const patient = await one('patient', { crawlDelay: 1 });
    expect(await (await fetch(`${patient.origins[0] ?? ''}/robots.txt`)).text()).toContain(
      'Crawl-delay: 12\n',
    );
  });

  it('refuses connections, or breaks its robots.txt', async () => {
    const refused = await one('refused');
    await expect(fetch(refused.seeds[0] ?? '')).rejects.toThrow();
    const unruly = await one('unruly');
    expect((await fetch(`${unruly.origins[0] ?? ''}/robots.txt`)).status).toBe(500);
    await (await fetch(unruly.seeds[0] ?? '')).text();
    const verdict = judge(unruly.log(), { delayMs: 0, expected: expectedOf(unruly.plan) });
    expect(verdict.disallowed).toEqual(unruly.seeds);
  });

  it.each([
    ['endless', 'HTTP/1.1 200 OK', 3_000_000],
    ['huge', 'content-length: 10737418240', 3_000_000],
    ['header', `x-filler: ${'x'.repeat(1024 * 1024)}`, 1024 * 1024 + 150],
    ['reset', 'content-length: 100000', 50_000],
    ['garbage', 'THIS IS NOT HTTP', 50_000],
  ] as const)('%s misbehaves at its trap and nowhere else', async (misfit, start, enough) => {
    const { origins, seeds, log } = await one(misfit);
    expect((await fetch(seeds[0] ?? '')).status).toBe(200);
    const bytes = await raw(origins[0] ?? '', '/trap', enough);
    expect(bytes.toString('latin1', 0, 1024 * 1024 + 400)).toContain(start);
    if (misfit === 'reset' || misfit === 'garbage') expect(bytes.length).toBeLessThan(enough);
    await expect.poll(() => log().every((record) => record.end !== null)).toBe(true);
  });

  it('sends a gzip stream that grows a thousandfold', async () => {
    const { origins } = await one('bomb');
    const bytes = await raw(origins[0] ?? '', '/trap', 200_000);
    const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
    const chunks: Buffer[] = [];
    for (let at = 0; at < body.length;) {
      const end = body.indexOf('\r\n', at);
      const size = parseInt(body.toString('latin1', at, end), 16);
      chunks.push(body.subarray(end + 2, end + 2 + size));
      at = end + 2 + size + 2;
    }
    const grown = gunzipSync(Buffer.concat(chunks), { finishFlush: 2 });
    expect(grown.length).toBeGreaterThan(100 * 1024 * 1024);
    expect(grown.subarray(0, 1_000)).toEqual(Buffer.alloc(1_000));
  });

  it('nests a hundred thousand tags and turns without end', async () => {
    const nested = await one('nested');
    const html = await (await fetch(`${nested.origins[0] ?? ''}/trap`)).text();
    expect(html.match(/<div>/g)).toHaveLength(100_000);

    const { origins, plan } = await one('carousel');
    const turn = await fetch(`${origins[0] ?? ''}/turn/41`, { redirect: 'manual' });
    expect(turn.headers.get('location')).toBe('/turn/42');
    const { optional } = expectedOf(plan);
    expect(optional(`${origins[0] ?? ''}/turn/5`)).toBe(true);
    expect(optional(`${origins[0] ?? ''}/turn/6`)).toBe(false);
  });

  it('says nothing when it hangs, and still stops', async () => {
    const hung = await one('hang');
    const answer = fetch(`${hung.origins[0] ?? ''}/trap`);
    const failed = expect(answer).rejects.toThrow();
    await expect.poll(() => hung.log().length).toBe(1);
    expect(hung.log()[0]).toMatchObject({ end: null, status: 0 });
    await hung.stop();
    await failed;
  });

  it('leaves what is expected of its neighbours alone', () => {
    const origins = Array.from(
      { length: 1 + misfits.length },
      (_, n) => `http://127.0.0.1:${String(2000 + n)}`,
    );
    const options = { seed: 1, hosts: 1, pages: 8, bytes: 100, links: 6, crossShare: 0, wrinkles: 0 };
    const rest = {
      crawlDelay: null,
      sitemap: false,
      shells: 0,
      latencyMs: 1,
      slowMs: 1,
      retryAfter: 1,
      misfits,
    };
    const { must } = expectedOf(planWeb({ ...options, ...rest }, origins));
    const perHost = origins.map((origin) => [...must].filter((key) => key.startsWith(`${origin}/`)).length);
    const sound: Misfit[] = [
      'slow',
      'patient',
      'busy',
      'limited',
      'flaky',
      'reluctant',
      'endless',
      'huge',
      'bomb',
      'nested',
      'carousel',
      'calendar',
    ];
    expect(perHost).toEqual([8, ...misfits.map((misfit) => (sound.includes(misfit) ? 5 : 0))]);
  });
});

describe('a process of its own', () => {
  it('serves the same web and hands out its log', async () => {
    const spawned = await spawnWeb({ ...wrinkled, seed: 3 });
    running.push(spawned);
    await crawl(spawned.seeds, spawned.origins, { barred: isDisallowed });
    const records = await spawned.log();
    expect(complaints(judge(records, { delayMs: 0, expected: expectedOf(spawned.plan) }))).toEqual([]);
    expect(await spawned.count()).toBe(records.length);
  });
});
