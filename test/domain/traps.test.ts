/** Shapes of URLs, what pages say, and the rules that take a shape for a trap (domain/traps/). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Met } from '../../domain/traps/met.ts';
import { floorUnder, usualFloor } from '../../domain/traps/rules.ts';
import { hostsBelow, isToken, shapesOf, shortened, wholeHost } from '../../domain/traps/shape.ts';
import { hashOf, printPage } from '../../domain/traps/text.ts';
import { verdictUnder, type ShapeVerdict } from '../../domain/traps/verdict.ts';
import {
  noPages,
  statusBy,
  watchPages,
  type Finding,
  type Observation,
  type ShapeStatus,
} from '../../domain/traps/watch.ts';
import { runs } from '../support/runs.ts';

describe('the shapes of a URL', () => {
  it.each([
    ['/', ['/**']],
    ['/about/us.html', ['/about/*', '/about/**', '/**']],
    ['/doc/17.html', ['/doc/{n}.html', '/doc/**', '/**']],
    ['/calendar/2026/11', ['/calendar/{n}/{n}', '/calendar/{n}/**', '/calendar/**', '/**']],
    ['/list?page=3', ['/list?page={n}', '/list?**', '**?page', '/**']],
    ['/package/zlib', ['/package/*', '/package/**', '/**']],
    ['/package.php?name=zlib', ['/package.php?name=*', '/package.php?**', '**?name', '/**']],
    [
      '/?p=x;h=d41d8cd98f00b204e9800998ecf8427e;a=log',
      ['/?a=log&h={t}&p=*', '/?a=log&**', '/?**', '**?a', '**?h', '**?p', '/**'],
    ],
    ['/s/0123abcd4567ef89/x/', ['/s/{t}/*/', '/s/{t}/**', '/s/**', '/**']],
    ['/a?*', ['/a?%2A', '/a?**', '/**']],
    ['/a/b/a/c/a/', ['/a/b/a/c/*/', 'a segment three times', '/a/b/a/**', '/a/b/**', '/a/**', '/**']],
  ])('of %s', (path, shapes) => {
    expect(shapesOf(path)).toEqual(shapes);
  });

  it('are each once, the whole host last, and few', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        const { pathname, search } = new URL(url);
        const shapes = shapesOf(pathname + search);
        expect(new Set(shapes).size).toBe(shapes.length);
        expect(shapes.at(-1)).toBe(wholeHost);
        expect(shapes.length).toBeLessThan(20);
      }),
    );
  });

  it('are the same in whatever order and with whatever signs parameters are written', () => {
    const parameters = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,4}=[a-z0-9]{0,12}$/), {
      selector: (text) => text.split('=')[0],
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(parameters, (given) => {
        expect(shapesOf(`/x?${given.toReversed().join(';')}`)).toEqual(shapesOf(`/x?${given.join('&')}`));
      }),
    );
  });

  it('know what a machine made from what people write', () => {
    const tokens = [
      '0123abcd4567ef89',
      'd41d8cd98f00b204e9800998ecf8427e',
      '7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11',
      'deadbeefcaf1',
    ];
    const names = [
      '12345678',
      'structFoo',
      'classGtk',
      'a00123',
      'release15',
      'iso8859',
      'sha256sum',
      '2026-11-22',
      '202611221530',
    ];
    expect(tokens.filter((token) => !isToken(token))).toEqual([]);
    expect(names.filter((name) => isToken(name))).toEqual([]);
  });

  it('tell what remains without one parameter, or without a name and its value in the path', () => {
    expect(shortened('/shop?size=xl;colour=red')).toEqual({
      whole: '/shop?colour=red&size=xl',
      without: [
        { name: 'colour', rest: '/shop?size=xl' },
        { name: 'size', rest: '/shop?colour=red' },
      ],
    });
    expect(shortened('/shop/colour/red/size/xl').without).toEqual([
      { name: null, rest: '/shop/colour/red' },
      { name: null, rest: '/shop/size/xl' },
    ]);
    expect(shortened('/shop').without).toEqual([]);
  });
});

describe('the print of a page', () => {
  const print = (
    text: string,
    path = '/x',
    title: string | null = null,
    pictures: readonly string[] = [],
    alike: readonly string[] = [],
  ) => printPage({ title, text, pictures }, path, alike).said;
  const sentence = fc.array(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 1, maxLength: 60 });

  it('is that of its words as often as they come, in any order and case', () => {
    fc.assert(
      fc.property(sentence, (words) => {
        const text = words.join(' ');
        expect(print(words.toReversed().join('\n').toUpperCase())).toBe(print(text));
        expect(print(`${text} ${words[0] ?? ''}`)).not.toBe(print(text));
      }),
    );
  });

  it.each([
    ['a number in a table', print('low 4.5 high 12.3'), print('low 4.5 high 12.4')],
    ['a whole number', print('red chair 120'), print('red chair 130')],
    ['times of day', print('08:15 08:45'), print('08:15 08:55')],
    ['another picture', print('red fox', '/1', null, ['a.jpg']), print('red fox', '/2', null, ['b.jpg'])],
    ['one word', print('red fox'), print('red cat')],
  ])('tells pages apart by %s', (_, one, other) => {
    expect(one).not.toBe(other);
  });

  it.each([
    ['numbers of its URL', print('page 37', '/list?page=37'), print('page 38', '/list?page=38')],
    [
      'numbers of its title',
      print('July 2031 today', '/c?t=7', 'July 2031'),
      print('July 2032 today', '/c?t=8', 'July 2032'),
    ],
    [
      'numbers of pages alike',
      print('37 38 39', '/l?p=37', null, [], ['/l?p=38', '/l?p=39']),
      print('38 37 39', '/l?p=38', null, [], ['/l?p=37', '/l?p=39']),
    ],
    ['what a list counts', print('361 to 370', '/l?page=37'), print('371 to 380', '/l?page=38')],
    [
      'what follows from a date',
      print('week 29 day 195', '/2031/07/14'),
      print('week 29 day 196', '/2031/07/15'),
    ],
    [
      'a date that is written as one number',
      print('14.07.2031', '/d?on=20310714'),
      print('15.07.2031', '/d?on=20310715'),
    ],
    [
      'the date of a time since 1970',
      print('14 2031', '/c?at=1941753600'),
      print('15 2031', '/c?at=1941840000'),
    ],
    [
      'the hour at which it was made',
      print('no events 08:15 made 08:15:07 in 0.0123 s'),
      print('no events 09:16 made 09:16:59 in 0.2 s'),
    ],
    [
      'a token of its URL',
      print('your visit 0123abcd4567ef89', '/s/0123abcd4567ef89/x'),
      print('your visit 4567ef890123abcd', '/s/4567ef890123abcd/x'),
    ],
  ])('does not tell pages apart by %s', (_, one, other) => {
    expect(one).toBe(other);
  });
});

it('what was met lately is never forgotten, in bounded memory', () => {
  const last = 2_000;
  let met = new Met(2 ** 16, '');
  for (let at = 0; at < 100_000; at++) {
    met.add(hashOf(String(at)));
    if (at % 10_000 === 0) met = new Met(2 ** 16, met.written());
  }
  for (let at = 100_000 - last; at < 100_000; at++) expect(met.has(hashOf(String(at)))).toBe(true);
  const taken = Array.from({ length: 1_000 }, (_, at) => met.has(hashOf(`never ${String(at)}`)));
  expect(taken.filter(Boolean).length).toBeLessThan(550);
  expect(met.written().length).toBeLessThan(25_000);
});

it('no limit of a crawl gives more than a tenth of itself to a part that says nothing new', () => {
  const none = {
    maxPages: null,
    maxPagesPerHost: null,
    maxSeconds: null,
    delaySeconds: 1,
    requestsPerDay: null,
  };
  expect(floorUnder(none, usualFloor)).toBe(1_000);
  expect(floorUnder({ ...none, maxPages: 500 }, usualFloor)).toBe(50);
  expect(floorUnder({ ...none, maxPages: 50 }, usualFloor)).toBe(32);
  expect(floorUnder({ ...none, maxSeconds: 3_600 }, usualFloor)).toBe(360);
  expect(floorUnder({ ...none, requestsPerDay: 2_000, maxPagesPerHost: 700 }, usualFloor)).toBe(70);
  expect(floorUnder({ ...none, maxPages: 1_000_000 }, usualFloor)).toBe(1_000);
});

/** A page that says so, and leads to the next one of its shape. */
const page = (path: string, text: string, fresh = 1): Observation => ({
  shapes: shapesOf(path),
  ...shortened(path),
  print: printPage({ title: null, text, pictures: [] }, path, []),
  body: 0,
  noindex: false,
  into: Object.fromEntries(shapesOf(path).map((shape) => [shape, { links: fresh, fresh, level: fresh }])),
});

