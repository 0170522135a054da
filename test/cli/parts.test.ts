import type { RequestListener } from 'node:http';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { localApi } from '../../cli/api/target.ts';
import { RefusedError } from '../../cli/api/request.ts';
import { createApi } from '../../cli/api/api.ts';
import { auditLines } from '../../cli/look/audit.ts';
import { writeAllPages } from '../../cli/crawl/live-pages.ts';
import { openOutFile } from '../../cli/output/out-file.ts';
import { createProgress } from '../../cli/crawl/progress.ts';
import { readRequest } from '../../cli/crawl/request.ts';
import { readSettings } from '../../cli/crawl/setting-values.ts';
import { createOutlast } from '../../cli/api/outages.ts';
import { toResume } from '../../cli/crawl/resume.ts';
import { summaryJson, summaryLines } from '../../cli/look/summary.ts';
import { table } from '../../cli/output/table.ts';
import { turnCrawl } from '../../cli/crawl/turn-crawl.ts';
import { bytes, duration } from '../../cli/output/words.ts';
import { defaultCrawlConfig } from '../../contracts/crawl.ts';
import { crawlEdit } from '../../contracts/http/edits.ts';
import { crawlView, type CrawlView } from '../../contracts/http/crawls.ts';
import { serving } from './serving.ts';
import { ownFolder } from '../support/given.ts';

const folder = ownFolder();

const view = (changes: Partial<CrawlView> = {}): CrawlView => ({
  id: '7',
  state: 'running',
  cause: null,
  reason: null,
  label: null,
  jobId: 'b7f7a3f0-54a5-4a52-9c1e-0d7f6f1c2a11',
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
  seconds: 75,
  ledger: { discovered: 1_600, queued: 300, leased: 10, done: 1_200, excluded: 80, dead: 7, failed: 3 },
  pages: 1_170,
  pending: 0,
  fetches: 1_210,
  bytes: 27_300_000,
  config: {
    ...defaultCrawlConfig,
    include: [],
    exclude: [],
    contentTypes: [],
    includeDomains: [],
    excludeDomains: [],
    trustedDomains: [],
    sitemapPatterns: [],
    renderAlways: [],
    renderNever: [],
    focus: null,
    headers: {},
    allowPrivate: [],
  },
  configVersion: 1,
  seeds: { accepted: 1, rejected: 0, waiting: 0, moved: 0, firstRejected: [], firstMoved: [] },
  hosts: { total: 12, waiting: 3, working: 2, parked: 1 },
  excluded: { 'host-limit': 70, robots: 10 },
  unchanged: 0,
  keptBack: 0,
  needed: 0,
  rendering: 0,
  cut: {},
  deadLetters: { timeout: 3 },
  rate: { perSecond: 20, statuses: { '2xx': 20, '3xx': 0, '4xx': 0, '5xx': 0 } },
  stages: [],
  ...changes,
});

it('an edit reads numbers, yes and no, and gives a setting its default for none', async () => {
  const given = { delay: '0.5', traps: 'no', maxPages: 'none', maxRedirects: 'none', exclude: ['none'] };
  const changed = { delaySeconds: 0.5, traps: false, maxPages: null, maxRedirects: 5, exclude: [] };
  expect(await readSettings({ ...given, header: ['none'], userAgent: undefined }, true)).toEqual({
    ...changed,
    headers: {},
  });
  expect(crawlEdit.parse(changed)).toEqual(changed);
});

