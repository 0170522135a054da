/**
 * Bad input to what decides the order of a crawl, its freshness and its traps: over HTTP each is a problem that says
 * what is wrong, and on the command line one sentence; nothing is done by halves.
 * @module-tag long
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../../contracts/http/problem.ts';
import type { QuarantinePreview } from '../../../contracts/http/quarantine.ts';
import { addUrl, rowCounts } from '../../support/database/index.ts';
import { runCli } from '../../cli/run-cli.ts';
import { ask as askAt, type Answer } from './asking.ts';
import { newRunningCrawl, withApi } from './world.ts';
import { ownFolder } from '../../support/given.ts';

const { pool, api } = withApi();
let crawl: string;
const host = 'https://calendar.example';
beforeAll(async () => {
  crawl = await newRunningCrawl(pool);
  for (const day of [1, 2, 3]) await addUrl(pool, crawl, `${host}/calendar/${String(day)}`);
});

const ask = <T = Problem>(method: string, where: string, body?: unknown): Promise<Answer<T>> =>
  askAt<T>(api.url, null, method, where.replace('{crawl}', crawl), body);
/** Rows by table, of everything but the log of who asked. */
const rows = async (): Promise<Record<string, number>> => ({
  ...(await rowCounts(pool)),
  audit_log: 0,
});

const seeds = ['https://a.example/'];
const day = 86_400;
const interval = { floorSeconds: day, ceilingSeconds: 30 * day };
const intervals = (generic: object): object => ({
  keepFresh: { intervals: { news: interval, generic, dormant: interval } },
});

/** Settings that a new crawl and an edit refuse, with the words that say why. */
const settings: readonly (readonly [what: string, settings: object, words: RegExp])[] = [
  [
    'weights that do not sum to 1',
    { priority: { depth: 0.5, inbound: 0.4 } },
    /sum to 0\.9; they must sum to 1/,
  ],
  ['weights that sum to more', { priority: { depth: 0.9, inbound: 0.9 } }, /sum to 1\.8/],
  ['no weight', { priority: {} }, /sum to 0; they must/],
  ['a negative weight', { priority: { depth: 1.5, inbound: -0.5 } }, /priority\.(depth|inbound)/],
  ['a weight that is no number', { priority: { depth: 'NaN' } }, /priority\.depth/],
  ['a weight beyond all', { priority: { depth: 1e308 } }, /priority\.depth/],
  ['an unknown signal', { priority: { fame: 1 } }, /fame/],
  ['a list of weights', { priority: [1] }, /priority/],
  ['a floor above its ceiling', intervals({ floorSeconds: 60, ceilingSeconds: 59 }), /floorSeconds is above/],
  ['a floor of no time', intervals({ floorSeconds: 0, ceilingSeconds: 60 }), /generic\.floorSeconds/],
  ['a negative ceiling', intervals({ floorSeconds: 1, ceilingSeconds: -1 }), /generic\.ceilingSeconds/],
  ['a ceiling of ages', intervals({ floorSeconds: 1, ceilingSeconds: 1e12 }), /generic\.ceilingSeconds/],
  ['a floor alone', intervals({ floorSeconds: 60 }), /generic\.ceilingSeconds/],
  ['an unknown class', { keepFresh: { intervals: { weekly: interval } } }, /weekly/],
  ['a duration as a date', { keepFresh: { withinSeconds: '2026-01-01' } }, /withinSeconds/],
  ['a duration in words', { keepFresh: { withinSeconds: '1d' } }, /withinSeconds/],
  ['a negative duration', { keepFresh: { withinSeconds: -1 } }, /withinSeconds/],
  ['a share of nothing', { keepFresh: { share: 0 } }, /share/],
  ['a share of more than all', { keepFresh: { share: 100.1 } }, /share/],
  ['no requests', { keepFresh: { requestsPerDay: 0 } }, /requestsPerDay/],
  ['fewer requests than none', { keepFresh: { requestsPerDay: -3 } }, /requestsPerDay/],
  ['half a request', { keepFresh: { requestsPerDay: 0.5 } }, /requestsPerDay/],
  ['requests beyond all', { keepFresh: { requestsPerDay: 1e10 } }, /requestsPerDay/],
  ['freshness of a crawl that ends', { keepFresh: {}, maxPages: 3 }, /has no end, and maxPages would end it/],
  ['a pattern that cannot be', { keepFresh: { only: ['re:('] } }, /only/],
  ['a pattern that no URL has', { keepFresh: { only: ['*/é'] } }, /canonical URLs are plain ASCII/],
  ['a domain that is none', { trustedDomains: ['not a domain'] }, /trustedDomains/],
  ['traps by a word', { traps: 'maybe' }, /traps/],
  ['retention in the past', { retentionDays: -1 }, /retentionDays/],
  ['a delay of less than nothing', { delaySeconds: -0.1 }, /delaySeconds/],
];

