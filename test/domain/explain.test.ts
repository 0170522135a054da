import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decisionSteps, type Decision, type DecisionStep } from '../../domain/explain/decision.ts';
import type {
  AttemptFacts,
  ExplainFacts,
  HostFacts,
  RecordFacts,
  RobotsFacts,
  ScopeFacts,
} from '../../domain/explain/facts.ts';
import { narrate } from '../../domain/explain/narrate.ts';
import { judgeRobots } from '../../domain/explain/robots.ts';
import { defaultWeights, score, type PrioritySignals } from '../../domain/priority/score.ts';
import { filterReasons, urlReasons } from '../../domain/url-reason.ts';
import { canonicalSteps } from '../../domain/url-steps.ts';
import { canonicalize } from '../../domain/url.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const iso = (inMs: number): string => new Date(now + inMs).toISOString();
const second = 1_000;
const hour = 3_600 * second;

const config = {
  scope: 'host', include: [], exclude: [], includeDomains: [], excludeDomains: [], maxUrlLength: 2_048, maxDepth: null, maxPages: null, maxSeconds: null, maxPagesPerHost: 100,
} as const; // prettier-ignore

const quietHost: HostFacts = {
  origin: 'https://a.example', pausedAt: null, parkedAt: null, failures: 0, failingSince: null, lastError: null, waitMs: 0, paceMs: 0,
  turn: { inMs: 0, delayMs: 0, reported: false }, closed: null, capped: null, delayMs: second, slowdown: 0, leaseMs: null, guest: false, fed: true, urls: 3, forgotten: 0, ahead: 0, others: [],
}; // prettier-ignore

const freshRobots: RobotsFacts = {
  status: 200, fetchedAt: iso(-hour), ageMs: hour, agent: 'orbweaver', allowed: true, rule: null, line: null, isCut: false,
}; // prettier-ignore

const queued: RecordFacts = {
  state: 'queued', kind: 'page', reason: null, detail: null, fetchUrl: 'https://a.example/it', seed: false, depth: 2,
  redirects: 0, priority: 0.5, scored: null, discoveredAt: iso(-hour), discoveredFrom: 'https://a.example/', redirectedWith: null,
  dueMs: -hour, fetchedAt: null, status: null, contentType: null, bytes: 0, contentHash: null, redirectTo: null,
  redirectState: null, truncated: null, duplicateOf: null, duplicateBy: null, stillToDo: null, requests: 0, reclaims: 0,
  leaseHeld: false, page: null, cut: {},
}; // prettier-ignore

const done: RecordFacts = {
  ...queued, state: 'done', reason: 'fetched', fetchedAt: iso(-60 * second), status: 200, contentType: 'text/html',
  bytes: 1_234, contentHash: 'ab', requests: 1,
}; // prettier-ignore

interface Changes {
  readonly asked?: string;
  readonly crawl?: Partial<Omit<ExplainFacts['crawl'], 'config'>> & {
    readonly config?: Partial<ExplainFacts['crawl']['config']>;
  };
  readonly scope?: Partial<ScopeFacts>;
  readonly optedOut?: string;
  readonly quarantine?: ExplainFacts['quarantine'];
  readonly host?: Partial<HostFacts> | null;
  readonly robots?: Partial<RobotsFacts> | null;
  readonly record?: Partial<RecordFacts> | null;
  readonly shortened?: ExplainFacts['shortened'];
  readonly attempts?: ExplainFacts['attempts'];
  readonly deadLetter?: ExplainFacts['deadLetter'];
  readonly recrawl?: ExplainFacts['recrawl'];
}

