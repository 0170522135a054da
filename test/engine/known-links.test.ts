/** Links known to be in the frontier: never one that was not added, and never more than the room allows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnownLinks } from '../../engine/admission/known-links.ts';

const url = (number: number): string => `http://a/${String(number).padStart(6, '0')}`;
const characters = url(0).length;

describe('known links', () => {
  it('are of the crawl they were added to, and were added', () => {
    const links = fc.array(
      fc.record({ crawl: fc.integer({ min: 1, max: 3 }), link: fc.integer({ min: 0, max: 20 }) }),
    );
    fc.assert(
      fc.property(links, links, (added, asked) => {
        const known = new KnownLinks(10 * characters);
        const all = new Set<string>();
        for (const { crawl, link } of added) {
          known.add(String(crawl), url(link));
          all.add(`${String(crawl)} ${String(link)}`);
        }
        for (const { crawl, link } of asked)
          if (known.has(String(crawl), url(link)))
            expect(all.has(`${String(crawl)} ${String(link)}`)).toBe(true);
      }),
    );
  });

  it('are kept while they are met, and forgotten after two generations in which they were not', () => {
    const known = new KnownLinks(10 * characters);
    known.add('1', url(0));
    known.add('1', url(1));
    for (let link = 2; link < 40; link++) {
      known.add('1', url(link));
      expect(known.has('1', url(0))).toBe(true);
    }
    expect(known.has('1', url(1))).toBe(false);
    const kept = Array.from({ length: 40 }, (_, link) => url(link)).filter((each) => known.has('1', each));
    expect(kept.length).toBeLessThanOrEqual(20);
  });
});