/** Requests that are refused. */
const requests: readonly (readonly [what: string, method: string, where: string, body: unknown, status: number, words: RegExp])[] = [
  ['a goal of more than all', 'POST', '/v1/crawls/{crawl}/freshness/preview', { share: 101 }, 422, /share/],
  ['a shape that is none', 'POST', '/v1/crawls/{crawl}/quarantine', { host, shape: 'calendär' }, 422, /not a shape of URLs/],
  ['an empty shape', 'POST', '/v1/crawls/{crawl}/quarantine', { host, shape: '' }, 422, /shape/],
  ['a shape that no URL has', 'POST', '/v1/crawls/{crawl}/quarantine', { host, shape: '/calender/{n}' }, 422, /^No URL that the crawl has met at https:\/\/calendar\.example has the shape \/calender\/\{n\}/],
  ['a shape of everything', 'POST', '/v1/crawls/{crawl}/quarantine', { host, shape: '/calendar/{n}' }, 409, /has all 3 queued URLs .* nothing would be left to fetch there/],
  ['the shape of a whole host', 'POST', '/v1/crawls/{crawl}/quarantine', { host, shape: '/**' }, 409, /has all 3 queued URLs/],
  ['a host that was never met', 'POST', '/v1/crawls/{crawl}/quarantine', { host: 'https://other.example', shape: '/a' }, 404, /./],
  ['a host that is none', 'POST', '/v1/crawls/{crawl}/quarantine', { host: 'calendar', shape: '/a' }, 422, /host/],
  ['a URL that is none', 'POST', '/v1/crawls/{crawl}/quarantine/preview', { url: 'mailto:a@a.example' }, 422, /cannot be crawled/],
  ['a rule that is none', 'POST', '/v1/crawls/{crawl}/quarantine/release', { rule: 'all' }, 422, /rule/],
  ['a quality above all', 'PATCH', `/v1/hosts/${encodeURIComponent(host)}/quality`, { quality: 2 }, 422, /quality/],
  ['a cap of nothing', 'POST', '/v1/caps', { name: 'example.org', rate: 0 }, 422, /rate/],
  ['places beyond all', 'POST', '/v1/ranks?most=99999999', '', 400, /most/],
]; // prettier-ignore

const isProblem = (problem: Problem, words: RegExp): void => {
  expect(problem).toMatchObject({
    status: expect.any(Number) as number,
    title: expect.any(String) as string,
  });
  expect(`${problem.detail} ${JSON.stringify(problem)}`).toMatch(words);
};

describe('over HTTP', () => {
  it.each(settings)('%s cannot be set', async (_what, given, words) => {
    const before = await rows();
    const made = await ask('POST', '/v1/crawls', { seeds, ...given });
    expect([made.status, made.body.detail]).toEqual([422, made.body.detail]);
    isProblem(made.body, words);
    const edited = await ask('PATCH', '/v1/crawls/{crawl}', given);
    expect([edited.status, edited.body.detail]).toEqual([422, edited.body.detail]);
    isProblem(edited.body, words);
    expect(await rows()).toEqual(before);
  });

  it.each(requests)('%s is refused', async (_what, method, where, body, status, words) => {
    const before = await rows();
    const answer = await ask(method, where, body);
    expect([answer.status, answer.body.detail]).toEqual([status, answer.body.detail]);
    isProblem(answer.body, words);
    expect(await rows()).toEqual(before);
  });

  it('what a shape of everything would keep back is told before', async () => {
    const body = { host, shape: '/calendar/{n}' };
    const told = await ask<QuarantinePreview>('POST', '/v1/crawls/{crawl}/quarantine/preview', body);
    expect(told.body).toMatchObject({ queued: 3, complete: true, shapes: [{ queued: 3, everything: true }] });
    // The same of a pattern of the settings.
    const edit = await ask<unknown>('PATCH', '/v1/crawls/{crawl}?dryRun=true', { exclude: ['*'] });
    expect(edit.status).toBe(200);
    expect(JSON.stringify(edit.body)).toContain('3');
  });
});

