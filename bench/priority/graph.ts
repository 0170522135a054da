/** A web as a graph: pages by number, their links, and how much each page matters. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Extractor } from '../../content/extract.ts';
import { randomFrom } from '../../test/web/random.ts';

export interface Page {
  /** Number of its host. */
  readonly host: number;
  readonly path: string;
  /** Numbers of the pages that it links to, each once. */
  readonly links: readonly number[];
}

export interface Web {
  readonly pages: readonly Page[];
  readonly hosts: number;
  readonly seeds: readonly number[];
}

/**
 * Hosts of very different size and fame. Pages lie in folders; each links to its home page, to the sections of its host,
 * to pages near it, and now and then to a page of another host: famous hosts and their home pages more often.
 */
export function syntheticWeb(seed: number, hosts: number): Web {
  const random = randomFrom(seed);
  const pages: { host: number; path: string; links: number[] }[] = [];
  const first: number[] = [];
  const sizes = Array.from({ length: hosts }, () =>
    Math.min(2_000, Math.ceil(3 / Math.max(random.next(), 1e-3))),
  );
  for (const [host, size] of sizes.entries()) {
    first.push(pages.length);
    const sections = Math.max(1, Math.round(Math.sqrt(size)));
    for (let at = 0; at < size; at++) {
      const section = at % sections;
      const path =
        at === 0
          ? '/'
          : at <= sections
            ? `/s${String(at)}/`
            : `/s${String(section + 1)}/d${String(random.below(4))}/p${String(at)}`;
      pages.push({ host, path, links: [] });
    }
  }
  // Fame by rank, in an order of its own: a famous host need not be large.
  const fame = sizes.map((_, host) => host);
  for (let at = fame.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [fame[at], fame[other]] = [fame[other] ?? 0, fame[at] ?? 0];
  }
  const famous = (): number => fame[Math.floor(hosts * random.next() ** 3)] ?? 0;
  /** Within a host the first pages are linked to most. */
  const within = (host: number, power: number): number =>
    (first[host] ?? 0) + Math.floor((sizes[host] ?? 1) * random.next() ** power);
  for (const [number, page] of pages.entries()) {
    const links = new Set<number>();
    const from = first[page.host] ?? 0;
    const size = sizes[page.host] ?? 1;
    links.add(from);
    for (let at = 1; at <= Math.min(5, Math.round(Math.sqrt(size))); at++)
      if (at < size) links.add(from + at);
    for (let at = 0; at < 6; at++) links.add(within(page.host, 2));
    if (number + 1 < from + size) links.add(number + 1);
    while (random.chance(0.45)) {
      const host = famous();
      links.add(random.chance(0.6) ? (first[host] ?? 0) : within(host, 2));
    }
    links.delete(number);
    page.links = [...links];
  }
  return { pages, hosts, seeds: [0, 1, 2, 3, 4].map((at) => first[at * Math.floor(hosts / 5)] ?? 0) };
}

/**
 * One host on which links mislead: a forum whose 1,500 pages name each other thirty times each, and twenty sections whose
 * 75 pages are a chain each, and name a page of another section now and then.
 */
export function misleadingWeb(): Web {
  const random = randomFrom(31);
  const pages: { host: number; path: string; links: number[] }[] = [];
  const add = (path: string): number => pages.push({ host: 0, path, links: [] }) - 1;
  const home = add('/');
  const forum = Array.from({ length: 1_500 }, (_, at) => add(`/forum/t${String(at)}`));
  const sections = Array.from({ length: 20 }, (_, section) =>
    Array.from({ length: 75 }, (__, at) => add(`/s${String(section)}/${at === 0 ? '' : `a/p${String(at)}`}`)),
  );
  const link = (from: number, to: readonly number[]): void => {
    pages[from]?.links.push(...to);
  };
  link(home, [...forum.slice(0, 40), ...sections.flatMap(([first = home]) => [first])]);
  for (const topic of forum) link(topic, [home, ...Array.from({ length: 30 }, () => random.pick(forum))]);
  for (const section of sections)
    for (const [at, page] of section.entries()) {
      const other = at % 5 === 0 ? [random.pick(random.pick(sections))] : [];
      link(page, [section[0] ?? home, ...section.slice(at + 1, at + 2), ...other]);
    }
  return reachable({ pages, hosts: 1, seeds: [home] });
}

/** The HTML files of a folder as one host, with the links that our own reader finds. */
export function folderWeb(folder: string, start: string, extractor: Extractor): Web {
  const origin = 'http://docs.example';
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
    .map((entry) => join(entry.parentPath, entry.name));
  const pathOf = (file: string): string => encodeURI(`/${relative(folder, file)}`);
  const numbers = new Map(files.map((file, at) => [origin + pathOf(file), at]));
  const pages = files.map((file): Page => {
    const url = origin + pathOf(file);
    const { links } = extractor.extract({
      ...{ body: readFileSync(file), url, contentType: 'text/html', xRobotsTag: null },
      ...{ agentTokens: [], maxLinks: 10_000 },
    });
    const known = new Set(links.flatMap((link) => numbers.get(link) ?? []));
    return { host: 0, path: pathOf(file), links: [...known] };
  });
  const seed = numbers.get(`${origin}/${start}`);
  if (seed === undefined) throw new Error(`${folder} has no ${start}`);
  return reachable({ pages, hosts: 1, seeds: [seed] });
}

/** The part of a web that its seeds lead to: nothing else can be crawled. */
export function reachable({ pages, hosts, seeds }: Web): Web {
  const met = new Set(seeds);
  for (const number of met) for (const link of pages[number]?.links ?? []) met.add(link);
  const renumbered = new Map([...met].map((number, at) => [number, at]));
  const of = (numbers: readonly number[]): number[] =>
    numbers.flatMap((number) => renumbered.get(number) ?? []);
  const kept = [...met].flatMap((number) => pages[number] ?? []);
  return { hosts, seeds: of(seeds), pages: kept.map((page) => ({ ...page, links: of(page.links) })) };
}

/** PageRank over the whole graph with a damping of 0.85; sums to 1. */
export function pageRank({ pages }: Web): Float64Array {
  const n = pages.length;
  let rank = new Float64Array(n).fill(1 / n);
  for (let round = 0; round < 50; round++) {
    const next = new Float64Array(n);
    let dangling = 0;
    for (const [number, { links }] of pages.entries()) {
      const own = rank[number] ?? 0;
      if (links.length === 0) dangling += own;
      for (const link of links) next[link] = (next[link] ?? 0) + own / links.length;
    }
    rank = next.map((value) => 0.15 / n + 0.85 * (value + dangling / n));
  }
  return rank;
}
