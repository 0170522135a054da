/** What `explain` says of that which became of a URL, where it stands, and what it waits for. */
import { describe, expect, it } from 'vitest';
import type { AttemptFacts, RecordFacts } from '../../domain/explain/facts.ts';
import { narrate } from '../../domain/explain/narrate.ts';
import { done, facts, hour, iso, second, told, waits, type Changes } from './explaining.ts';

describe('what was done', () => {
  it('tells attempts with their times and classes', () => {
    const attempts: AttemptFacts[] = [
      { at: iso(-2 * hour), class: 'timeout', status: null, message: 'no head within 30 s' },
      { at: iso(-hour), class: 'server-error', status: 599, message: '' },
    ];
    expect(told('attempt', { attempts, record: { reclaims: 2 } })).toMatchObject([
      { verdict: 'timeout', because: `An attempt ended at ${iso(-2 * hour)}: the server took too long (no head within 30 s).` },
      { verdict: 'server-error', because: `An attempt ended at ${iso(-hour)}: the server failed on it.`, detail: { status: 599 } },
      { verdict: 'crash', because: '2 slices that were fetching the URL ended without a result, as after a crash.' },
    ]); // prettier-ignore
  });

  it('tells the answer', () => {
    expect(told('fetch', { record: { ...done, truncated: 'incomplete', requests: 2 } })).toMatchObject([
      {
        verdict: '200',
        because: `It was last answered at ${iso(-60 * second)} with status 200, text/html, 1,234 bytes, cut short (incomplete), 2 requests in all.`,
      },
    ]);
    expect(told('fetch', {})).toEqual([]);
  });

  it('tells where it redirects to, and how that fares', () => {
    const moved = { ...done, reason: 'redirect', status: 301, redirectTo: 'https://b.example/' } as const;
    expect(told('redirect', { record: { ...moved, redirectState: 'queued' } })).toMatchObject([
      { verdict: 'to', because: 'It redirects to https://b.example/, a URL of its own, now queued.' },
    ]);
    expect(told('redirect', { record: moved })[0]?.because).toMatch(/not part of this crawl/);
    expect(told('redirect', { record: { reason: 'redirect' } })).toMatchObject([{ verdict: 'respelled' }]);
    expect(narrate(facts({ record: moved })).summary).toMatch(
      /301 and redirects to https:\/\/b\.example\/\.$/,
    );
  });

  it.each(['body', 'text'] as const)('tells of a duplicate by its %s', (duplicateBy) => {
    const record = { ...done, duplicateOf: 'https://a.example/1', duplicateBy };
    expect(told('duplicate', { record })).toMatchObject([
      { verdict: duplicateBy, effect: 'stop', detail: { of: 'https://a.example/1' } },
    ]);
    expect(narrate(facts({ record })).summary).toMatch(
      /has the same (content|text) as https:\/\/a\.example\/1\.$/,
    );
  });

  it('tells what was read, or is still to be', () => {
    const page = {
      words: 9,
      links: 1,
      relevance: null,
      canonical: 'https://a.example/c',
      nearDuplicateOf: null,
      noindex: true,
      nofollow: true,
    };
    expect(told('extract', { record: { ...done, page, cut: { links: 1_300, text: 1 } } })[0]?.because).toBe(
      'It was read: 9 words, 1 link to follow; the page asks not to be indexed; the page asks that none of its links be followed; left out: 1,300 links over the limit of a page, 1 character of text.',
    );
    expect(
      told('extract', { record: { ...done, page: { ...page, relevance: 0.51234 } } })[0]?.because,
    ).toMatch(/1 link to follow; its relevance to the crawl’s focus is 0\.512; /);
    expect(told('duplicate', { record: { ...done, page } })).toMatchObject([
      { verdict: 'rel-canonical', effect: 'note' },
    ]);
    for (const stillToDo of ['dedup', 'extract'] as const) {
      expect(told('extract', { record: { ...done, stillToDo } })).toMatchObject([
        { verdict: stillToDo, effect: 'wait' },
      ]);
    }
  });

  it('tells why a page is rendered, how far that is, and what it was not given', () => {
    const resources = [
      { url: 'https://a.example/app.js', type: 'script', outcome: 'given' },
      { url: 'https://a.example/x.json', type: 'xhr', outcome: 'robots.txt forbids it' },
      { url: 'https://a.example/y.json', type: 'xhr', outcome: 'missing' },
    ];
    const rendering = {
      ...{ reason: 'mount', outcome: null, rounds: 1, words: 0, links: 1, resources },
      ...{ refused: {}, navigation: null, console: [] },
      ...{ screenshot: { bytes: 9, isKept: true }, pdf: { bytes: 2_000, isKept: false } },
    };
    expect(told('render', { record: { ...done, rendering } })).toMatchObject([
      {
        verdict: 'under-way',
        because:
          'A browser renders it, since the element in which its scripts build the page is empty: 1 round so far, with 1 of 3 files; https://a.example/x.json: robots.txt forbids it. As the server sent it, it has 0 words and 1 link. Its screenshot has 9 bytes. Its PDF has 2,000 bytes, too many to be kept.',
        detail: { given: 1, asked: 3, rounds: 1 },
      },
    ]);
    const ended = { ...rendering, outcome: 'settled', words: null } as const;
    expect(told('render', { record: { ...done, rendering: ended } })).toMatchObject([
      {
        verdict: 'settled',
        because: expect.stringContaining('it had all that could be had, after 1 round') as string,
      },
    ]);
    const failed = Array.from({ length: 5 }, (_, at) => ({
      url: `https://a.example/${String(at)}.json`,
      type: 'xhr',
      outcome: at === 0 ? 'missing' : 'status 500',
    }));
    const full = {
      ...ended,
      resources: failed,
      refused: { POST: 2, WebSocket: 1, image: 30, font: 1, beacon: 1 },
      navigation: 'https://a.example/login',
      console: ['TypeError: x', 'error: y'],
      screenshot: null,
      pdf: null,
    };
    expect(told('render', { record: { ...done, rendering: full } })).toMatchObject([
      {
        because: expect.stringMatching(
          /with 0 of 5 files; .*0\.json: it had not come by then; .*1\.json: status 500; .*2\.json: status 500; and 2 more that did not come\. Its scripts wanted to go to https:\/\/a\.example\/login, which is not followed\. Not requested for it: 30 × image, 2 × POST, 1 × WebSocket, 2 others\. Its console says: TypeError: x \(and 1 line more\)$/,
        ) as string,
        detail: { refused: 35, navigation: 'https://a.example/login' },
      },
    ]);
  });

  it('says that no browser renders a page that needs one', () => {
    const page = {
      ...{ words: 1, links: 0, canonical: null, nearDuplicateOf: null, relevance: null },
      ...{ noindex: false, nofollow: false },
    };
    const shell = { ...done, page, cut: { emptyShells: 1 } };
    expect(told('render', { record: shell })).toMatchObject([
      { verdict: 'not-rendered', because: expect.stringContaining('none was asked to render it') as string },
    ]);
    expect(told('extract', { record: shell })[0]?.because).not.toContain('browser');
  });

  it('does not say of a crawl that has ended that it will fetch what is queued', () => {
    const crawl = { state: 'finished', reason: 'complete' } as const;
    expect(told('state', { crawl })[0]?.because).toBe(
      'It was not fetched before the crawl ended: it is still queued at https://a.example, and is fetched if the crawl runs again.',
    );
  });

  it('tells of a dead letter with its class and evidence', () => {
    const deadLetter = {
      class: 'server-error',
      status: 500,
      message: 'answered 500',
      attempts: 2,
      createdAt: iso(-hour),
    } as const;
    expect(told('dead-letter', { record: { state: 'failed' }, deadLetter })).toMatchObject([
      {
        verdict: 'server-error',
        effect: 'stop',
        because: `It became a dead letter at ${iso(-hour)} after 2 attempts without a final outcome: the server failed on it (answered 500).`,
        detail: { status: 500, attempts: 2 },
      },
    ]);
  });
});