const folder = ownFolder();
const fileOf = (name: string, bytes: string | Buffer): string => {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  return file;
};

/** What the command line refuses: `ID` is the crawl. The last line of stderr is a sentence with these words. */
const commands: readonly (readonly [args: readonly string[], words: RegExp])[] = [
  [['edit', 'ID', '--priority', 'depth=0.5'], /the weights sum to 0\.5; they must sum to 1/],
  [['edit', 'ID', '--priority', 'depth=2,inbound=-1'], /priority/],
  [['edit', 'ID', '--priority', 'depth=NaN'], /weights, such as depth=0\.5/],
  [['edit', 'ID', '--keep-fresh', '0'], /requestsPerDay/],
  [['edit', 'ID', '--keep-fresh', '{"share":'], /--keep-fresh is not valid JSON/],
  [['edit', 'ID', '--keep-fresh', 'nowhere.json'], /keep-fresh file nowhere\.json cannot be read/],
  [['edit', 'ID', '--keep-fresh', '{"intervals":{"news":{"floorSeconds":9,"ceilingSeconds":8},"generic":{"floorSeconds":1,"ceilingSeconds":8},"dormant":{"floorSeconds":1,"ceilingSeconds":8}}}'], /floorSeconds is above ceilingSeconds/],
  [['freshness', 'ID', '--preview', '{"share":-1}'], /share/],
  [['crawl', 'https://a.example/', '--priority', 'depth=0.5,depth=0.5'], /names depth twice/],
  [['crawl', 'https://a.example/', '--max-seconds', '9'.repeat(400)], /number of seconds above 0/],
  [['crawl', 'https://a.example/', '--max-seconds', '2026-01-01'], /number of seconds above 0/],
  [['crawl', 'https://a.example/', '--retention', 'forever'], /number of days from 0/],
  [['crawl', 'https://a.example/', '--delay-factor', '1e9'], /number above 0/],
  [['quarantine', 'add', 'ID', host, '/**'], /nothing would be left to fetch there/],
  [['quarantine', 'add', 'ID', host, '/nowhere'], /No URL that the crawl has met/],
  [['quarantine', 'preview', 'ID', 'mailto:a@a.example'], /cannot be crawled/],
  [['ranks', 'import', folder], /cannot be read/],
  [['ranks', 'import', path.join(folder, 'nowhere.csv')], /cannot be read/],
  [['ranks', 'import', fileOf('garbage.csv', '<html>\n'.repeat(3))], /No line of the body is a line of a ranking/],
  [['ranks', 'import', fileOf('packed.gz', 'this is not packed')], /packed\.gz cannot be read/],
  [['ranks', 'import', fileOf('noise.csv', Buffer.alloc(3e6, 0xff))], /No line of the body is a line of a ranking/],
  [['ranks', 'import', fileOf('good.csv', '1,a.example\n'), '--most', '0'], /whole number/],
]; // prettier-ignore

describe('on the command line', () => {
  it.each(commands)('%j is refused in one sentence', async (args, words) => {
    const before = await rows();
    const given = args.map((arg) => (arg === 'ID' ? crawl : arg));
    const { code, stderr } = await runCli([...given, '--server', api.url]);
    expect(stderr).toMatch(words);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^[^{\s].*[^\s]$/);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(code).not.toBe(0);
    expect(await rows()).toEqual(before);
  });
});