describe('the request of a crawl', () => {
  it('carries the options under their names, and nothing that was not given', async () => {
    const { body } = await readRequest(
      ['https://a.example/'],
      {
        maxPages: 5,
        delay: 0.5,
        scope: 'prefix',
        exclude: ['*.pdf'],
        excludeDomain: ['Ads.example'],
        includeDomain: ['a.example'],
        contentType: ['text/html'],
        maxUrlLength: 500,
        allowPrivate: ['10.0.0.0/8, fd00::/8', '127.0.0.0/8'],
      },
      [],
    );
    expect(JSON.parse(body)).toEqual({
      seeds: ['https://a.example/'],
      maxPages: 5,
      delaySeconds: 0.5,
      scope: 'prefix',
      exclude: ['*.pdf'],
      excludeDomains: ['ads.example'],
      includeDomains: ['a.example'],
      contentTypes: ['text/html'],
      maxUrlLength: 500,
      allowPrivate: ['10.0.0.0/8', 'fd00::/8', '127.0.0.0/8'],
    });
  });

  it('keeps the good lines of a seeds file and names the bad ones by their numbers', async () => {
    const seeds = path.join(folder, 'seeds');
    writeFileSync(seeds, 'https://a.example/\n\n# b\nnonsense\n  https://c.example/ \n');
    const { body, complaints } = await readRequest([], { seeds }, []);
    expect(complaints).toEqual([
      `${seeds}, line 4: "nonsense" is not an absolute URL such as https://example.com/`,
    ]);
    const sent = (JSON.parse(body) as { seeds: string[] }).seeds;
    // The API numbers them as the file does, and records the bad one with the crawl.
    expect(sent.slice(0, 5)).toEqual(['https://a.example/', '', '', 'nonsense', 'https://c.example/']);
  });

  it('takes private addresses that the settings or the options allow', async () => {
    await expect(readRequest(['http://127.0.0.1/'], {}, ['127.0.0.0/8'])).resolves.toBeDefined();
    await expect(
      readRequest(['http://10.1.1.1/'], { allowPrivate: ['10.0.0.0/8'] }, []),
    ).resolves.toBeDefined();
    await expect(readRequest(['http://10.1.1.1/'], {}, ['127.0.0.0/8'])).rejects.toThrow(/10.1.1.1\/32/);
  });
});

describe('progress', () => {
  const screen = (isTTY: boolean) => {
    const written: string[] = [];
    return { written, isTTY, columns: 200, write: (text: string) => written.push(text) };
  };

  it('is one line that is written over, on a terminal', () => {
    let now = 0;
    const terminal = screen(true);
    const progress = createProgress(terminal, false, () => now);
    progress.update(view({ pages: 1_000 }));
    now = 2_000;
    progress.update(view());
    expect(terminal.written.at(-1)).toBe(
      '\r\x1b[Kcrawling  1,170 pages  85.0/s  310 queued  12 hosts (1 parked)  10 errors  1:15 min',
    );
    progress.say('Hello.');
    expect(terminal.written.slice(-3, -1)).toEqual(['\r\x1b[K', 'Hello.\n']);
    progress.clear();
    expect(terminal.written.at(-1)).toBe('\r\x1b[K');
    terminal.columns = 11;
    progress.update(view());
    expect(terminal.written.at(-1)).toBe('\r\x1b[Kcrawling  ');
  });

  it('forgets old rates', () => {
    let now = 0;
    const terminal = screen(true);
    const progress = createProgress(terminal, false, () => now);
    for (; now <= 20_000; now += 500) progress.update(view({ pages: Math.min(now, 10_000) }));
    expect(terminal.written.at(-1)).toContain('  0.0/s  ');
  });

  it('is a plain line every ten seconds elsewhere, and none when quiet', () => {
    let now = 0;
    const log = screen(false);
    const progress = createProgress(log, false, () => now);
    for (; now < 25_000; now += 1_000) progress.update(view());
    expect(log.written).toHaveLength(3);
    expect(log.written.every((line) => /^crawling .*\n$/.test(line))).toBe(true);
    const quiet = screen(true);
    createProgress(quiet, true).update(view());
    expect(quiet.written).toEqual([]);
  });
});