/** Adds pages in batches, and goes by what is found. */
function watch(
  pages: readonly Observation[],
  floor: number,
  batch = 32,
): readonly (Finding & { readonly at: number })[] {
  const state = noPages();
  const statuses = new Map<string, ShapeStatus>();
  const findings: (Finding & { at: number })[] = [];
  for (let at = 0; at < pages.length; at += batch)
    for (const finding of watchPages(state, pages.slice(at, at + batch), statuses, floor)) {
      findings.push({ ...finding, at: at + batch });
      if (finding.kind === 'hold') statuses.set(finding.shape, 'held');
      if (finding.kind === 'suspect') statuses.set(finding.shape, statusBy(finding.accusation));
      if (finding.kind === 'clear') statuses.delete(finding.shape);
    }
  return findings;
}
const numbered = (
  count: number,
  text: (at: number) => string,
  path = (at: number) => `/c/${String(at)}`,
): Observation[] => Array.from({ length: count }, (_, at) => page(path(at), text(at)));

describe('a shape', () => {
  it('is held after so many pages of it, and only if it was suspected before', () => {
    for (const batch of [32, 500, 2_000]) {
      const findings = watch(
        numbered(3_000, () => 'no events'),
        200,
        batch,
      );
      const held = findings.find(({ kind }) => kind === 'hold');
      expect(held).toMatchObject({ shape: '/c/{n}' });
      expect(held?.at).toBeGreaterThanOrEqual(200);
      expect(findings.find(({ kind }) => kind === 'suspect')?.at).toBeLessThan(held?.at ?? 0);
    }
  });

  it('is not held before, whatever its pages show', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(12)), { maxLength: 99 }), (shown) => {
        const pages = shown.map(([text, fresh], at) =>
          page(`/c/${String(at)}`, `text ${'abcd'[text] ?? ''}`, fresh),
        );
        expect(watch(pages, 100).filter(({ kind }) => kind === 'hold')).toEqual([]);
      }),
      { numRuns: runs(30) },
    );
  });

  it('is not held where nothing new is found any more: its end is in sight', () => {
    const pages = Array.from({ length: 900 }, (_, at) =>
      page(`/c/${String(at)}`, 'no events', at < 50 ? 18 : 0),
    );
    expect(watch(pages, 200).filter(({ kind }) => kind === 'hold')).toEqual([]);
  });

  it('is suspected no longer when its pages say more', () => {
    const words = (at: number): string =>
      at < 100 ? 'no events' : `w${(at * 7_919).toString(36)}q v${(at * 104_729).toString(36)}z`;
    const kinds = watch(numbered(400, words), 1_000).flatMap(({ kind, shape }) =>
      shape === '/c/{n}' ? [kind] : [],
    );
    expect(kinds).toEqual(['suspect', 'clear']);
  });

  it('frees no wider one, and holds none, for pages that a narrower one explains', () => {
    const good = numbered(
      60,
      (at) => `w${(at * 7_919).toString(36)}q`,
      (at) => `/c/good${String(at)}/x`,
    );
    const findings = watch([...good, ...numbered(600, () => 'no events')], 200);
    expect(findings.filter(({ kind }) => kind === 'hold').map(({ shape }) => shape)).toEqual(['/c/{n}']);
  });

  it('of one parameter is no combination, one of two that can be left out is', () => {
    const numbers = Array.from({ length: 20 }, (_, at) => at);
    // The same words as often as no other page has them.
    const wares = (one: number, other: number): string =>
      `${'red '.repeat(one + 1)} ${'blue '.repeat(other + 1)} ware`;
    const url = (name: string, at: number): string => `${name}=${String(at)}`;
    const single = numbers.flatMap((at) => [
      page(`/s?${url('a', at)}`, wares(at, 0)),
      page(`/s?${url('b', at)}`, wares(0, at)),
    ]);
    const combined = numbers.flatMap((one) =>
      numbers.map((other) => page(`/s?${url('a', one)}&${url('b', other)}`, wares(one, other))),
    );
    const dates = Array.from({ length: 400 }, (_, at) =>
      page(`/r?${url('date', at)}`, wares(at % 20, Math.floor(at / 20))),
    );
    const held = (pages: readonly Observation[]): string[] =>
      watch(pages, 100).flatMap(({ kind, shape }) => (kind === 'hold' ? [shape] : []));
    expect(held([...single, ...combined])).toContain('/s?a={n}&b={n}');
    expect(held(dates)).toEqual([]);
  });

  it('of a parameter that changes nothing is suspected, by pairs with the same text', () => {
    const pairs = Array.from({ length: 20 }, (_, at) => {
      const text = `listing w${(at * 7_919).toString(36)}q`;
      return [
        page(`/d${'abcdefghijklmnopqrst'[at] ?? ''}/`, text, 0),
        page(`/d${'abcdefghijklmnopqrst'[at] ?? ''}/?C=N;O=D`, text, 0),
        page(`/d${'abcdefghijklmnopqrst'[at] ?? ''}/?C=M;O=D`, text, 0),
      ];
    }).flat();
    expect(watch(pairs, 1_000)).toContainEqual(
      expect.objectContaining({
        kind: 'suspect',
        shape: '**?C',
        accusation: expect.objectContaining({ rule: 'idle-parameter' }) as unknown,
      }),
    );
  });

  it('that a person has released is not held again', () => {
    const released = new Map<string, ShapeStatus>([
      ['/c/{n}', 'released'],
      ['/c/**', 'released'],
      ['/**', 'released'],
    ]);
    const state = noPages();
    for (let at = 0; at < 20; at++)
      expect(
        watchPages(
          state,
          numbered(32, () => 'no events'),
          released,
          100,
        ),
      ).toEqual([]);
  });
});