/** A URL that is queued and next at a host without complaint, but for what is said. */
function facts(changes: Changes = {}): ExplainFacts {
  const { asked = 'https://a.example/it', crawl = {}, record = {}, host = {}, robots = {} } = changes;
  const read = canonicalize(asked);
  if (!read.ok) throw new Error(read.rejected);
  return {
    now,
    link: read.value,
    steps: canonicalSteps(asked),
    crawl: {
      state: 'running', reason: null, version: 1, isEditing: false, pagesInHand: 0, runningMs: hour, ...crawl, config: { ...config, ...crawl.config },
    },
    scope: { verdict: 'admit', reason: null, detail: null, depth: 1, isSeed: false, includedBy: null, ...changes.scope },
    optedOut: changes.optedOut ?? null,
    quarantine: changes.quarantine ?? null,
    host: host && { ...quietHost, ...host },
    robots: robots && { ...freshRobots, ...robots },
    record: record && { ...queued, ...record },
    shortened: changes.shortened ?? { total: 0, some: [] },
    attempts: changes.attempts ?? [],
    deadLetter: changes.deadLetter ?? null,
    recrawl: changes.recrawl ?? null,
  }; // prettier-ignore
}

const told = (step: DecisionStep, changes: Changes): Decision[] =>
  narrate(facts(changes)).decisions.filter((decision) => decision.step === step);
const waits = (changes: Changes): readonly (readonly [string, string])[] =>
  told('wait', changes).map(({ verdict, because }) => [verdict, because]);

describe('a quarantine', () => {
  const held = {
    ...{ crawlId: '3', id: '17', shape: '/calendar/{n}/{n}', rule: 'only-numbers' },
    verdict: 'held',
    ...{ why: '94 % of the last pages differ in numbers alone', since: iso(0) },
  } as const;
  const record = { state: 'excluded', reason: 'trap', detail: '17: /calendar/{n}/{n}' } as const;

  it('says which rule keeps a URL back, by which evidence, and how it is released', () => {
    const { decisions, summary } = narrate(facts({ quarantine: held, record }));
    expect(decisions.find(({ verdict }) => verdict === 'trap')).toMatchObject({
      effect: 'stop',
      because: `URLs of its shape (/calendar/{n}/{n}) are in quarantine since ${iso(0)}, because they look like a trap: 94 % of the last pages differ in numbers alone. orbweaver quarantine release 3 17 queues them again.`,
      detail: { id: '17', rule: 'only-numbers' },
    });
    expect(summary).toBe(
      'It was excluded: it is in quarantine, since URLs of its shape look like a trap (17: /calendar/{n}/{n}).',
    );
  });

  it('tells what would become of a URL that was not met', () => {
    const { summary } = narrate(facts({ quarantine: held, record: null }));
    expect(summary).toMatch(
      /^The crawl has not met this URL\. If it were found now, it would be excluded\. URLs of/,
    );
  });

  it('stops no page that was fetched, no sample and no seed', () => {
    for (const changes of [
      { record: done },
      { record: { state: 'queued', reason: 'sample' } },
      { scope: { isSeed: true } },
    ] as const)
      expect(told('filter', { ...changes, quarantine: held }).at(-1)).toMatchObject({ effect: 'note' });
  });

  it('says that suspects go behind the others', () => {
    const [last] = told('filter', { quarantine: { ...held, verdict: 'suspected' } }).slice(-1);
    expect(last).toMatchObject({ verdict: 'suspected', effect: 'note' });
  });
});

describe('canonical form', () => {
  it('names the rules, in order, with what is left after each', () => {
    const decisions = told('canonical', { asked: 'https://A.example/it?b=1&utm_source=x&a=2#top' });
    expect(decisions.map(({ verdict }) => verdict)).toEqual([
      'lower-case-host', 'fragment', 'tracking-parameter', 'sorted-parameters', 'known-as',
    ]); // prettier-ignore
    expect(decisions[2]).toMatchObject({
      effect: 'note',
      because: 'The tracking parameter is left out (utm_source=x): https://a.example/it?b=1&a=2',
      detail: { dropped: 'utm_source=x', result: 'https://a.example/it?b=1&a=2' },
    });
    expect(decisions[4]?.because).toMatch(/another spelling .*: https:\/\/a\.example\/it$/);
  });

  it('says so where nothing had to change', () => {
    expect(told('canonical', {})).toMatchObject([{ verdict: 'unchanged' }]);
  });
});