describe('the summary', () => {
  it('tells states, dead letters, parked hosts and bad seeds', () => {
    const lines = summaryLines(
      view({
        state: 'finished',
        reason: 'complete',
        seeds: {
          accepted: 1,
          rejected: 12,
          waiting: 0,
          firstRejected: [{ line: 3, url: 'x', reason: 'not-a-url' }],
          moved: 3,
          firstMoved: [{ from: 'https://old.example/', to: 'https://new.example/home' }],
        },
        cut: { links: { places: 1, leftOut: 1_300 }, robotsText: { places: 1, leftOut: 1 } },
      }),
      [
        { origin: 'https://p.example', queued: 300, why: 'parked', lastError: 'refused' },
        { origin: 'https://l.example', queued: 1, why: 'logged-out', lastError: 'answered 401' },
      ],
    );
    expect(lines).toEqual([
      'Crawl 7 is finished (complete) after 1:15 min.',
      '  pages         1,170 (1,210 requests, 27.3 MB, 15.6 pages/s)',
      '  URLs          1,600 discovered: 300 queued, 10 leased, 1,200 done, 80 excluded, 7 gone, 3 failed',
      '  excluded      70 host-limit, 10 robots',
      '  dead letters  3 timeout',
      '  left out      1,300 links over the limit of a page, at 1 URL (--max-links-per-page)',
      '                1 robots.txt too long to be read whole',
      '  parked hosts  https://p.example, 300 URLs wait: refused',
      '                https://l.example, 1 URL waits: logged out: answered 401',
      '                give the crawl another session with: ./orbweaver session add 7 --cookies FILE',
      '                try it again with: ./orbweaver host retry https://p.example',
      '  moved seeds   https://old.example/ leads to https://new.example/home, which belongs to the crawl now',
      '                and 2 more',
      '  bad seeds     line 3: "x" (not-a-url)',
      '                and 11 more',
    ]);
  });

  it('says what pages need of shares that are worth it', () => {
    const first = (places: number) =>
      summaryLines(view({ pages: 114, cut: { emptyShells: { places, leftOut: places } } }), []);
    expect(first(12)[0]).toContain('; 12 of 114 pages are empty shells that need a browser (JavaScript)');
    expect(first(1)[0]).toMatch(/ min\.$/);
    expect(first(1).join('\n')).toContain('left out      1 page');
  });

  it('says how many files that pages need wait', () => {
    expect(summaryLines(view({ needed: 1 }), []).join('\n')).toContain('needed        1 file of pages waits');
    expect(summaryLines(view({ needed: 10_000 }), []).join('\n')).toContain(
      '10,000 files of pages or more wait',
    );
    expect(summaryLines(view(), []).join('\n')).not.toContain('needed');
  });

  it('says of how many pages their hosts answered that nothing has changed', () => {
    expect(summaryLines(view({ unchanged: 900 }), []).join('\n')).toContain(
      'unchanged     900 of 1,170 pages: their hosts answered that nothing has changed',
    );
    expect(summaryLines(view(), []).join('\n')).not.toContain('unchanged');
  });

  it('is one JSON object with exactly the promised fields', () => {
    const parked = [{ origin: 'https://b.example', queued: 4, why: 'parked', lastError: 'timeout' } as const];
    expect(JSON.parse(summaryJson(view({ state: 'failed', reason: 'no page' }), parked, null))).toEqual({
      crawlId: '7',
      state: 'failed',
      reason: 'no page',
      label: null,
      seconds: 75,
      pages: 1_170,
      fetches: 1_210,
      bytes: 27_300_000,
      ledger: { discovered: 1_600, queued: 300, leased: 10, done: 1_200, excluded: 80, dead: 7, failed: 3 },
      hosts: { total: 12, waiting: 3, working: 2, parked: 1 },
      deadLetters: { timeout: 3 },
      unchanged: 0,
      excluded: { 'host-limit': 70, robots: 10 },
      keptBack: 0,
      cut: {},
      parkedHosts: [{ origin: 'https://b.example', queued: 4, why: 'parked', lastError: 'timeout' }],
      seeds: { accepted: 1, rejected: 0 },
    });
    expect(JSON.parse(summaryJson(view(), [], 'The stack is gone.'))).toMatchObject({
      state: 'running',
      error: 'The stack is gone.',
    });
  });

  it('speaks of an audit', () => {
    const { ledger } = view();
    const lines = auditLines({
      crawlId: '7', state: 'running', at: '', ok: false, balanced: true, ledger, recount: ledger, hosts: 2,
      differences: [{ check: 'host.queued', expected: 1, actual: 5, detail: 'https://a.example' }],
    }); // prettier-ignore
    expect(lines[0]).toMatch(/DIFFER/);
    expect(lines.at(-1)).toBe('  host.queued: found 5, expected 1 (https://a.example)');
  });

  it.each([
    [duration(8.44), '8.4 s'],
    [duration(187), '3:07 min'],
    [duration(7_241), '2:00:41 h'],
    [bytes(999), '999 B'],
    [bytes(1_250), '1.3 kB'],
    [bytes(123_456_789), '123 MB'],
  ])('writes %s', (actual, expected) => {
    expect(actual).toBe(expected);
  });
});