describe('a shape of pages that ask not to be indexed', () => {
  const letters = (at: number): string =>
    at.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
  /** From one number to another, each with words of its own, leading nowhere. */
  const pages = (
    [from, to]: readonly [number, number],
    path: (at: number) => string,
    noindex: boolean | null = true,
  ): Observation[] =>
    Array.from({ length: to - from }, (_, at) => {
      const seen = page(path(from + at), `about ${letters(hashOf(path(from + at)))}`, 0);
      return { ...seen, noindex };
    });
  const version = (at: number): string => `/w?oldid=${String(at)}&title=${letters(at)}`;
  const old = (at: number): string => `/old/${String(at)}`;
  const told = (of: readonly Observation[], batch = 8): string[] =>
    watch(of, 200, batch).map(({ kind, shape }) => `${kind} ${shape}`);

  it.each([
    ['31 pages', pages([0, 31], version), []],
    ['32 pages', pages([0, 32], version), ['/w?oldid={n}&title=*']],
    ['more pages, but not what else has a title', pages([0, 400], version), ['/w?oldid={n}&title=*']],
    ['a parameter of many pages', pages([0, 128], (at) => `/${letters(at)}?do=edit`), ['**?do']],
    ['pages that may be indexed', pages([0, 400], version, false), []],
    ['pages that nobody read', pages([0, 400], version, null), []],
    [
      'one of 32 that may be indexed',
      Array.from({ length: 400 }, (_, at) => pages([at, at + 1], version, at % 32 !== 31)).flat(),
      [],
    ],
    ['a folder of many names', pages([0, 127], (at) => `/user/${letters(at)}/posts/`), []],
    ['a folder of more names', pages([0, 128], (at) => `/user/${letters(at)}/posts/`), ['/user/**']],
    ['a whole host', pages([0, 400], (at) => `/${letters(at)}/posts/`), []],
  ])('%s', (_, of, shapes) => {
    expect(told(of)).toEqual(shapes.map((shape) => `suspect ${shape}`));
  });

  it('is never held, and free again with one page that may be indexed', () => {
    const many = pages([0, 300], old);
    expect(told(many)).toEqual(['suspect /old/{n}']);
    for (const after of [0, 7, 31]) {
      const further = [...pages([300, 301], old, false), ...pages([301, 301 + after], old)];
      expect(told([...many, ...further])).toEqual(['suspect /old/{n}', 'clear /old/{n}']);
    }
    const again = [...pages([300, 301], old, false), ...pages([301, 340], old)];
    expect(told([...many, ...again]).at(-1)).toBe('suspect /old/{n}');
  });

  it('takes no wider one with it, whatever the order and size of batches', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 200 }),
        fc.integer({ min: 8, max: 64 }),
        (drawn, batch) => {
          const mixed = drawn.flatMap((isOld, at) =>
            pages([at, at + 1], isOld ? old : (n) => `/old/${letters(n)}`, isOld),
          );
          expect(['', 'suspect /old/{n}']).toContain(told(mixed, batch).join());
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it('hides no trap', () => {
    const calendar = numbered(600, () => 'no events').map((seen) => ({ ...seen, noindex: true }));
    expect(told([...pages([0, 64], version), ...calendar])).toContain('hold /c/{n}');
    // The whole host is one though a part of it asks not to be indexed.
    const maze = Array.from({ length: 600 }, (_, at) => page(`/${letters(at)}/x/`, 'no events', 3));
    expect(told([...pages([0, 64], version), ...maze])).toContain('suspect /**');
  });

  it('keeps its place when it is watched anew', () => {
    const statuses = new Map<string, ShapeStatus>([['/old/{n}', 'deferred']]);
    expect(watchPages(noPages(), pages([0, 1], old), statuses, 200)).toEqual([]);
    const free = [...pages([0, 1], old, false), ...pages([1, 5], old)];
    expect(watchPages(noPages(), free, statuses, 200)).toEqual([{ kind: 'clear', shape: '/old/{n}' }]);
  });

  it('costs the watch of other hosts nothing', () => {
    const state = noPages();
    watchPages(state, pages([0, 64], version, false), new Map(), 1_000);
    expect(JSON.stringify(state.groups)).not.toContain('unindexed');
  });
});