describe('what a standing crawl goes by', () => {
  const known: NonNullable<ExplainFacts['recrawl']> = {
    pageClass: 'generic', visits: 9, deadVisits: 0, changedAt: iso(-hour), rate: 0.25, importance: 0.5, nextDue: iso(hour), worth: 0.1, price: 0.2, leftOut: false,
  }; // prettier-ignore
  it.each<[Partial<typeof known>, RegExp]>([
    [
      {},
      /visited 9 times and was last found changed at .*: it changes about once in 4 days\. It is due again at/,
    ],
    [{ visits: 2 }, /visited 2 times, too few to tell .* until its rate is known\.$/],
    [{ leftOut: true }, /changes too often for what it matters/],
    [{ deadVisits: 1 }, /It is gone, and is asked for once more at/],
    [{ deadVisits: 2, nextDue: null }, /It is gone, and is not asked for again\.$/],
    [{ nextDue: null, changedAt: null }, /never found changed.*It is queued again, or/],
  ])('%j', (changes, because) => {
    const [decision] = told('recrawl', { record: done, recrawl: { ...known, ...changes } });
    expect(decision).toMatchObject({ verdict: 'generic', effect: 'note' });
    expect(decision?.because).toMatch(because);
  });
});

it('says that a URL without a record may be one that was forgotten', () => {
  const [state] = told('state', { record: null, host: { forgotten: 2 } });
  expect(state?.because).toMatch(
    /^The crawl has no record of this URL\. It may be among 2 URLs of this host/,
  );
});

describe('where it was found', () => {
  it.each<[Partial<RecordFacts>, string, RegExp]>([
    [
      { seed: true, depth: 0, discoveredFrom: null },
      'seed',
      /^It is a seed of the crawl, at .*, at depth 0\.$/,
    ],
    [
      {},
      'link',
      /^It was found on https:\/\/a\.example\/, at 2026-03-01T11:00:00\.000Z, 2 links from a seed\.$/,
    ],
    [{ redirectedWith: 301 }, 'redirect', /came from a redirect: https:\/\/a\.example\/ answered 301/],
    [{ kind: 'sitemap', discoveredFrom: null }, 'robots-sitemap', /robots\.txt names it as a sitemap/],
    [{ discoveredFrom: null }, 'unknown', /not recorded/],
  ])('%j', (record, verdict, because) => {
    const decisions = told('found', { record });
    expect(decisions).toMatchObject([{ verdict, detail: { at: iso(-hour) } }]);
    expect(decisions[0]?.because).toMatch(because);
  });
});

describe('its place in line', () => {
  const signals = {
    ...{ depth: 1, parentPriority: 0.81, nesting: 2, home: false, trusted: 0.5 },
    ...{ inboundHosts: 3, inboundPages: 20, relevance: 0, freshness: 0, hostQuality: 1, trapSuspicion: 0 },
  };
  const scored = (of: PrioritySignals): RecordFacts['scored'] => ({
    ...score(of, defaultWeights),
    signals: of,
  });
  const priority = score(signals, defaultWeights).score;

  it('is told by the parts of its score, which sum up to it', () => {
    const [decision] = told('priority', { record: { scored: scored(signals), priority } });
    expect(decision).toMatchObject({ verdict: 'scored', effect: 'note' });
    expect(decision?.because).toBe(
      'Its score is 0.376: 0.225 for 1 link from a seed, where the page that names it has 0.81, ' +
        '0.0375 for links from 3 other hosts, 0.0549 for links from about 20 pages of its host, ' +
        '0.0333 for 2 segments in its path, 0.025 for the place of its domain in the ranking.',
    );
    const { score: now, priority: stands, ...parts } = decision?.detail ?? {};
    expect(stands).toBe(priority);
    const sum = Object.values(parts).reduce<number>((all, part) => all + Number(part), 0);
    expect(sum).toBeCloseTo(Number(now), 9);
  });

  it.each<[Partial<RecordFacts>, RegExp]>([
    [{ seed: true, priority: 1 }, /^Its score is 1, the highest: it is a seed\.$/],
    [{ kind: 'sitemap', priority: 2 }, /^It is a sitemap/],
    [{ priority: 0.5 }, /^Its score is 0\.5, that of the URL that redirected to it\.$/],
    [
      { scored: scored(signals), priority: 0.2 },
      /^Its score is 0\.2; by what is known now it would be 0\.376: /,
    ],
    [
      { scored: scored(signals), priority: priority - 4 },
      /^Its score is 0\.376: .*\. It has failed, so it stands behind all/,
    ],
    [
      { scored: scored({ ...signals, hostQuality: 0.5, trapSuspicion: 0.9 }), priority: 0.1 },
      /, all lowered by the quality of its host, 0\.5 and the suspicion of a trap, 0\.9\.$/,
    ],
  ])('%o', (record, because) => {
    expect(told('priority', { record })[0]?.because).toMatch(because);
  });
});

