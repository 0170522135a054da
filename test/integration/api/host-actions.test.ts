/** What an operator does to hosts, over HTTP and from the command line: one, or all of a state or pattern (F18). */
import { beforeEach, describe, expect, it } from 'vitest';
import type { HostActed, HostsActed } from '../../../contracts/hosts.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import { runCli } from '../../cli/run-cli.ts';
import { addHost, addUrl, changeHost, hostParked, tables } from '../../support/database/index.ts';
import { newCrawl, withApi } from './world.ts';
let done: string[] = [];
let temporalIsAway = false;

const { pool, api } = withApi({
  actOnHost: async ({ id, origin }, action, reason) => {
    if (temporalIsAway) throw Object.assign(new Error('away'), { code: 14, details: 'away', metadata: {} });
    done.push([action, origin, ...(reason === null ? [] : [reason])].join(' '));
    // As the workflow does.
    if (action === 'retry') await changeHost(pool, id, { parked_at: null, failures: 0 });
    return { dropped: action === 'drop' ? 3 : 0, more: false };
  },
});
beforeEach(() => {
  done = [];
  temporalIsAway = false;
});

interface Answer<T> {
  readonly status: number;
  readonly body: T;
}
async function post<T>(path: string, body?: unknown): Promise<Answer<T>> {
  const response = await fetch(api.url + path, {
    method: 'POST',
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  return { status: response.status, body: (await response.json()) as T };
}
const act = <T = HostActed>(origin: string, action: string, body?: unknown): Promise<Answer<T>> =>
  post<T>(`/v1/hosts/${encodeURIComponent(origin)}/${action}`, body);
const bulk = <T = HostsActed>(body: unknown): Promise<Answer<T>> => post<T>('/v1/hosts/bulk', body);
async function parked(origin: string): Promise<void> {
  const id = await addHost(pool, origin);
  await hostParked(pool, id, { failures: 5, last_error: 'connect-refused: no' });
}

describe('one host', () => {
  it('is tried again, in any spelling, and answered as it is then', async () => {
    await parked('https://one.example');
    expect(await act('HTTPS://One.Example/', 'retry')).toMatchObject({
      status: 200,
      body: { action: 'retry', outcome: 'done', host: { origin: 'https://one.example', parkedAt: null } },
    });
    expect(done).toEqual(['retry https://one.example']);
    expect(await act('https://one.example', 'retry')).toMatchObject({ body: { outcome: 'unchanged' } });
    expect(done).toHaveLength(1);
    const rows = await tables.audit.rows(pool, { status: 200 });
    expect(rows.map(({ detail }) => detail)).toContain('retry');
  });

  it('is dropped with a reason', async () => {
    const crawl = await newCrawl(pool);
    await addUrl(pool, crawl, 'https://drop.example/1');
    const answer = await act('https://drop.example', 'drop', { reason: 'too much' });
    expect(answer.body).toMatchObject({ outcome: 'done', dropped: 3, more: false });
    expect(done).toEqual(['drop https://drop.example too much']);
  });

  it('that nobody has met, is no origin, or cannot be reached is refused in one sentence', async () => {
    await parked('https://away.example');
    temporalIsAway = true;
    const refused: [string, unknown, number, RegExp][] = [
      ['https://nobody.example', {}, 404, /^No crawl has met/],
      ['nobody.example', {}, 400, /is not an origin such as/],
      ['https://away.example', { why: 'x' }, 422, /why/],
      ['https://away.example', {}, 503, /^Temporal does not answer/],
    ];
    for (const [origin, body, status, words] of refused) {
      const answer = await act<Problem>(origin, 'retry', body);
      expect(answer.status).toBe(status);
      expect(answer.body.detail).toMatch(words);
    }
    expect(done).toEqual([]);
  });
});

describe('many hosts', () => {
  it('are chosen by state and pattern, page by page, each once, and none that needs nothing', async () => {
    const ours = Array.from({ length: 23 }, (_, at) => `https://h${String(at)}.bulk.example`);
    for (const origin of ours) await parked(origin);
    await parked('https://elsewhere.example');
    const well = await addHost(pool, 'https://well.bulk.example');
    const wanted = { action: 'retry', state: 'parked', match: 'https://*.bulk.example', limit: 10 };
    const dry = await bulk({ ...wanted, dryRun: true, limit: 100 });
    expect(dry.body).toMatchObject({ hosts: ours, unchanged: 0, next: null });
    expect(done).toEqual([]);
    const pages: HostsActed[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: Answer<HostsActed> = await bulk({ ...wanted, ...(cursor !== '' && { cursor }) });
      pages.push(body);
      cursor = body.next;
    }
    expect(pages.map(({ hosts }) => hosts.length)).toEqual([10, 10, 3]);
    expect(done.sort()).toEqual(ours.map((origin) => `retry ${origin}`).sort());
    expect(well).toBeGreaterThan(0);
    const all = await bulk({ action: 'retry', match: 'https://*.bulk.example' });
    expect(all.body).toMatchObject({ hosts: [], unchanged: 24, next: null });
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing chosen', { action: 'retry' }, /give state, match or both/],
    ['no action', { state: 'parked' }, /action/],
    ['a state there is not', { action: 'retry', state: 'sad' }, /state/],
    ['an empty pattern', { action: 'drop', match: '' }, /the pattern is empty/],
    ['too many at once', { action: 'retry', state: 'parked', limit: 501 }, /limit/],
  ])('are refused with %s', async (_, body, words) => {
    const answer = await bulk<Problem>(body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatch(words);
  });
});

describe('the command line', () => {
  const run = (...args: string[]) =>
    runCli(['host', ...args, '--server', api.url, '--key', api.key], { ORBWEAVER_DATA: '/nowhere' });

  it('shows a host, tries hosts again, and says what there was to do', async () => {
    await parked('https://a.cli.example');
    await parked('https://b.cli.example');
    const shown = await run('show', 'https://a.cli.example');
    expect(shown.stdout).toMatch(
      /^https:\/\/a\.cli\.example is parked since .*\n +trouble +connect-refused: no\n/,
    );
    expect(shown.stdout).toContain('./orbweaver host retry https://a.cli.example');
    const one = await run('retry', 'https://a.cli.example');
    expect(one).toMatchObject({
      code: 0,
      stdout: 'https://a.cli.example is tried again; 0 URLs are queued.\n',
    });
    const rest = await run('retry', '--state', 'parked', '--match', '*.cli.example');
    expect(rest).toMatchObject({ code: 0, stdout: 'https://b.cli.example\n1 host is tried again.\n' });
    const again = await run('retry', 'https://a.cli.example');
    expect(again.stdout).toBe(
      'https://a.cli.example has nothing to do now; there is no failure to forget.\n',
    );
    expect(done).toEqual(['retry https://a.cli.example', 'retry https://b.cli.example']);
  });

  it('wants hosts or a choice of them', async () => {
    for (const args of [['retry'], ['drop', 'https://a.example', '--state', 'parked']]) {
      const { code, stderr } = await run(...args);
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^orbweaver: Name hosts/) as string,
      });
    }
    expect(done).toEqual([]);
  });
});