it('a watch stays small however many shapes, texts and words a host has', () => {
  const state = noPages();
  for (let at = 0; at < 60; at++) {
    const pages = Array.from({ length: 32 }, (_, n) =>
      page(
        `/${'abcdefgh'[n % 8] ?? ''}${String(at)}/${String(n)}/x?s${String(n)}=1`,
        `w${String(at * 32 + n)}x`,
      ),
    );
    watchPages(state, pages, new Map(), 1_000);
  }
  expect(JSON.stringify(state).length).toBeLessThan(60_000);
});

describe('what is held under a URL', () => {
  const verdicts = (entries: Readonly<Record<string, ShapeVerdict['verdict']>>): Map<string, ShapeVerdict> =>
    new Map(Object.entries(entries).map(([shape, verdict], at) => [shape, { id: String(at), verdict }]));

  it('is the narrowest shape that keeps it back, whatever is released beside it', () => {
    const held = verdicts({ '/c/**': 'held', '/c/{n}': 'released', '/d/{n}': 'suspected' });
    expect(verdictUnder(held, '/c/1')).toEqual({ kind: 'held', id: '0', shape: '/c/**' });
    expect(verdictUnder(held, '/d/1')).toEqual({ kind: 'suspected' });
    expect(verdictUnder(held, '/e/1')).toBeNull();
    expect(hostsBelow('x.com')).toBe('hosts below x.com');
  });
});