describe('scope and filters', () => {
  it('tells each that it passed, and by which include pattern', () => {
    const crawl = { config: { include: ['*.pdf', '*/it*'], exclude: ['*.png'], maxDepth: 3 } };
    const scope = { includedBy: '*/it*' };
    expect(told('scope', { crawl })).toMatchObject([{ verdict: 'inside', effect: 'pass' }]);
    const filters = told('filter', { crawl, scope });
    expect(filters.map(({ verdict, effect }) => [verdict, effect])).toEqual([
      ['url-length', 'pass'], ['depth', 'pass'], ['domain', 'pass'], ['pattern', 'pass'], ['not-included', 'pass'],
      ['opt-out', 'pass'],
    ]); // prettier-ignore
    expect(filters.map(({ because }) => because)).toEqual([
      'Its length is 20 characters, at most 2,048 are allowed.',
      'It is 1 link from a seed, at most 3 are allowed.',
      'There are no excluded domains.',
      'No exclude pattern matches the URL (there is 1).',
      'The include pattern */it* matches the URL.',
      'Its site has not opted out of being crawled.',
    ]);
  });

  it('lets a seed pass that no include pattern matches', () => {
    const filters = told('filter', { scope: { isSeed: true }, crawl: { config: { include: ['*.pdf'] } } });
    expect(filters.at(-2)?.because).toBe('No include pattern matches the URL, but the URL is a seed.');
  });

  it('tells of domains', () => {
    const config = { includeDomains: ['a.example', 'c.example'], excludeDomains: ['b.example'] };
    const filters = told('filter', { crawl: { config } });
    expect(filters[2]?.because).toBe('The URL is in no excluded domain (there is 1).');
    expect(filters[4]?.because).toBe(
      'There are no include patterns, so none has to match. The URL is in the included domain a.example.',
    );
  });

  it('ends at the one that stops it, with the pattern that decided', () => {
    const changes: Changes = {
      record: null,
      scope: { verdict: 'excluded', reason: 'pattern', detail: '*/it' },
      crawl: { config: { exclude: ['*/it'] } },
    };
    const filters = told('filter', changes);
    expect(filters.map(({ verdict, effect }) => [verdict, effect])).toEqual([
      ['url-length', 'pass'], ['depth', 'pass'], ['domain', 'pass'], ['pattern', 'stop'],
    ]); // prettier-ignore
    expect(filters.at(-1)).toMatchObject({
      because: 'A filter excludes the URL: an exclude pattern matches it (*/it).',
      detail: { rule: '*/it' },
    });
    expect(told('robots', changes)).toEqual([]);
  });

  it('shows the filter that would stop a URL that was not met', () => {
    const changes: Changes = {
      record: null,
      scope: { verdict: 'excluded', reason: 'url-length', detail: 'full' },
    };
    expect(told('filter', changes)).toMatchObject([
      { verdict: 'url-length', effect: 'stop', because: 'A filter excludes the URL: it is too long (full).' },
    ]);
    expect(told('state', changes)).toMatchObject([
      { verdict: 'would-be-excluded', detail: { reason: 'url-length' } },
    ]);
  });

  it('names the version of settings that were edited, and an edit under way', () => {
    expect(told('scope', {}).map(({ verdict }) => verdict)).toEqual(['inside']);
    const edited = { version: 3, isEditing: false };
    expect(told('scope', { crawl: edited })[0]?.because).toMatch(/version 3 of the settings of the crawl\.$/);
    const [editing] = told('scope', { crawl: { ...edited, isEditing: true } });
    expect(editing?.because).toMatch(/version 3 .* may not have been judged by it yet\.$/);
    expect(editing?.detail).toEqual({ version: 3, editing: true });
  });

  it('asks no scope of a sitemap that robots.txt names', () => {
    const changes: Changes = {
      record: { kind: 'sitemap', discoveredFrom: null },
      scope: { verdict: 'outside', detail: 'x' },
    };
    expect(told('scope', changes)).toMatchObject([{ verdict: 'exempt', effect: 'pass' }]);
  });
});

