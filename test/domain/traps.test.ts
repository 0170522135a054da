/** Shapes of URLs, what pages show, and the rules that take a shape for a trap (domain/traps/). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostsBelow, isToken, kindOfShape, shapesOf, wholeHost } from '../../domain/traps/shape.ts';
import { printText } from '../../domain/traps/text.ts';
import { standingUnder, type ShapeVerdict } from '../../domain/traps/verdict.ts';
import {
  noPages,
  watchPages,
  type Finding,
  type Observation,
  type Standing,
} from '../../domain/traps/watch.ts';

describe('the shapes of a URL', () => {
  it.each([
    ['/', ['/**']],
    ['/about/us.html', ['/about/**', '/**']],
    ['/doc/17.html', ['/doc/{n}.html', '/doc/**', '/**']],
    ['/calendar/2026/11', ['/calendar/{n}/{n}', '/calendar/{n}/**', '/calendar/**', '/**']],
    ['/list?page=3', ['/list?page', '/list?*', '/**']],
    ['/a/b?q=0123abcd4567ef89', ['/a/b?q', '/a/b?*', '**?q={t}', '/a/**', '/**']],
    ['/s/0123abcd4567ef89/x/y', ['/s/{t}/x/y', '/s/{t}/**', '/s/{t}/x/**', '/s/**', '/**']],
    ['/a?*', ['/a?%2A', '/a?*', '/**']],
    ['/a?q=0123abcd4567ef89&q=0123abcd4567ef89', ['/a?q', '/a?*', '**?q={t}', '/**']],
    ['/a/b/a/c/a/', ['a segment three times', '/a/b/a/**', '/a/b/**', '/a/**', '/**']],
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
        expect(shapes.length).toBeLessThan(24);
        for (const shape of shapes.slice(0, -1)) expect(kindOfShape(shape)).not.toBe('host');
      }),
    );
  });

  it('know what a machine made from what people write', () => {
    const tokens = [
      '0123abcd4567ef89',
      'd41d8cd98f00b204e9800998ecf8427e',
      '7d0f3a52-0f0c-4a35-8a43-5c1b8c3f2a11',
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
    ];
    expect(tokens.filter((token) => !isToken(token))).toEqual([]);
    expect(names.filter((name) => isToken(name))).toEqual([]);
  });
});

const sentence = fc.array(fc.stringMatching(/^[a-z]{3,9}[0-9]{0,3}$/), { minLength: 1, maxLength: 60 });

describe('the print of a text', () => {
  it('is that of its set of words, in any order and case', () => {
    fc.assert(
      fc.property(sentence, (words) => {
        const print = printText(words.join(' '), '/');
        const other = printText(words.toReversed().join('\n').toUpperCase(), '/');
        expect({ ...other, terms: null }).toEqual({ ...print, terms: null });
        expect(print.words).toBe(new Set(words).size);
      }),
    );
  });

  it('without numbers is the same for pages that differ in numbers alone', () => {
    fc.assert(
      fc.property(sentence, fc.nat(), fc.nat(), (words, one, other) => {
        const text = (number: number): string =>
          `${words.join(' ')} page${String(number)} of ${String(number)}`;
        expect(printText(text(one), '/').masked).toBe(printText(text(other), '/').masked);
      }),
    );
  });

  it('says whether the text mentions what the URL names', () => {
    expect(printText('All about gardening', '/tips/gardening.html').alien).toBe(false);
    expect(printText('All about cooking', '/tips/gardening.html').alien).toBe(true);
    expect(printText('All about cooking', '/tips/17.html').alien).toBe(false);
    expect(printText('All about cooking', '/tips/0123abcd4567ef89').alien).toBe(true);
  });
});

/** A page with a text of its own, unless it is given one; it leads to `fresh` new URLs of its own shape. */
function page(path: string, text: string, fresh: readonly string[], links = 3): Observation {
  const counts: Record<string, number> = {};
  for (const each of fresh) for (const shape of shapesOf(each)) counts[shape] = (counts[shape] ?? 0) + 1;
  return {
    ...{ shapes: shapesOf(path), print: printText(text, path), body: 0, links },
    ...{ fresh: counts, hidden: {}, freshLinks: fresh.length, crowd: null, tookMs: null },
  };
}
const words = (seed: number, count = 40): string =>
  Array.from({ length: count }, (_, at) => `w${((seed * 7_919 + at) * 104_729).toString(36)}x`).join(' ');
const holds = (findings: readonly Finding[]): string[] =>
  findings.flatMap((finding) => (finding.kind === 'hold' ? [finding.shape] : []));

/** All pages through one watch, a few at a time, with the standings that follow. */
function watched(pages: readonly Observation[], standings = new Map<string, Standing>()): readonly Finding[] {
  const state = noPages();
  const findings: Finding[] = [];
  for (let at = 0; at < pages.length; at += 16) {
    const found = watchPages(state, pages.slice(at, at + 16), standings, 0);
    for (const finding of found) if (finding.kind === 'hold') standings.set(finding.shape, 'held');
    findings.push(...found);
  }
  return findings;
}

