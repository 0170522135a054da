/** What `explain` says of that which keeps a URL out: quarantine, scope, filters, robots.txt. */
import { describe, expect, it } from 'vitest';
import type { HostFacts, RobotsFacts } from '../../domain/explain/facts.ts';
import { accusationText } from '../../domain/traps/rules.ts';
import { narrate } from '../../domain/explain/narrate.ts';
import { judgeRobots } from '../../domain/explain/robots.ts';
import { done, facts, hour, iso, told, type Changes } from './explaining.ts';

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
    expect(last?.because).toContain('are suspected to be a trap and go behind the others');
  });

  it('calls pages that ask not to be indexed no trap, and says that they go behind the others', () => {
    const why = accusationText({ rule: 'noindex', evidence: { unindexed: 40 } });
    const quarantine = { ...held, verdict: 'suspected', rule: 'noindex', why } as const;
    const [last] = told('filter', { quarantine }).slice(-1);
    expect(last?.because).toBe(
      'URLs of its shape (/calendar/{n}/{n}) go behind the others: the last 40 pages of the shape ask not to be indexed.',
    );
    const [place] = told('priority', { quarantine, record: { priority: -7.5 } });
    expect(place?.because).toMatch(
      /Pages of its shape ask not to be indexed, so it stands behind all other URLs/,
    );
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

  it('of a crawl by sitemaps stop a URL that no sitemap names, and no other', () => {
    const crawl = { config: { sitemap: 'only' } } as const;
    expect(narrate(facts({ record: null, crawl })).summary).toMatch(
      /it would not be followed\. The crawl takes pages from sitemaps and seeds only/,
    );
    for (const changes of [{}, { record: null, scope: { isSeed: true } }] as const)
      expect(told('scope', { ...changes, crawl }).map(({ verdict }) => verdict)).toEqual(['inside']);
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
    [{ status: null, ageMs: null, allowed: null }, { lastError: 'robots-unreachable: it hangs', trouble: 'robots-unreachable' }, 'unreadable', 'wait', /it hangs/],
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