describe('robots.txt', () => {
  it.each<[Partial<RobotsFacts> | null, Partial<HostFacts>, string, string, RegExp]>([
    [{ rule: 'Allow: /it', line: 4 }, {}, 'allowed', 'pass', /allows it to orbweaver, line 4: Allow: \/it\. Copy of 1 hour ago/],
    [{ allowed: false, rule: 'Disallow: /', line: 2 }, {}, 'disallowed', 'stop', /forbids it to orbweaver, line 2: Disallow: \/\./],
    [{}, {}, 'allowed', 'pass', /has no rule for it/],
    [{ status: 404 }, {}, 'allowed', 'pass', /is not there, so everything is allowed.*answered 404/],
    [{ status: null, fetchedAt: null, ageMs: null, allowed: null }, {}, 'not-read', 'note', /has not been read yet/],
    [null, {}, 'not-read', 'note', /https:\/\/a\.example\/robots\.txt has not been read yet/],
    [{ status: 503, allowed: null }, {}, 'unreadable', 'wait', /could not be read.*answers 503/],
    [{ status: null, ageMs: null, allowed: null }, { lastError: 'robots-unreachable: it hangs' }, 'unreadable', 'wait', /it hangs/],
  ])('%j %j', (robots, host, verdict, effect, because) => {
    const decisions = told('robots', { robots, host });
    expect(decisions).toMatchObject([{ verdict, effect }]);
    expect(decisions[0]?.because).toMatch(because);
  }); // prettier-ignore

  const copy = { fetchedAt: iso(-hour), ageMs: hour };
  it.each<[Parameters<typeof judgeRobots>[0], Partial<RobotsFacts>]>([
    [null, { status: null, allowed: null }],
    [{ ...copy, status: 200, body: 'User-agent: *\nDisallow: /i' }, { allowed: false, line: 2, rule: 'Disallow: /i' }],
    [{ ...copy, status: 200, body: 'User-agent: orbweaver\nAllow: /\n\nUser-agent: *\nDisallow: /' }, { allowed: true, line: 2 }],
    [{ ...copy, status: 404, body: null }, { allowed: true, line: null }],
    [{ ...copy, status: 503, body: null }, { allowed: null }],
    // An older copy that was kept (RFC 9309 §2.3.1.4).
    [{ ...copy, status: 503, body: 'User-agent: *\nDisallow: /i' }, { allowed: false, line: 2 }],
  ])('the copy %j', (stored, verdict) => {
    expect(judgeRobots(stored, '/it?x', ['orbweaver'])).toMatchObject({ agent: 'orbweaver', ...verdict });
  }); // prettier-ignore
});

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
    ['host-closed', { host: { closed: { by: 'windows', inMs: 9 * hour } } }, 9 * hour, /outside the opening times that are set for it: none is sent before 2026-03-01T21:00/],
    ['address-cap', { host: { capped: { name: '192.0.2.7', inMs: 40 * second, hosts: 1_000, cap: { rate: 10, inFlight: null } } } }, 40 * second, /waits for its address 192\.0\.2\.7: a cap of 10 requests per second, 10 in flight, is shared by 1,000 hosts that wait for it now/],
    ['domain-cap', { host: { capped: { name: 'a.example', inMs: 5 * second, hosts: 1, cap: { rate: 0.5, inFlight: null } } } }, 5 * second, /waits for its domain a\.example: a cap of one request every 2 s, 1 in flight, was reached by other hosts/],
    ['host-quota', { host: { closed: { by: 'quota', inMs: 12 * hour } } }, 12 * hour, /quota of requests for the day is spent: none is sent before 2026-03-02T00:00/],
    ['host-asked', { host: { waitMs: hour } }, hour, /because the host asked for this time or an operator set it/],
    ['host-backoff', { host: { waitMs: hour, failures: 2, failingSince: iso(-hour), lastError: 'connect-refused: 127.0.0.1:1' } }, hour, /the backoff after 2 failures in a row since .*: its host refuses connections \(127\.0\.0\.1:1\)/],
    ['retry-after', { host: { waitMs: 30 * 24 * hour, failures: 1, lastError: 'overloaded: answered 503' } }, 30 * 24 * hour, /by its Retry-After or the backoff after 1 failure in a row/],
    ['crawl-delay', { host: { turn: { inMs: hour, delayMs: 24 * hour, reported: false } } }, hour, /no turn at this host before 2026-03-01T13:00:00.000Z: its own delay of 1 day has not passed\. This delays no other crawl\./],
    ['host-reported', { host: { turn: { inMs: hour, delayMs: 0, reported: true } } }, hour, /until the host has answered Orbweaver itself: another fetcher of the tenant has reported trouble/],
    ['lease', { host: { leaseMs: 5 * second } }, 0, /A slice of the host without this URL/],
    ['lease-lost', { host: { leaseMs: -5 * second } }, second, /ran out 5 s ago without being returned: .*waits 1 s first/],
    ['guest', { host: { guest: true } }, second, /that one request goes first/],
    ['robots-first', { robots: { status: null, ageMs: null, allowed: null } }, second, /has not been read yet: it is requested first/],
    ['robots-first', { robots: { ageMs: 49 * hour } }, second, /is 2 days old/],
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