describe('where it stands', () => {
  it.each<[Partial<RecordFacts>, string, string]>([
    [done, 'pass', `It was fetched at ${iso(-60 * second)} with status 200.`],
    [{ state: 'excluded', reason: 'robots', detail: 'robots.txt line 2: Disallow: /it' }, 'stop', 'It was excluded: robots.txt forbids it (robots.txt line 2: Disallow: /it).'],
    [{ state: 'excluded', reason: 'opt-out', detail: null }, 'stop', 'It was excluded: its site has opted out of being crawled.'],
    [{ state: 'excluded', reason: 'dropped', detail: 'full' }, 'stop', "It was excluded: an operator has excluded the queue of its host (full)."],
    [{ state: 'excluded', reason: null, detail: null }, 'stop', 'It was excluded: no reason was recorded.'],
    [{ state: 'dead', reason: 'gone', detail: 'answered 410' }, 'stop', 'It is gone and is not tried again: it is not there (answered 410).'],
    [{ state: 'failed', reason: 'forbidden', detail: 'answered 403' }, 'stop', 'It was given up and is a dead letter: the server refuses to give it to us (answered 403).'],
  ])('%j', (record, effect, because) => {
    const { summary, decisions, next } = narrate(facts({ record }));
    expect(decisions.at(-1)).toMatchObject({ step: 'state', verdict: record.state, effect, because });
    expect(summary).toBe(because);
    expect(next).toBeNull();
  }); // prettier-ignore

  it('is in a slice that goes on, or in one that was cut off', () => {
    expect(narrate(facts({ record: { state: 'leased', leaseHeld: true } }))).toMatchObject({
      summary: 'The URL belongs to the slice of its host that is being fetched now.',
      next: { at: iso(0) },
    });
    const lost = narrate(facts({ record: { state: 'leased' }, host: { waitMs: 3 * second } }));
    expect(lost.summary).toMatch(/^The slice that was fetching the URL ended without a result/);
    expect(lost.next?.at).toBe(iso(3 * second));
  });
});