it('a table may have any number of rows', () => {
  const rows = Array.from({ length: 300_000 }, (_, index) => [String(index), 'x']);
  expect(table([['number', 'what'], ...rows]).at(-1)).toBe('299999  x');
});

describe('the out file', () => {
  async function* values(count: number, thenFail = false): AsyncGenerator<object> {
    await Promise.resolve();
    for (let i = 0; i < count; i++) yield { i };
    if (thenFail) throw new Error('Postgres went away');
  }

  it('has its name only once it is whole', async () => {
    const name = path.join(folder, 'whole.jsonl');
    const out = await openOutFile(name);
    expect(readdirSync(folder)).not.toContain('whole.jsonl');
    expect(await out.write(values(50_000))).toBe(50_000);
    await out.discard();
    expect(readFileSync(name, 'utf8').split('\n')).toHaveLength(50_001);
  });

  it('is said not to be written where it cannot get its name', async () => {
    const name = path.join(folder, 'taken');
    const out = await openOutFile(name);
    mkdirSync(name);
    await expect(out.write(values(1))).rejects.toThrow(/taken could not be written: /);
    await out.discard();
  });

  it('leaves an older file alone when the writing fails', async () => {
    const name = path.join(folder, 'older.jsonl');
    writeFileSync(name, 'older');
    const out = await openOutFile(name);
    await expect(out.write(values(3, true))).rejects.toThrow(
      /older.jsonl could not be written: Postgres went away/,
    );
    await out.discard();
    expect(readFileSync(name, 'utf8')).toBe('older');
    expect(readdirSync(folder).filter((entry) => entry.endsWith('.part'))).toEqual([]);
  });
});

describe('a crawl that is resumed without its id', () => {
  const open = [
    view({ id: '9', state: 'running' }),
    view({ id: '8', state: 'paused', reason: 'an admin asked for it' }),
    view({ id: '7', state: 'paused', reason: 'interrupted' }),
  ];

  it('is the latest open one in a stack of our own, since none of them has a command any more', () => {
    expect(toResume(open, true)?.id).toBe('9');
  });
  it('is the latest that a command has left in the stack of another launcher', () => {
    expect(toResume(open, false)?.id).toBe('7');
    expect(toResume(open.slice(0, 2), false)).toBeUndefined();
  });
});

describe('a crawl that is paused', () => {
  /** Answers POSTs with these statuses one after the other, GETs with a crawl in the state. */
  const script =
    (statuses: number[], state: CrawlView['state']): RequestListener =>
    (request, response) => {
      const isChange = request.method === 'POST';
      response.statusCode = isChange ? (statuses.shift() ?? 500) : 200;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...view({ state }), ...(isChange && { detail: 'words' }) }));
    };
  const paused = (statuses: number[], state: CrawlView['state']): Promise<boolean> =>
    serving(script(statuses, state), (url) => turnCrawl(createApi(localApi(url, null)), '7', 'pause', 'x'));

  it('is asked for again while workers do not answer yet', async () => {
    const statuses = [503, 200];
    expect(await paused(statuses, 'running')).toBe(true);
    expect(statuses).toEqual([]);
  });

  it('counts as paused if the change came late, and not if it was refused', async () => {
    expect(await paused([503], 'paused')).toBe(true);
    expect(await paused([409], 'draining')).toBe(false);
    expect(await paused([404], 'running')).toBe(false);
  });
});