describe('a URL never met', () => {
  it.each<[string, string, Changes, RegExp]>([
    ['would-be-outside', 'stop', { scope: { verdict: 'outside', detail: "not within the seeds' scope (host)" } }, /would not be followed\. The URL is outside the crawl: not within/],
    ['would-be-excluded', 'stop', { scope: { verdict: 'excluded', reason: 'depth', detail: 'depth 1, limit 0' } }, /would be excluded\. .*too many links from a seed \(depth 1, limit 0\)/],
    ['would-be-excluded', 'stop', { host: { urls: 100 } }, /would be excluded\. The crawl has 100 URLs of its host, at most 100/],
    ['would-be-excluded', 'stop', { optedOut: 'a.example' }, /its site has opted out of being crawled \(a\.example has opted out\)/],
    ['would-be-excluded', 'stop', { crawl: { state: 'draining' } }, /The crawl is ending: .*would be excluded/],
    ['would-be-refused', 'stop', { crawl: { state: 'finished', reason: 'complete' } }, /The crawl is finished \(complete\) and takes no more URLs/],
    ['would-be-disallowed', 'stop', { robots: { allowed: false, rule: 'Disallow: /it', line: 7 } }, /queued for https:\/\/a\.example and excluded on its turn, since line 7 of its robots\.txt forbids it: Disallow: \/it/],
    ['would-be-queued', 'wait', {}, /would be queued for https:\/\/a\.example and fetched at .* at the earliest\. Nothing/],
    ['would-be-queued', 'wait', { host: null, robots: null }, /would be queued .* robots\.txt of the host has not been read yet/],
    ['would-be-queued', 'wait', { host: { parkedAt: iso(0) } }, /and nobody can say when it would be fetched\. The host has been parked/],
  ])('%s: %s %j', (verdict, effect, changes, summary) => {
    const answer = narrate(facts({ record: null, ...changes }));
    expect(answer.summary).toMatch(/^The crawl has not met this URL\. /);
    expect(answer.summary).toMatch(summary);
    expect(answer.decisions.find(({ step }) => step === 'state')).toMatchObject({ verdict, effect });
    expect(answer.next === null).toBe(effect === 'stop');
  }); // prettier-ignore

  it('says that its depth is supposed', () => {
    const [, depth] = told('filter', { record: null, crawl: { config: { maxDepth: 2 } } });
    expect(depth?.because).toBe(
      'It is 1 link from a seed, at most 2 are allowed, judged as a link on a seed.',
    );
  });
});

