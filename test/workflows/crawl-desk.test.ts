/** What an operator reads of a crawl in Temporal Web: how it stands, in numbers, and where it waits (F40). */
import { describe, expect, it } from 'vitest';
import type { CrawlGlance } from '../../contracts/activities.ts';
import { crawlMarkdown } from '../../workflows/crawl-desk.ts';

const glance: CrawlGlance = {
  at: '2026-03-01T08:00:00.000Z',
  label: 'shops _of_ <b>mine',
  ...{ pages: 1_200, discovered: 3_000, queued: 40, deadLetters: 2, perSecond: 3.25 },
  hosts: { total: 9, working: 2, parked: 1 },
  waiting: 4,
  waitsFor: [
    { origin: 'https://a.example:8443', why: 'backoff', queued: 7 },
    { origin: 'http://b_(x).example', why: 'parked', queued: 1_000 },
  ],
};
const running = { crawlId: '3', state: 'running', reason: null, glance, namespace: 'my ns' } as const;

describe('the details of a crawl', () => {
  it('tell its label, its numbers, and of hosts that it waits for, with links', () => {
    expect(crawlMarkdown(running).split('\n\n')).toEqual([
      '### Crawl 3 is running',
      '**As of:** 2026-03-01T08:00:00.000Z',
      '**Label:** shops &#95;of&#95; &#60;b&#62;mine',
      '**URLs:** 1,200 pages of 3,000 discovered, 40 queued, 2 dead letters, 3.3 a second',
      '**Hosts:** 9: 2 at work, 3 waiting, 1 parked',
      '**It waits for:** ' +
        '[https&#58;//a.example&#58;8443](namespaces/my%20ns/workflows/host%2Fhttps%3A%2F%2Fa.example%3A8443) (backoff, 7 queued), ' +
        '[http&#58;//b&#95;(x).example](namespaces/my%20ns/workflows/host%2Fhttp%3A%2F%2Fb%5F%28x%29.example) (parked, 1,000 queued)' +
        ' and 2 more',
    ]);
  });

  it('lead to its screen in the console, where somebody has told its address', () => {
    const screen = 'http://127.0.0.1:7700/console/crawls/3';
    expect(crawlMarkdown({ ...running, screen }).split('\n')[0]).toBe(
      '### Crawl 3 is running ([console](http://127.0.0.1:7700/console/crawls/3))',
    );
  });

  it('say how it ended as everything else does, and why, as text', () => {
    const over = { ...running, state: 'failed', reason: '# no [URL](http://x)', glance: null } as const;
    expect(crawlMarkdown(over)).toBe(
      '### Crawl 3 has failed\n\n**Why:** &#35; no &#91;URL&#93;(http&#58;//x)',
    );
  });
});
