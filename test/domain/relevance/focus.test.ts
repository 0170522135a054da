import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crawlFocus } from '../../../contracts/http/focus.ts';
import { Topic } from '../../../domain/relevance/focus.ts';
import { plainText, tellingTerms, termsIn } from '../../../domain/relevance/terms.ts';

const silent = { anchor: '', around: '' };
const solar = { words: ['solar panels', 'photovoltaics'], examples: [] };

describe('the terms of a text', () => {
  it('are its words in lower case, plurals as singulars, scripts without spaces by pairs', () => {
    expect(termsIn('Solar PANELS, a glass; Straße 12')).toEqual(['solar', 'panel', 'glass', 'straße', '12']);
    expect(termsIn('太陽電池')).toEqual(['太陽', '陽電', '電池']);
    expect(tellingTerms('The panel and the panel of the roof', 2)).toEqual(['panel', 'roof']);
  });

  it('are read from HTML without its tags, scripts and styles, whatever is not closed', () => {
    expect(
      plainText('<p>One<script>var two</script><STYLE>three</Style> four<b').trim().split(/\s+/),
    ).toEqual(['One', 'four']);
    fc.assert(fc.property(fc.string(), (text) => plainText(text).length <= 2 * text.length + 1));
    // Linear: a second for this would be a thousand times too long.
    expect(plainText('<script '.repeat(25_000))).toBe('');
  });
});

describe('the relevance of a page', () => {
  const read = (text: string): number => {
    const topic = new Topic(solar);
    for (let at = 0; at < 20; at++) topic.read('the weather of today is fine and the roads are dry');
    return topic.read(text);
  };

  it('is 0 without any of the words, and grows with them up to 1', () => {
    const none = read('the roads are dry');
    const one = read('a solar garden is dry');
    const all = read('solar panels: photovoltaics for solar gardens, and panels with photovoltaics');
    expect(none).toBe(0);
    expect(one).toBeGreaterThan(0);
    expect(all).toBeGreaterThan(1.5 * one);
    expect(all).toBeLessThanOrEqual(1);
  });

  it('and what its links promise lie between 0 and 1, whatever is read', () => {
    const text = fc
      .array(fc.constantFrom('solar', 'panels', 'photovoltaics', 'road', 'dry'))
      .map((all) => all.join(' '));
    fc.assert(
      fc.property(
        fc.array(text),
        text,
        text,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (texts, anchor, around, expected) => {
          const topic = new Topic(solar);
          for (const each of texts) {
            const relevance = topic.read(each);
            expect(relevance).toBeGreaterThanOrEqual(0);
            expect(relevance).toBeLessThanOrEqual(1);
            const promise = topic.promise('/x', { anchor, around }, relevance, expected);
            expect(promise).toBeGreaterThanOrEqual(0);
            expect(promise).toBeLessThanOrEqual(1);
            expect(
              topic.promise(
                '/x',
                { anchor: `${anchor} solar panels photovoltaics`, around },
                relevance,
                expected,
              ),
            ).toBeGreaterThanOrEqual(promise);
          }
        },
      ),
    );
  });
});

describe('what a link promises', () => {
  it('is told by its words, its address, the words around it and its page; an irrelevant page passes little on', () => {
    const topic = new Topic(solar);
    const plain = topic.promise('https://a.example/x', silent, 0, 0);
    expect(plain).toBe(0);
    const ways = [
      topic.promise('https://a.example/x', { anchor: 'Solar', around: '' }, 0, 0),
      topic.promise('https://a.example/solar/', silent, 0, 0),
      topic.promise('https://a.example/x', { anchor: '', around: 'of solar roofs' }, 0, 0),
      topic.promise('https://a.example/x', silent, 0.8, 0),
    ];
    for (const way of ways) expect(way).toBeGreaterThan(0.15);
    const passed = topic.promise('https://a.example/x', silent, 0, 1);
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThan(ways[3] ?? 0);
  });
});

describe('the focus of a crawl, as it is asked for', () => {
  const problemOf = (focus: unknown): string | undefined =>
    crawlFocus.safeParse(focus).error?.issues[0]?.message;

  it('keeps the words that tell most of an example, and keeps these if they are sent again', () => {
    const page = `<title>Roofs</title><script>nothing</script>${'<p>solar panels on roofs make cheap power</p>'.repeat(3)}`;
    const { examples } = crawlFocus.parse({ examples: [page] });
    expect(examples[0]?.split(' ').toSorted()).toEqual(['cheap', 'make', 'panel', 'power', 'roof', 'solar']);
    const again = crawlFocus.parse({ examples }).examples[0]?.split(' ');
    expect(again?.toSorted()).toEqual(examples[0]?.split(' ').toSorted());
  });

  it.each<[unknown, RegExp]>([
    [{}, /must have a word or an example/],
    [{ words: ['…'] }, /no word of two letters/],
    [{ words: Array.from({ length: 101 }, () => 'word') }, /100/],
    [{ examples: ['\u0000\u0001%PDF'] }, /no text can be read in the example/],
    [
      { examples: ['<script>solar panels on every single roof</script>'] },
      /it has 0 words that tell anything/,
    ],
    [{ examples: ['x'.repeat(200_001)] }, /200000/],
  ])('refuses %j and says why', (focus, why) => {
    expect(problemOf(focus)).toMatch(why);
  });
});
