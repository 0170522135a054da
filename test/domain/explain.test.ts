/** What `explain` says of how a URL was found, what it is worth, and of any facts at all. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decisionSteps } from '../../domain/explain/decision.ts';
import type { ExplainFacts, RecordFacts } from '../../domain/explain/facts.ts';
import { narrate } from '../../domain/explain/narrate.ts';
import { defaultWeights, score, type PrioritySignals } from '../../domain/priority/score.ts';
import { filterReasons, urlReasons } from '../../domain/url-reason.ts';
import { done, facts, hour, iso, told, type Changes } from './explaining.ts';
import { runs } from '../support/runs.ts';

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
    [
      { deadVisits: 2 },
      /found gone 2 times in a row, and is asked for again at .*, as seldom as class generic/,
    ],
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
    [{ kind: 'sitemap', discoveredFrom: null }, 'robots-sitemap', /robots\.txt .*names it as a sitemap/],
    [{ kind: 'requisite' }, 'requisite', /^It is needed to show https:\/\/a\.example\//],
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
    ...{
      inboundHosts: 3,
      inboundPages: 20,
      relevance: 0,
      freshness: 0,
      dateOfSitemap: false,
      hostQuality: 1,
    },
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
      { scored: scored(signals), priority: priority - 8 },
      /^Its score is 0\.376: .*\. It is suspected to be part of a trap, so it stands behind all other/,
    ],
    [
      { scored: scored({ ...signals, hostQuality: 0.5 }), priority: 0.1 },
      /, all lowered by the quality of its host, 0\.5\.$/,
    ],
  ])('%o', (record, because) => {
    expect(told('priority', { record })[0]?.because).toMatch(because);
  });
});

it('says of a queued URL that robots.txt will exclude it, and names no time for it', () => {
  const answer = narrate(facts({ robots: { allowed: false, rule: 'Disallow: /it', line: 7 } }));
  expect(answer.summary).toBe(
    'It waits in the queue of https://a.example and is excluded on its turn, without a request, unless robots.txt has changed by then: line 7 of its robots.txt forbids it: Disallow: /it.',
  );
  expect(answer.decisions.at(-1)).toMatchObject({ step: 'state', verdict: 'queued', effect: 'stop' });
  expect(answer.next).toBeNull();
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
      { numRuns: runs(500) },
    );
  });
});