describe('whatever the facts are', () => {
  const word = fc.oneof(
    fc.stringMatching(/^[a-z-]{1,12}$/),
    fc.constantFrom('constructor', '__proto__', 'tls: x', ''),
  );
  const text = fc.option(word, { nil: null });
  const number = fc.oneof(fc.constant(0), fc.integer({ min: -1e9, max: 1e9 }));
  const any = fc.record({
    crawl: fc.record({
      state: fc.constantFrom('seeding', 'running', 'paused', 'draining', 'finished', 'cancelled', 'failed'),
      reason: text,
      runningMs: fc.option(number, { nil: null }),
      config: fc.record({ maxSeconds: fc.option(number, { nil: null }) }),
    }),
    scope: fc.record({
      verdict: fc.constantFrom('admit', 'outside', 'excluded'), reason: fc.constantFrom(null, ...filterReasons), detail: text,
    }),
    host: fc.option(
      fc.record({
        pausedAt: fc.constantFrom(null, iso(0)), parkedAt: fc.constantFrom(null, iso(0)), failures: fc.nat(9), lastError: text, waitMs: number, paceMs: number,
        leaseMs: fc.option(number, { nil: null }), ahead: fc.nat(20_000), others: fc.array(fc.nat(), { maxLength: 3 }),
        fed: fc.boolean(), guest: fc.boolean(),
      }),
      { nil: null },
    ),
    record: fc.option(
      fc.record({
        state: fc.constantFrom('queued', 'leased', 'done', 'excluded', 'dead', 'failed'), reason: fc.constantFrom(null, ...urlReasons), detail: text,
        dueMs: number, redirectTo: text, duplicateOf: text, leaseHeld: fc.boolean(),
      }),
      { nil: null },
    ),
    robots: fc.option(fc.record({ allowed: fc.constantFrom(true, false, null), status: fc.option(fc.nat(999), { nil: null }) }), { nil: null }),
  }) as fc.Arbitrary<Changes>; // prettier-ignore

  it('decisions come in the order of the steps, with one state, each in a whole sentence', () => {
    fc.assert(
      fc.property(any, (changes) => {
        const { decisions, next, summary } = narrate(facts(changes));
        const places = decisions.map(({ step }) => decisionSteps.indexOf(step));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(decisions.filter(({ step }) => step === 'state')).toHaveLength(1);
        for (const { because, verdict } of [...decisions, { because: summary, verdict: 'x' }]) {
          expect(because).toMatch(/^\S/);
          expect(because).not.toMatch(/undefined|NaN|\[object|native code/);
          expect(verdict).not.toBe('undefined');
        }
        // What waits has at least one reason; what does not has none.
        expect(next === null || next.because.length > 0).toBe(true);
        const state = decisions.find(({ step }) => step === 'state');
        expect(next !== null).toBe(state?.effect === 'wait');
      }),
      { numRuns: 500 },
    );
  });
});
