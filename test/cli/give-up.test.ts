/** When `crawl` stops waiting, and how its progress tells of hosts that wait. */
import { describe, expect, it } from 'vitest';
import { createPatience } from '../../cli/crawl/follow.ts';
import { createProgress } from '../../cli/crawl/progress.ts';
import { clock, waitText } from '../../cli/look/waiting.ts';
import type { CrawlView } from '../../contracts/http/crawls.ts';
import type { CrawlOutlookView } from '../../contracts/http/outlook.ts';

const waits = { onlyWaiting: true };
const works = { onlyWaiting: false };

describe('patience', () => {
  it('ends when no page has come for so long and only hosts that wait are left', () => {
    const isEnough = createPatience(60);
    expect(isEnough(0, waits, 0)).toBe(false);
    expect(isEnough(0, waits, 59_999)).toBe(false);
    expect(isEnough(0, works, 70_000)).toBe(false);
    expect(isEnough(0, null, 70_000)).toBe(false);
    expect(isEnough(0, waits, 70_000)).toBe(true);
    // A page begins it anew.
    expect(isEnough(1, waits, 71_000)).toBe(false);
    expect(isEnough(1, waits, 130_999)).toBe(false);
    expect(isEnough(1, waits, 131_000)).toBe(true);
  });

  it('has no end where none is wanted', () => {
    const isEnough = createPatience(null);
    expect(isEnough(0, waits, 0)).toBe(false);
    expect(isEnough(0, waits, 1e12)).toBe(false);
  });
});

it('the line of progress begins with who is waited for, where that is all, and ends with it else', () => {
  const lines: string[] = [];
  const screen = { write: (text: string) => lines.push(text.trim()) };
  const outlook = (onlyWaiting: boolean): CrawlOutlookView => ({
    ...{ crawlId: '1', state: 'running', onlyWaiting, outages: [], eta: null, parked: [] },
    waiting: {
      hosts: 2,
      items: [
        {
          origin: 'https://a.example',
          queued: 3,
          why: 'backoff',
          until: null,
          lastError: 'server-errors: 500',
        },
        { origin: 'https://b.example', queued: 3, why: 'closed', until: null, lastError: null },
        { origin: 'https://p.example', queued: 3, why: 'parked', until: null, lastError: 'tls: x' },
      ],
    },
  });
  const words = 'waiting for https://a.example (server-errors: 500) and 1 more';
  const view = {
    ...{ state: 'running', pages: 1, seconds: 5, hosts: { total: 1, parked: 0 } },
    ledger: { queued: 13, leased: 0, dead: 0, failed: 1 },
  } as unknown as CrawlView;
  createProgress(screen, false).update(view, outlook(true));
  createProgress(screen, false).update(view, outlook(false));
  const since = '2031-01-01T00:00:00.000Z';
  const full = { dependency: 'blobs', since, why: 'ENOSPC', workers: 1, of: 1 } as const;
  createProgress(screen, false).update(view, { ...outlook(true), outages: [full] });
  expect(lines.pop()).toMatch(
    /^outage: the blob store is out  1 page .* since 2031-01-01T00:00:00.000Z, ENOSPC/,
  );
  expect(lines).toEqual([
    `${words}  1 page  13 queued  1 host  1 error  5.0 s`,
    `crawling  1 page  0.0/s  13 queued  1 host  1 error  5.0 s  ${words}`,
  ]);
});

describe('a host that is waited for', () => {
  const host = {
    origin: 'https://a.example',
    queued: 3,
    why: 'backoff',
    until: null,
    lastError: null,
  } as const;
  it('is told with reason and time, and does not steer the terminal', () => {
    const now = new Date(2031, 0, 2, 3, 4, 5);
    expect(clock(new Date(2031, 0, 2, 13, 0, 9), now)).toBe('13:00:09');
    expect(clock(new Date(2031, 0, 3, 13, 0, 9), now)).toBe('2031-01-03 13:00:09');
    const until = new Date(2031, 0, 2, 4, 0, 0).toISOString();
    expect(waitText({ ...host, until, lastError: 'server-errors: \x1b[2J500' }, now)).toBe(
      'https://a.example until 04:00:00 (server-errors: \ufffd[2J500)',
    );
    expect(waitText({ ...host, why: 'paused', lastError: 'tls: x' }, now)).toBe(
      'https://a.example (paused by an operator)',
    );
    expect(waitText({ ...host, why: 'parked', lastError: 'tls: x' }, now)).toBe(
      'https://a.example (parked, tls: x)',
    );
  });
});
