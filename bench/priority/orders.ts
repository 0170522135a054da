/**
 * The orders in which a web can be crawled: ours, with the pure functions of the crawler, breadth-first and random. One
 * page after another; links are known as soon as their page is fetched.
 */
import {
  emptySketch,
  linkLevel,
  noteSource,
  sourcesOf,
  type LinkSketch,
} from '../../domain/priority/link-sketch.ts';
import { score, type PriorityWeights } from '../../domain/priority/score.ts';
import { randomFrom } from '../../test/web/random.ts';
import type { Web } from './graph.ts';

/** Numbers of pages in the order in which they are fetched. */
export type Order = readonly number[];

/** A queue that gives out the number with the highest value; a value may be changed while the number waits. */
export class Heap {
  readonly #numbers: number[] = [];
  readonly #values: number[] = [];
  readonly #current = new Map<number, number>();

  put(number: number, value: number): void {
    this.#current.set(number, value);
    let at = this.#numbers.push(number) - 1;
    this.#values.push(value);
    for (let up = (at - 1) >> 1; at > 0 && this.#value(up) < value; up = (at - 1) >> 1) {
      this.#swap(at, up);
      at = up;
    }
  }
  take(): number | undefined {
    for (;;) {
      const [number, value] = [this.#numbers[0], this.#values[0]];
      if (number === undefined) return undefined;
      this.#swap(0, this.#numbers.length - 1);
      this.#numbers.pop();
      this.#values.pop();
      for (let at = 0; ;) {
        let best = at;
        for (const child of [2 * at + 1, 2 * at + 2])
          if (child < this.#numbers.length && this.#value(child) > this.#value(best)) best = child;
        if (best === at) break;
        this.#swap(at, best);
        at = best;
      }
      if (this.#current.get(number) !== value) continue;
      this.#current.delete(number);
      return number;
    }
  }
  #value(at: number): number {
    return this.#values[at] ?? -Infinity;
  }
  #swap(a: number, b: number): void {
    for (const list of [this.#numbers, this.#values]) [list[a], list[b]] = [list[b] ?? 0, list[a] ?? 0];
  }
}

export function breadthFirst({ pages, seeds }: Web): Order {
  const met = new Set(seeds);
  for (const number of met) for (const link of pages[number]?.links ?? []) met.add(link);
  return [...met];
}

export function inRandomOrder({ pages, seeds }: Web, seed: number): Order {
  const random = randomFrom(seed);
  const queue = new Heap();
  const met = new Set<number>();
  const find = (number: number): void => {
    if (met.has(number)) return;
    met.add(number);
    queue.put(number, random.next());
  };
  seeds.forEach(find);
  const order: number[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    order.push(next);
    for (const link of pages[next]?.links ?? []) find(link);
  }
  return order;
}

interface Met {
  readonly depth: number;
  readonly parentPriority: number;
  readonly hosts: LinkSketch;
  readonly pages: LinkSketch;
  /** The level of each count at which the page was last scored. */
  level: number;
}

const nestingOf = (path: string): number => path.split('/').filter((part) => part !== '').length;

/** Some pages are taken for what they may tell, whatever their scores: `share` of all, the others by score. */
export interface Exploring {
  readonly share: number;
  /** Any page that waits, or the best of the host and first path segment of which fewest were fetched. */
  readonly by: 'random' | 'subtree';
}

/** What waits, for who explores. */
class Unexplored {
  readonly #web: Web;
  readonly #by: Exploring['by'];
  readonly #parts = new Map<string, { fetched: number; waiting: number; readonly queue: Heap }>();

  constructor(web: Web, by: Exploring['by']) {
    this.#web = web;
    this.#by = by;
  }
  #partOf(number: number): { fetched: number; waiting: number; readonly queue: Heap } {
    const page = this.#web.pages[number];
    const segment = page?.path.split('/')[1] ?? '';
    const name = this.#by === 'random' ? '' : `${String(page?.host)}/${segment}`;
    const part = this.#parts.get(name) ?? { fetched: 0, waiting: 0, queue: new Heap() };
    this.#parts.set(name, part);
    return part;
  }
  /** @param isNew the page did not wait yet */
  put(number: number, value: number, isNew: boolean): void {
    const part = this.#partOf(number);
    if (isNew) part.waiting++;
    if (this.#by === 'subtree') part.queue.put(number, value);
    else if (isNew) part.queue.put(number, randomFrom(number, 99).next());
  }
  took(number: number): void {
    const part = this.#partOf(number);
    part.fetched++;
    part.waiting--;
  }
  next(done: ReadonlySet<number>): number | undefined {
    const parts = [...this.#parts.values()].filter(({ waiting }) => waiting > 0);
    const least = parts.reduce<(typeof parts)[number] | undefined>(
      (one, other) => (one === undefined || other.fetched < one.fetched ? other : one),
      undefined,
    );
    for (;;) {
      const number = least?.queue.take();
      if (number === undefined || !done.has(number)) return number;
    }
  }
}

export function byScore(web: Web, weights: PriorityWeights, exploring: Exploring | null = null): Order {
  const unexplored = exploring === null ? null : new Unexplored(web, exploring.by);
  const dice = randomFrom(5, 5);
  const { pages, seeds } = web;
  const queue = new Heap();
  const met = new Map<number, Met>();
  const scores = new Map<number, number>();
  const done = new Set<number>();
  const enqueue = (number: number, seed: boolean, isNew: boolean): void => {
    const one = met.get(number);
    const page = pages[number];
    if (one === undefined || page === undefined) return;
    const { score: value } = score(
      {
        ...{ depth: one.depth, parentPriority: one.parentPriority, nesting: nestingOf(page.path) },
        ...{ home: page.path === '/', trusted: 0, hostQuality: 1 },
        ...{
          inboundHosts: sourcesOf(one.hosts),
          inboundPages: sourcesOf(one.pages),
          relevance: 0,
          freshness: 0,
          dateOfSitemap: false,
        },
      },
      weights,
    );
    scores.set(number, seed ? 1 : value);
    // Equal scores in an order that says nothing, as by the hash that is a URL's key.
    const rank = (seed ? 1 : value) + 1e-9 * randomFrom(number).next();
    queue.put(number, rank);
    unexplored?.put(number, rank, isNew);
  };
  const take = (): number | undefined => {
    const explored = dice.chance(exploring?.share ?? 0) ? unexplored?.next(done) : undefined;
    for (let next = explored ?? queue.take(); ; next = queue.take())
      if (next === undefined || !done.has(next)) return next;
  };
  for (const seed of seeds) {
    met.set(seed, { depth: 0, parentPriority: 1, hosts: emptySketch(), pages: emptySketch(), level: 0 });
    enqueue(seed, true, true);
  }
  const order: number[] = [];
  for (let next = take(); next !== undefined; next = take()) {
    order.push(next);
    done.add(next);
    unexplored?.took(next);
    const from = pages[next];
    const own = met.get(next);
    for (const link of from?.links ?? []) {
      let one = met.get(link);
      const isNew = one === undefined;
      if (one === undefined) {
        one = {
          ...{ depth: (own?.depth ?? 0) + 1, parentPriority: scores.get(next) ?? 1 },
          ...{ hosts: emptySketch(), pages: emptySketch(), level: 0 },
        };
        met.set(link, one);
      }
      const internal = pages[link]?.host === from?.host;
      noteSource(internal ? one.pages : one.hosts, internal ? next : (from?.host ?? 0));
      if (done.has(link)) continue;
      const level = linkLevel(sourcesOf(one.hosts)) + linkLevel(sourcesOf(one.pages));
      if (level === one.level) continue;
      one.level = level;
      enqueue(link, false, isNew);
    }
  }
  return order;
}

/** The share of all importance that is fetched after a part of all pages. An order may end before all are fetched. */
export const captured = (order: Order, importance: Float64Array, part: number): number =>
  order
    .slice(0, Math.round(importance.length * part))
    .reduce((sum, number) => sum + (importance[number] ?? 0), 0);