describe('a shape', () => {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
  const calendar = (at: number): Observation =>
    page(`/c/${String(at)}`, `Nothing happens on day ${String(at)}`, [`/c/${String(at + 1)}`]);

  it('is no evidence: five thousand pages that lead from one to the next and have something to say pass', () => {
    const chain = numbers(5_000).map((at) =>
      page(`/doc/${String(at)}.html`, words(at), [`/doc/${String(at + 1)}.html`]),
    );
    expect(watched(chain).filter(({ kind }) => kind !== 'sample')).toEqual([]);
  });

  it('is held once its pages differ in numbers alone and there is always a further one', () => {
    expect(holds(watched(numbers(31).map(calendar)))).toEqual([]);
    expect(holds(watched(numbers(60).map(calendar)))).toEqual(['/c/{n}']);
  });

  it('passes if its pages differ in numbers alone and their number is known: tables, measurements', () => {
    const tables = numbers(500).map((at) => page(`/table/${String(at)}`, `Values ${String(at * 17)}`, []));
    expect(holds(watched(tables))).toEqual([]);
  });

  it('passes as the fourth copy of a site, whose texts were all met before', () => {
    const copies = numbers(4).flatMap((copy) =>
      numbers(60).map((at) => page(`/v${String(copy)}a/p${String(at)}`, words(at), [])),
    );
    expect(holds(watched(copies))).toEqual([]);
  });

  describe('whose pages lead nowhere but to unknown ones', () => {
    const mixed = (at: number): string => `${words(at % 15, 36)} ${words(50 + at, 6)}`;
    const deeper = (at: number, text: string, tookMs: number | null = null): Observation => {
      const name = (seed: number): string =>
        `/m/${(seed * 104_729 + 7).toString(16).padStart(9, '0')}ab1c2d3e`;
      return {
        ...page(name(at), text, [name(2 * at + 1_000_000), name(2 * at + 1_000_001)], 2),
        tookMs,
      };
    };
    const costs = (of: (at: number) => Observation): number => {
      const all = numbers(2_400).map(of);
      let [low, high] = [0, all.length];
      // Findings only grow with the pages.
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (holds(watched(all.slice(0, middle))).length > 0) high = middle;
        else low = middle + 1;
      }
      return low;
    };

    it('is held before 200 pages if its words never come again, or every answer is slow', () => {
      expect(costs((at) => deeper(at, words(at)))).toBeLessThan(130);
      expect(costs((at) => deeper(at, mixed(at), 2_000 + (at % 5)))).toBeLessThan(130);
    });

    it('passes for long if it says what people write, soon enough', () => {
      expect(costs((at) => deeper(at, mixed(at), 300))).toBeGreaterThan(1_900);
    });

    describe('and to which only hidden links led', () => {
      const into = (from: string, over: Partial<Observation> = {}): Observation => ({
        ...page(from, words(9_000), ['/m/begin']),
        ...{ hidden: { '/m/**': 1 }, ...over },
      });
      const entered = (...entries: readonly Observation[]) => {
        const pages = [...entries, ...numbers(300).map((at) => deeper(at, mixed(at), 300))];
        return watched(pages).flatMap((found) =>
          found.kind === 'hold' ? [[found.shape, found.accusation.rule]] : [],
        );
      };

      it('is held whatever the words, and only then', () => {
        expect(entered(into('/'))).toEqual([['/m/**', 'hidden']]);
        expect(entered(into('/', { hidden: {} }))).toEqual([]);
      });

      it('is not if people see another link that leads there, or saw one before', () => {
        const seen = into('/other', { hidden: {} });
        expect(entered(into('/'), seen)).toEqual([]);
        expect(entered(deeper(5_000, words(1)), into('/'))).toEqual([]);
        // What its own pages hide or show says nothing.
        expect(entered(into('/m/x'))).toEqual([]);
        expect(entered(into('/'), into('/m/x', { hidden: {} }))).toEqual([['/m/**', 'hidden']]);
      });

      it('is no reason alone: menus that scripts open lead to pages that say what they are about', () => {
        const menu = page('/', words(1), ['/docs/start']);
        const docs = numbers(900).map((at) => {
          const name = (seed: number): string =>
            `/docs/w${((seed * 7_919 + 1) * 104_729).toString(36)}x.html`;
          const next = at < 100 ? [name(2 * at + 100), name(2 * at + 101)] : [];
          return page(name(at), words(at), next, 4);
        });
        expect(holds(watched([{ ...menu, hidden: menu.fresh }, ...docs]))).toEqual([]);
      });
    });

    it('is not released for samples that lead deeper, however new their words are', () => {
      const standings = new Map<string, Standing>([['/m/{t}', 'held']]);
      const samples = numbers(5).map((at) => deeper(at, words(at)));
      expect(watched(samples, standings)).toEqual([{ kind: 'sample', shape: '/m/{t}', pages: 5, novel: 0 }]);
    });

    it('is held as early or late as an operator says', () => {
      const state = noPages();
      const pages = numbers(200).map((at) => deeper(at, mixed(at)));
      const found = watchPages(state, pages, new Map(), 0, { endless: 150, crowd: 500, flood: 1_000_000 });
      expect(found.find(({ kind }) => kind === 'hold')).toMatchObject({ accusation: { rule: 'endless' } });
    });
  });

  it('is held no more once somebody has released it', () => {
    const standings = new Map<string, Standing>([['/c/{n}', 'released']]);
    expect(holds(watched(numbers(200).map(calendar), standings))).not.toContain('/c/{n}');
  });

  it('in quarantine counts its samples, and how many of them are new', () => {
    const standings = new Map<string, Standing>([['/c/{n}', 'held']]);
    const samples = numbers(3).map((at) => page(`/c/${String(at)}`, words(at), []));
    expect(watched(samples, standings)).toEqual([{ kind: 'sample', shape: '/c/{n}', pages: 3, novel: 3 }]);
  });

  it('of more than 500 links on a page is suspected until its pages have something to say', () => {
    const crowded = { ...page('/', words(1), []), crowd: '/item/{n}' };
    const items = numbers(64).map((at) => page(`/item/${String(at)}`, words(at + 100), []));
    const state = noPages();
    expect(watchPages(state, [crowded], new Map(), 0)).toMatchObject([
      { kind: 'suspect', shape: '/item/{n}', accusation: { rule: 'crowd' } },
    ]);
    const suspected = new Map<string, Standing>([['/item/{n}', 'suspected']]);
    expect(watchPages(state, items, suspected, 0)).toEqual([{ kind: 'clear', shape: '/item/{n}' }]);
  });
});