describe('an API that is away', () => {
  /** Answers with these statuses one after the other; a request beyond them is cut. */
  const script =
    (statuses: number[]): RequestListener =>
    (request, response) => {
      const status = statuses.shift();
      if (status === undefined) return void request.destroy();
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...view(), detail: 'words' }));
    };
  /** Each look at the clock finds it so many milliseconds later. */
  const asked = async (statuses: number[], stepMs: number, signal = new AbortController().signal) => {
    const said: string[] = [];
    let clock = 0;
    const outlast = createOutlast((sentence) => said.push(sentence), () => (clock += stepMs)); // prettier-ignore
    const answer = await serving(script(statuses), (url) => {
      const api = createApi(localApi(url, null));
      return outlast(() => api.get('/v1/crawls/7', crawlView, {}, { patienceMs: 0, signal }), signal).then(
        (crawl) => crawl?.id ?? null,
        (error: unknown) => (error instanceof Error ? error.message : ''),
      );
    });
    return { answer, said };
  };

  it('is waited for, and people hear of it once', async () => {
    expect(await asked([503, 500, 200], 6_000)).toEqual({
      answer: '7',
      said: [
        'The crawl cannot be seen now; trying again for up to ten minutes. words',
        'The crawl can be seen again.',
      ],
    });
    expect(await asked([503, 200], 1)).toEqual({ answer: '7', said: [] });
  });

  it('is waited for in the middle of the pages of --out', async () => {
    const page = (url: string, next: string | null): object => ({
      items: [
        {
          ...{
            url,
            state: 'done',
            status: 200,
            reason: null,
            title: null,
            description: null,
            language: null,
          },
          ...{
            words: null,
            linkCount: null,
            contentHash: null,
            reportedHash: null,
            contentType: null,
            bytes: 1,
            depth: 0,
          },
          ...{
            fetchedAt: '2026-01-01T00:00:00.000Z',
            duplicateOf: null,
            duplicateBy: null,
            revisitOf: null,
            redirectTo: null,
            noindex: null,
          },
          ...{ nearDuplicateOf: null, canonical: null, cut: {} },
        },
      ],
      next,
      more: next !== null,
    });
    const answers = [page('https://a.example/', 'x'), 503, 500, 502, page('https://b.example/', null)];
    const listener: RequestListener = (_request, response) => {
      const answer = answers.shift() ?? 404;
      response.statusCode = typeof answer === 'number' ? answer : 200;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(typeof answer === 'number' ? { detail: 'words' } : answer));
    };
    const said: string[] = [];
    let clock = 0;
    const outlast = createOutlast((sentence) => said.push(sentence), () => (clock += 200_000)); // prettier-ignore
    const name = path.join(folder, 'outlasted.jsonl');
    const out = await openOutFile(name);
    const { signal } = new AbortController();
    const written = serving(listener, (url) =>
      writeAllPages(createApi(localApi(url, null)), '7', out, outlast, signal),
    );
    expect(await written).toBe(2);
    await out.discard();
    expect(readFileSync(name, 'utf8')).toMatch(/a\.example.*\n.*b\.example.*\n$/);
    expect(said).toHaveLength(2);
  });

  it('is waited for no longer than ten minutes by a caller whose requests alone fail', async () => {
    const said: string[] = [];
    let clock = 0;
    const outlast = createOutlast((sentence) => said.push(sentence), () => clock); // prettier-ignore
    const { signal } = new AbortController();
    const answered = (): Promise<null> => outlast(() => Promise.resolve(null), signal);
    let tries = 0;
    const failing = outlast(async () => {
      tries++;
      clock += 100_000;
      // The other caller has an answer between any two failures.
      await answered();
      throw new RefusedError('words', 503);
    }, signal);
    await expect(failing).rejects.toThrow('words');
    expect({ tries, said }).toEqual({
      tries: 7,
      said: ['The crawl cannot be seen now; trying again for up to ten minutes. words'],
    });
  });

  it('is waited for no longer than ten minutes, not after a refusal, and not after an interrupt', async () => {
    expect(await asked([], 400_000)).toMatchObject({
      answer: expect.stringContaining('does not answer') as string,
    });
    expect(await asked([404, 200], 1)).toEqual({ answer: 'words', said: [] });
    expect(await asked([503, 200], 1, AbortSignal.abort())).toEqual({ answer: null, said: [] });
  });
});
