/**
 * The rules for traps over honest sites and over a site of traps, without a stack (simulate.ts).
 *
 * @module-tag long
 */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createExtractor } from '../../content/extract.ts';
import { usualFloor } from '../../domain/traps/rules.ts';
import { noPages, watchPages, type Finding } from '../../domain/traps/watch.ts';
import { canonicalize } from '../../domain/url.ts';
import { observe, observeBelow } from '../../engine/traps/observe.ts';
import { batch } from '../../engine/traps/trap-watch.ts';
import { fileAt } from './files.ts';
import { honestSites, hostedBlogs } from './honest.ts';
import { goodPages, judgeHonest, judgeTraps } from './judge.ts';
import { simulate } from './simulate.ts';

const extractor = await createExtractor();

/** Judged in every run of the tests; the others by `npm run traps` and the long tests. */
const quick = [
  ...['weather by day', 'timetables of stops', 'log viewer', 'forum with paging', 'plain site'],
  ...['packages by path', 'packages by query', 'changelog', 'calendar with events'],
];

describe('an honest site loses no page', () => {
  it.each(honestSites.filter(({ name }) => quick.includes(name)))('$name', (site) => {
    const { read, held } = judgeHonest(extractor, site);
    expect([read, held]).toEqual([site.pages, 0]);
  });

  it('of the others either', { tags: ['deep'] }, () => {
    const others = honestSites.filter(({ name }) => !quick.includes(name));
    expect(others.length + quick.length).toBeGreaterThanOrEqual(28);
    for (const site of others) {
      const { read, held } = judgeHonest(extractor, site);
      expect([site.name, read, held]).toEqual([site.name, site.pages, 0]);
    }
  });
});

it('blogs below one domain are not held as names without end', () => {
  const { domain, blogs, posts, at } = hostedBlogs;
  const state = noPages();
  const met = new Set<string>();
  const findings: Finding[] = [];
  // Front pages come first, as where each host has its own turn.
  for (let post = 0; post < posts; post++) {
    const shown = Array.from({ length: blogs }, (_, blog) => {
      const url = `http://b${String(blog)}.${domain}/${String(post)}`;
      const link = canonicalize(url);
      if (!link.ok) throw new Error(link.rejected);
      const body = Buffer.from(at(blog, post));
      const extracted = extractor.extract({
        ...{ body, url, contentType: 'text/html', xRobotsTag: null, agentTokens: [], maxLinks: 10_000 },
      });
      const fresh = extracted.links.filter((each) => !met.has(each));
      for (const each of fresh) met.add(each);
      const read = { link: link.value, body: Buffer.from(hash('sha256', body), 'hex'), extracted, fresh };
      return observeBelow(domain, observe(read), extracted.links, fresh, link.value.host);
    });
    for (let from = 0; from < shown.length; from += batch)
      findings.push(...watchPages(state, shown.slice(from, from + batch), new Map(), usualFloor));
  }
  expect(blogs * posts).toBeGreaterThan(2 * usualFloor);
  expect(findings).toEqual([]);
});

describe('a site with a trap of each kind', () => {
  // As where a crawl may fetch a thousand pages: the whole is long.
  const little = (lag: number): void => {
    const { byKind, good, goodHeld } = judgeTraps(extractor, 100, lag);
    expect(byKind.size).toBeGreaterThanOrEqual(15);
    expect([...byKind].filter(([, pages]) => pages < 1 || pages > 700)).toEqual([]);
    expect([good, goodHeld]).toEqual([goodPages, 0]);
  };

  it('costs little more than the floor of each, and no good page, if 20 pages wait', () => {
    little(20);
  });

  it('costs no more if each page is read at once', { tags: ['deep'] }, () => {
    little(1);
  });

  it('costs at most 1,100 pages of each', { tags: ['deep'] }, () => {
    const { byKind, good, goodHeld } = judgeTraps(extractor, 1_000, 20);
    expect([...byKind].filter(([, pages]) => pages > 1_100)).toEqual([]);
    expect([good, goodHeld]).toEqual([goodPages, 0]);
  });
});

const folder = '/usr/share/doc/postgresql-doc-15/html';
describe.skipIf(!existsSync(folder))('the documentation of Postgres', () => {
  it('passes whole', () => {
    const { fetched, held } = simulate(
      ...([extractor, 'http://site.example', '/index.html', (path: string) => fileAt(folder, path)] as const),
      { most: 500 },
    );
    expect([fetched.length, held]).toEqual([500, []]);
  });
});
