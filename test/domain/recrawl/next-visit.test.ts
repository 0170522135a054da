import { describe, expect, it } from 'vitest';
import { coldStartDays } from '../../../domain/recrawl/cold-start.ts';
import { defaultKeepFresh, intervalsOf, lookSeconds } from '../../../domain/recrawl/keep-fresh.ts';
import { nextVisit, type VisitRules } from '../../../domain/recrawl/next-visit.ts';
import { behindBy, newsLift } from '../../../domain/priority/place.ts';
import { classOf, importanceOf, trustsLastmods } from '../../../domain/recrawl/page-class.ts';
import {
  firstVisit,
  hasChanged,
  simhashAfter,
  visitedAgain,
  type PageState,
} from '../../../domain/recrawl/page-state.ts';
import { noHistory } from '../../../domain/recrawl/rate.ts';

const defaultIntervals = intervalsOf(defaultKeepFresh);

describe('the next visit', () => {
  const rules: VisitRules = {
    plan: { price: 0.5, leftOutDays: 45 },
    ...{ typical: 0.1, even: 10, tolerance: 0, intervals: defaultIntervals },
  };
  const found = { isDead: false, bodySign: 'a', textSign: 't', simhash: null };
  const plain = { isNews: false, changefreq: null } as const;
  const visited = (times: number, changed: boolean): PageState => {
    let state = firstVisit(1, found);
    for (let visit = 0; visit < times; visit++) state = visitedAgain(state, 4, changed, found);
    return state;
  };

  it('begins with an even share, halves after a change, and doubles from the third visit without one', () => {
    expect(nextVisit(firstVisit(1, found), plain, rules).inDays).toBe(10);
    expect(nextVisit(visited(1, true), plain, rules).inDays).toBe(2);
    expect(nextVisit(visited(1, false), plain, rules).inDays).toBe(6);
    expect(coldStartDays({ days: 4, changed: false, unchangedInARow: 3 })).toBe(8);
  });

  it('follows the plan once a rate is known, within the bounds of the class', () => {
    const slow = nextVisit(visited(8, false), plain, rules);
    expect(slow.pageClass).toBe('generic');
    expect(slow.inDays).toBeGreaterThan(5);
    const cheap = { ...rules, plan: { price: 1e-9, leftOutDays: 45 } };
    expect(nextVisit(visited(8, false), plain, cheap).inDays).toBe(defaultIntervals.generic.floor);
    const dear = { ...rules, plan: { price: 1e9, leftOutDays: 45 } };
    expect(nextVisit(visited(8, false), plain, dear).inDays).toBe(45);
  });

  it('takes news as often as their class allows, and looks at a page that is gone once more, then at its ceiling', () => {
    const news = { isNews: true, changefreq: null };
    expect(nextVisit(firstVisit(1, found), news, rules).inDays).toBe(defaultIntervals.news.ceiling);
    const gone = firstVisit(1, { ...found, isDead: true });
    expect(nextVisit(gone, plain, rules).inDays).toBe(7);
    // Then as seldom as their class allows, and never more often than that.
    const stillGone = visitedAgain(gone, 7, false, { ...found, isDead: true });
    expect(nextVisit(stillGone, plain, rules).inDays).toBe(defaultIntervals.generic.ceiling);
    const dormant = { isNews: false, changefreq: 'never' } as const;
    expect(nextVisit(stillGone, dormant, rules).inDays).toBe(defaultIntervals.dormant.ceiling);
    expect(nextVisit(stillGone, news, rules).inDays).toBe(7);
    const longGone = visitedAgain(stillGone, 30, false, { ...found, isDead: true });
    expect(nextVisit(longGone, plain, rules).inDays).toBe(defaultIntervals.generic.ceiling);
  });

  it('classes pages by settings, hints and history', () => {
    expect(classOf(false, 'hourly', noHistory, null)).toBe('news');
    expect(classOf(false, 'never', noHistory, null)).toBe('dormant');
    // What was seen goes before what the sitemap says.
    expect(classOf(false, 'hourly', { unchangedDays: 10, changedAfter: [] }, 0.1)).toBe('generic');
    expect(classOf(false, null, { unchangedDays: 95, changedAfter: [] }, 0.01)).toBe('dormant');
    expect(classOf(false, null, { unchangedDays: 1, changedAfter: [0.1] }, 3)).toBe('news');
  });

  it('tells a change by the text, and by the body where there is none', () => {
    expect(hasChanged(found, { ...found, bodySign: 'b' })).toBe(false);
    expect(hasChanged(found, { ...found, textSign: 'u' })).toBe(true);
    expect(hasChanged({ ...found, textSign: null }, { ...found, bodySign: 'b' })).toBe(true);
    expect(hasChanged(found, { ...found, isDead: true })).toBe(true);
  });

  it('takes a text that differs by a hair for the same, until it has gone further', () => {
    const [one, near, far] = [0n, 0b111n, 0b1111n].map((simhash, at) => ({
      ...found,
      textSign: `t${String(at)}`,
      simhash,
    }));
    if (one === undefined || near === undefined || far === undefined) throw new Error('there are three');
    expect(hasChanged(one, near)).toBe(false);
    expect(hasChanged(one, far)).toBe(true);
    // One of them has too few words to be compared so.
    expect(hasChanged({ ...one, simhash: null }, near)).toBe(true);
    expect(hasChanged(one, { ...near, simhash: null })).toBe(true);
    // Each step is a hair, and the way is none: the next visit is compared with what last counted as new.
    const after = simhashAfter(one, near, false);
    expect(after).toBe(0n);
    expect(hasChanged({ ...near, simhash: after }, far)).toBe(true);
    expect(simhashAfter({ ...near, simhash: after }, far, true)).toBe(far.simhash);
    expect([simhashAfter(null, near, false), simhashAfter({ ...one, simhash: null }, near, false)]).toEqual([
      7n,
      7n,
    ]);
  });

  it('looks often enough that news is fetched within a quarter of an hour', () => {
    const { floorSeconds } = defaultKeepFresh.intervals.news;
    expect(floorSeconds + lookSeconds(defaultKeepFresh)).toBeLessThanOrEqual(900);
  });

  it('takes importance from the priority, whatever the queue has made of it', () => {
    for (const place of [0.25, 0.25 + newsLift, 0.25 - behindBy, 0.25 + newsLift - behindBy])
      expect(importanceOf(place)).toBeCloseTo(0.25, 6);
    expect(importanceOf(2)).toBe(1);
  });

  it('believes dates of sitemaps that have held', () => {
    expect(trustsLastmods({ right: 4, wrong: 0 })).toBe(false);
    expect(trustsLastmods({ right: 9, wrong: 1 })).toBe(true);
    expect(trustsLastmods({ right: 5, wrong: 1 })).toBe(false);
  });
});