describe('the hosts below a domain', () => {
  const shape = hostsBelow('spam.example');
  const at = (number: number, text: string, over: Partial<Observation> = {}): Observation => ({
    ...page('/', text, []),
    ...{ shapes: [shape], from: number, links: 4, fresh: { [shape]: 3 }, freshLinks: 3, ...over },
  });
  const many = (of: (number: number) => Observation): Observation[] =>
    Array.from({ length: 300 }, (_, number) => of(number));
  const rule = (findings: readonly Finding[]): string | undefined =>
    findings.flatMap((finding) => (finding.kind === 'hold' ? [finding.accusation.rule] : []))[0];

  it('are held if ever further ones say the same, or what no person writes', () => {
    expect(rule(watched(many((number) => at(number, `welcome to host ${String(number)} of ours`))))).toBe(
      'names',
    );
    expect(rule(watched(many((number) => at(number, words(number)))))).toBe('names');
  });

  it('pass if they are few, lead to no further ones, or have something to say', () => {
    const same = (number: number): string => `welcome to host ${String(number)} of ours`;
    const prose = (number: number): string => `${words(number % 15, 36)} ${words(50 + number, 6)}`;
    expect(rule(watched(many((number) => at(number % 6, same(number)))))).toBeUndefined();
    expect(
      rule(watched(many((number) => at(number, same(number), { fresh: {}, freshLinks: 0 })))),
    ).toBeUndefined();
    expect(rule(watched(many((number) => at(number, prose(number)))))).toBeUndefined();
  });
});

it('knows no more of a host than some kilobytes, whatever its URLs are', () => {
  const seeds = fc.integer({ min: 0, max: 1e6 });
  fc.assert(
    fc.property(seeds, (seed) => {
      const state = noPages();
      const pages = Array.from({ length: 900 }, (_, at) => {
        const name = ((seed + 1) * (at + 3) * 7_919).toString(36);
        const path = `/${name.slice(0, 3)}/${name}/${String(at)}?${name.slice(1, 4)}=${name}`;
        const shown = page(path, words(seed + at), [path]);
        return { ...shown, hidden: { [`/${name}/**`]: 1 } };
      });
      for (let at = 0; at < pages.length; at += 90) watchPages(state, pages.slice(at, at + 90), new Map(), 0);
      expect(state.groups.length).toBeLessThanOrEqual(48);
      expect(state.texts.length).toBeLessThanOrEqual(512);
      expect(state.entries.length).toBeLessThanOrEqual(32);
      expect(JSON.stringify(state).length).toBeLessThan(48_000);
    }),
    { numRuns: 5 },
  );
});

describe('the verdicts on a host', () => {
  const verdicts = (entries: Readonly<Record<string, ShapeVerdict['verdict']>>): Map<string, ShapeVerdict> =>
    new Map(Object.entries(entries).map(([shape, verdict]) => [shape, { id: '1', verdict }]));

  it('keep a URL back by the narrowest of its shapes that is held', () => {
    const both = verdicts({ '/c/**': 'confirmed', '/c/{n}': 'held' });
    expect(standingUnder(both, '/c/5')).toEqual({ kind: 'held', id: '1', shape: '/c/{n}' });
    expect(standingUnder(both, '/c/x')).toMatchObject({ kind: 'held', shape: '/c/**' });
    expect(standingUnder(both, '/d/5')).toBeNull();
  });

  it('let a suspected URL wait behind the others', () => {
    expect(standingUnder(verdicts({ '/c/{n}': 'suspected' }), '/c/5')).toEqual({ kind: 'suspected' });
  });
});
