/** Regions (F17): the home of a host, who fetches from it, how long a visit waits. */
import { describe, expect, it } from 'vitest';
import { homeOf, patienceMs, readRegions, servedBy, type Regions } from '../../domain/regions.ts';

const read = (regions: string, places = '', takeOverMs = 60_000): Regions => {
  const all = readRegions(regions, places, takeOverMs);
  if ('problem' in all) throw new Error(`${all.of} ${all.problem}`);
  return all;
};

const three = read('eu:us; us:eu,ap; ap', 'eu:de,gov.uk,continent-eu; us:us,uk; ap:JP, continent-as');

describe('settings of regions', () => {
  it('name neighbours, nearest first; the others follow in the order of the list', () => {
    expect(Object.fromEntries(three.nearest)).toEqual({
      eu: ['us', 'ap'],
      us: ['eu', 'ap'],
      ap: ['eu', 'us'],
    });
  });

  it.each([
    ['', '', 'regions must name a region, such as eu:us; us:eu'],
    ['eu; us; eu', '', 'regions names eu twice'],
    ['eu; u s', '', 'regions must hold names of small letters, digits and -, unlike "u s"'],
    ['eu:us', '', 'regions has us beside eu, which is no other region'],
    ['eu:eu', '', 'regions has eu beside eu, which is no other region'],
    ['eu; us', 'eu:de; asia:jp', 'places names asia, which is no region'],
    ['eu; us', 'eu:de,fr; us:us,DE', 'places gives de to two regions'],
  ])('are refused by what is wrong: %s | %s', (regions, places, words) => {
    expect(() => read(regions, places)).toThrow(words);
  });
});

describe('the home of a host', () => {
  const place = ['jp', 'continent-as'];
  it.each([
    ['its setting before all', { origin: 'https://a.de', set: 'ap', place }, 'ap', 'setting', null],
    [
      'a setting that names no region tells nothing',
      { origin: 'https://a.de', set: 'mars', place },
      'eu',
      'name',
      'de',
    ],
    [
      'the longest end of its name',
      { origin: 'https://x.gov.uk:8443', set: null, place },
      'eu',
      'name',
      'gov.uk',
    ],
    ['then a shorter one', { origin: 'http://gov.uk.co.uk', set: null, place }, 'us', 'name', 'uk'],
    ['no part of a label', { origin: 'http://made', set: null, place: null }, 'eu', 'default', null],
    ['the country of its address', { origin: 'http://a.com', set: null, place }, 'ap', 'address', 'jp'],
    [
      'its continent',
      { origin: 'http://a.com', set: null, place: ['fr', 'continent-eu'] },
      'eu',
      'address',
      'continent-eu',
    ],
    [
      'an address that tells nothing',
      { origin: 'http://127.0.0.1', set: null, place: ['br'] },
      'eu',
      'default',
      null,
    ],
    ['an IPv6 address', { origin: 'http://[::1]:80', set: null, place: null }, 'eu', 'default', null],
  ] as const)('is told by %s', (_what, host, region, by, of) => {
    expect(homeOf(three, host)).toEqual({ region, by, of });
  });
});

describe('who fetches from hosts of a region', () => {
  const [lives, late] = [59_999, 60_001];
  it.each([
    ['its own workers', { eu: lives, us: 0, ap: 0 }, 'eu'],
    ['the nearest that lives, once they are silent for too long', { eu: late, us: lives, ap: 0 }, 'us'],
    ['the next nearest', { eu: late, us: late, ap: lives }, 'ap'],
    ['nobody else, where none lives', { eu: late, us: late, ap: late }, 'eu'],
    ['others at once, where it never had a worker', { us: 0 }, 'us'],
    ['nobody else, where nothing is known yet', {}, 'eu'],
  ])('%s', (_what, silent, by) => {
    expect(servedBy(three, 'eu', new Map(Object.entries(silent)))).toBe(by);
  });

  it('is at any time a region that lives, if one does, and its own whenever that does', () => {
    const names = [...three.nearest.keys()];
    for (let cases = 0; cases < 3 ** 3; cases++) {
      const times = [0, lives, late];
      const silent = new Map(names.map((name, at) => [name, times[Math.floor(cases / 3 ** at) % 3] ?? 0]));
      const living = names.filter((name) => (silent.get(name) ?? Infinity) <= three.takeOverMs);
      for (const home of names) {
        const by = servedBy(three, home, silent);
        if (living.length > 0) expect(living).toContain(by);
        if (living.includes(home) || living.length === 0) expect(by).toBe(home);
      }
    }
  });
});

it('a visit waits for its region until others would take over, and no longer', () => {
  for (const silentMs of [0, 5_000, 59_000]) {
    const waited = silentMs + patienceMs(three, silentMs);
    expect(waited).toBeGreaterThan(three.takeOverMs);
    expect(waited).toBeLessThanOrEqual(three.takeOverMs + 5_000);
  }
  expect(patienceMs(three, Infinity)).toBe(5_000);
});
