/** What an operator reads of a host in Temporal Web: wrong, since when, what comes next, which buttons help (F40). */
import { describe, expect, it } from 'vitest';
import type { HostMode } from '../../contracts/workflows.ts';
import { deskMarkdown, type DeskState } from '../../workflows/host-desk.ts';

const well: DeskState = {
  origin: 'https://a.example',
  mode: 'active',
  fetched: 10,
  queued: 5,
  deadLetters: 0,
  delayMs: 1_000,
  pausedReason: null,
  lastError: null,
  troubleSince: null,
  nextVisit: null,
  lastProbe: null,
  closedBy: null,
  wantedBy: { crawls: [], more: 0 },
  namespace: 'default',
};
const at = Date.UTC(2026, 2, 1, 8);
const trouble = { lastError: 'tls: the certificate has expired', troubleSince: at };

const lines = (over: Partial<DeskState>): string[] => deskMarkdown({ ...well, ...over }).split('\n');
const line = (over: Partial<DeskState>, start: string): string | undefined =>
  lines(over).find((each) => each.startsWith(`**${start}:**`));

describe('the details of a host', () => {
  it('that is well say so, and not what might be wrong', () => {
    expect(lines({})[0]).toBe('### https&#58;//a.example is being crawled');
    expect(lines({ screen: 'http://c/hosts/a' })[0]).toMatch(
      /crawled \(\[console\]\(http:\/\/c\/hosts\/a\)\)$/,
    );
    expect(line({}, 'What is wrong')).toBeUndefined();
    expect(line({}, 'Wanted by')).toBeUndefined();
    expect(line({}, 'What comes next')).toBeUndefined();
  });

  it('that is parked: what, since when, the next probe, what the last one found, which buttons', () => {
    const parked = { ...trouble, mode: 'parked', nextVisit: at + 3_600_000 } as const;
    expect(line(parked, 'What is wrong')).toBe(
      '**What is wrong:** tls: the certificate has expired (since 2026-03-01T08:00:00.000Z)',
    );
    expect(line(parked, 'What comes next')).toContain('a probe at 2026-03-01T09:00:00.000Z');
    expect(line(parked, 'What comes next')).not.toContain('The last one');
    const again = line({ ...parked, lastProbe: 'robots.txt answers 503' }, 'What comes next');
    expect(again).toContain('The last probe found: robots.txt answers 503.');
    for (const button of ['`retry`', '`redrive`', '`drop`'])
      expect(line(parked, 'Buttons')).toContain(button);
  });

  it('that backs off: when the next visit is, or where that is shown', () => {
    const backoff = { ...trouble, mode: 'backoff' } as const;
    expect(line({ ...backoff, nextVisit: at }, 'What comes next')).toContain('at 2026-03-01T08:00:00.000Z');
    expect(line(backoff, 'What comes next')).toContain('pending activity');
    expect(line(backoff, 'Buttons')).toContain('`retry` tries it now');
  });

  it('show what a server or a tenant says as text', () => {
    const text = '[x](http://a)\n# <img src=x>';
    const shown = '&#91;x&#93;(http&#58;//a) &#35; &#60;img src&#61;x&#62;';
    const all = {
      pausedReason: text,
      lastError: text,
      lastProbe: text,
      mode: 'parked',
      nextVisit: at,
    } as const;
    expect(line(all, 'What is wrong')).toBe(`**What is wrong:** ${shown}`);
    expect(line(all, 'Why paused')).toBe(`**Why paused:** ${shown}`);
    expect(line(all, 'What comes next')).toContain(`The last probe found: ${shown}.`);
  });

  it('are a few lines, buttons first, whatever the state', () => {
    for (const mode of [
      'active',
      'backoff',
      'closed',
      'opted-out',
      'paused',
      'parked',
    ] satisfies HostMode[]) {
      const all = lines({ ...trouble, mode, pausedReason: 'lunch', nextVisit: at, closedBy: 'windows' });
      expect(all.filter((each) => each !== '').length).toBeLessThanOrEqual(9);
      expect(all[2]).toBe('**URLs:** 10 settled, 5 queued, 0 dead letters; delay 1 s');
      // Temporal Web cuts the last row of a table.
      expect(all.some((each) => each.startsWith('|'))).toBe(false);
    }
  });
});