describe('when it will be fetched, and why not sooner', () => {
  it('is next where nothing holds it', () => {
    const { next, summary } = narrate(facts());
    expect(next).toMatchObject({ at: iso(0), because: ['Nothing: the URL is the next one at its host.'] });
    expect(summary).toBe(
      `It waits in the queue of https://a.example and is fetched at ${iso(0)} at the earliest. ${next?.because[0] ?? ''}`,
    );
  });

  it.each<[string, Changes, RegExp]>([
    ['host-paused', { host: { pausedAt: iso(-hour), parkedAt: iso(0) } }, /operator has paused the host since 2026-03-01T11:00:00/],
    ['crawl-paused', { crawl: { state: 'paused', reason: 'lunch' } }, /paused \(lunch\): no request/],
    ['crawl-seeding', { crawl: { state: 'seeding' } }, /has not begun yet/],
    ['crawl-draining', { crawl: { state: 'draining', reason: 'max-pages' } }, /ending \(max-pages\)/],
    ['crawl-cancelled', { crawl: { state: 'cancelled' } }, /is cancelled: it sends no requests/],
    ['host-parked', { host: { parkedAt: iso(-hour), lastError: 'tls: expired' } }, /parked since .*: no secure connection could be made \(expired\); it waits for a probe that is answered, or a retry/],
    ['opt-out', { optedOut: 'example' }, /^example has opted out of being crawled: the URL will be excluded/],
    ['page-limit', { crawl: { pagesInHand: 5, config: { maxPages: 5 } } }, /the 5 pages it may fetch/],
    ['time-limit', { crawl: { config: { maxSeconds: 3_601 } }, record: { dueMs: 2 * second } }, /time ends at 2026-03-01T12:00:01.000Z/],
  ])('%s: nobody can say', (verdict, changes, because) => {
    const { next } = narrate(facts(changes));
    expect(next?.at).toBeNull();
    expect(waits(changes)[0]).toEqual([verdict, expect.stringMatching(because)]);
  }); // prettier-ignore

  it.each<[string, Changes, number, RegExp]>([
    ['url-backoff', { record: { dueMs: 9 * second, reason: 'client-error', detail: 'answered 425' } }, 9 * second, /due again at 2026-03-01T12:00:09.000Z after its last attempt: the server says that the request is wrong.*425/],
    ['host-delay', { host: { waitMs: 3 * second, paceMs: 3 * second, delayMs: 4 * second } }, 3 * second, /its delay of 4 s between requests/],
    ['host-closed', { host: { closed: { by: 'windows', inMs: 9 * hour, budget: null } } }, 9 * hour, /outside the opening times that are set for it: none is sent before 2026-03-01T21:00/],
    ['address-cap', { host: { capped: { name: '192.0.2.7', inMs: 40 * second, hosts: 1_000, cap: { rate: 10, inFlight: null } } } }, 40 * second, /waits for its address 192\.0\.2\.7: a cap of 10 requests per second, 10 in flight, is shared by 1,000 hosts that wait for it now/],
    ['domain-cap', { host: { capped: { name: 'a.example', inMs: 5 * second, hosts: 1, cap: { rate: 0.5, inFlight: null } } } }, 5 * second, /waits for its domain a\.example: a cap of one request every 2 s, 1 in flight, was reached by other hosts/],
    ['pressure', { stages: [{ stage: 'unread', used: 19_000, capacity: 20_000 }, { stage: 'commit', used: 90, capacity: 100 }] }, 0, /^Fetching is slowed to 25 % of its pace because reading is behind: 19,000 fetched pages wait to be read, of 20,000 at most\.$/],
    ['pressure', { host: { eased: true, waitMs: 10 * second } }, 10 * second, /^The host is left alone until 2026-03-01T12:00:10.000Z, since there was no room for its answers\.$/],
    ['host-backoff', { host: { eased: true, waitMs: hour, failures: 1, lastError: 'dns: x' } }, hour, /the backoff after 1 failure/],
    ['host-quota', { host: { closed: { by: 'quota', inMs: 12 * hour, budget: null } } }, 12 * hour, /quota of requests for the day is spent: none is sent before 2026-03-02T00:00/],
    ['host-budget', { host: { closed: { by: 'quota', inMs: 12 * hour, budget: { perDay: 460, later: false } } } }, 12 * hour, /460 requests a day that the quality of the host leaves it are spent: none is sent before/],
    ['host-later', { host: { closed: { by: 'quota', inMs: 12 * hour, budget: { perDay: 50, later: true } } } }, 12 * hour, /left for later, and its 50 requests a day, which show whether it is mended, are spent/],
    ['host-asked', { host: { waitMs: hour } }, hour, /because the host asked for this time or an operator set it/],
    ['host-backoff', { host: { waitMs: hour, failures: 2, failingSince: iso(-hour), lastError: 'connect-refused: 127.0.0.1:1' } }, hour, /the backoff after 2 failures in a row since .*: its host refuses connections \(127\.0\.0\.1:1\)/],
    ['retry-after', { host: { waitMs: 30 * 24 * hour, failures: 1, trouble: 'overloaded', lastError: 'overloaded: answered 503' } }, 30 * 24 * hour, /by its Retry-After or the backoff after 1 failure in a row/],
    ['crawl-delay', { host: { turn: { inMs: hour, delayMs: 24 * hour, reported: false } } }, hour, /no turn at this host before 2026-03-01T13:00:00.000Z: its own delay of 1 day has not passed\. This delays no other crawl\./],
    ['host-reported', { host: { turn: { inMs: hour, delayMs: 0, reported: true } } }, hour, /until the host has answered Orbweaver itself: another fetcher of the tenant has reported trouble/],
    ['lease', { host: { leaseMs: 5 * second } }, 0, /A slice of the host without this URL/],
    ['lent', { host: { leaseMs: 5 * second, lentMs: 5 * second } }, 0, /^The host is lent to another fetcher until .* at the latest: nobody/],
    ['lent', { host: { keptMs: 3 * second } }, 3 * second, /those of another fetcher, for which the host is kept until/],
    ['lease-lost', { host: { leaseMs: -5 * second } }, second, /ran out 5 s ago without being returned: .*waits 1 s first/],
    ['guest', { host: { guest: true } }, second, /that one request goes first/],
    ['robots-first', { robots: { status: null, ageMs: null, allowed: null } }, second, /has not been read yet: it is requested first/],
    ['robots-first', { robots: { ageMs: 49 * hour } }, second, /is 2 days old/],
    ['robots-first', { robots: { ageMs: 2 * hour }, host: { robotsKeptMs: hour } }, second, /is 2 hours old/],
    ['queue', { host: { ahead: 1, delayMs: 24 * hour }, robots: { ageMs: 47 * hour } }, 24 * hour, /at one request every 1 day/],
    ['queue', { host: { ahead: 10, delayMs: 2 * second, slowdown: 1 } }, 20 * second, /^10 queued URLs of this crawl go first at this host, at one request every 2 s \(slowed down after trouble\)\.$/],
    ['queue', { host: { ahead: 10, others: [3, 50] } }, 23 * second, /; 3 crawls take turns/],
    ['queue', { host: { ahead: 10_000, delayMs: 0 } }, 0, /At least 10,000 queued URLs .* one after another/],
    ['turns', { host: { others: [3] } }, 0, /2 crawls take turns/],
    ['host-not-fed', { host: { fed: false } }, 0, /the scheduler starts one/],
  ])('%s', (verdict, changes, inMs, because) => {
    expect(narrate(facts(changes)).next?.at).toBe(iso(inMs));
    expect(waits(changes)).toEqual([[verdict, expect.stringMatching(because)]]);
  }); // prettier-ignore

  it('is after the longest wait and all that goes first', () => {
    const changes: Changes = {
      record: { dueMs: 5 * second },
      host: { waitMs: 60 * second, failures: 1, lastError: 'timeout: x', ahead: 3 },
    };
    expect(narrate(facts(changes)).next?.at).toBe(iso(63 * second));
    expect(waits(changes).map(([verdict]) => verdict)).toEqual(['url-backoff', 'host-backoff', 'queue']);
  });
});
