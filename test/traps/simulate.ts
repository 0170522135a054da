/**
 * A crawl of one host by the rules alone: what a page shows goes to the watch, whose findings decide about the URLs that
 * wait. Breadth first, in any order within a depth, suspects last, and a page is read only when `lag` others were fetched after it.
 */
import { hash } from 'node:crypto';
import type { Extractor } from '../../content/extract.ts';
import { observe } from '../../engine/traps/observe.ts';
import { batch } from '../../engine/traps/trap-watch.ts';
import { SeededRandom } from '../../domain/front-queue/random.ts';
import { usualLimits } from '../../domain/traps/rules.ts';
import { shapesOf } from '../../domain/traps/shape.ts';
import {
  noPages,
  watchPages,
  type Finding,
  type Observation,
  type Standing,
} from '../../domain/traps/watch.ts';
import { canonicalize, pathAndQuery } from '../../domain/url.ts';

export interface Simulated {
  /** Paths in the order in which they were fetched. */
  readonly fetched: readonly string[];
  /** Paths that were kept back. */
  readonly held: readonly string[];
  readonly findings: readonly (Finding & { readonly at: number })[];
}

interface Waiting {
  readonly path: string;
  readonly depth: number;
}

/** Takes one page out of those that wait; which one follows from how many there are, so that each run is the same. */
function anyOf(level: Waiting[]): Waiting | undefined {
  const at = Math.imul(level.length + 1, 0x9e3779b1) >>> 0;
  return level.splice(at % Math.max(1, level.length), 1)[0];
}

interface Asked {
  /** Most pages. */
  readonly most: number;
  readonly lag?: number;
  /** URLs come from any depth, in an order that follows from this number; absent: breadth first. */
  readonly seed?: number;
  /** Every link of the site is taken for one that people do not see. */
  readonly allHidden?: boolean;
}

export function simulate(
  extractor: Extractor,
  origin: string,
  start: string,
  pageAt: (path: string, nth: number) => string | Uint8Array | null,
  { most, lag = 20, seed, allHidden = false }: Asked,
): Simulated {
  const state = noPages();
  const standings = new Map<string, Standing>();
  const random = seed === undefined ? null : new SeededRandom(seed);
  const levels: Waiting[][] = [[{ path: start, depth: 0 }]];
  const suspects: Waiting[] = [];
  const [met, bodies] = [new Set([start]), new Set<string>()];
  const [fetched, held]: [string[], string[]] = [[], []];
  const findings: (Finding & { at: number })[] = [];
  const unread: { readonly waiting: Waiting; readonly body: Uint8Array }[] = [];
  let open: Observation[] = [];

  const standingOf = (path: string): 'held' | 'suspected' | null => {
    const shapes = shapesOf(path);
    const of = (wanted: Standing): boolean => shapes.some((shape) => standings.get(shape) === wanted);
    return of('held') ? 'held' : of('suspected') ? 'suspected' : null;
  };
  const next = (): Waiting | undefined => {
    for (const level of inOrder(levels)) {
      for (let waiting = anyOf(level); waiting !== undefined; waiting = anyOf(level)) {
        const standing = standingOf(waiting.path);
        if (standing === null) return waiting;
        if (standing === 'held') held.push(waiting.path);
        else suspects.push(waiting);
      }
    }
    for (let waiting = suspects.shift(); waiting !== undefined; waiting = suspects.shift()) {
      if (standingOf(waiting.path) !== 'held') return waiting;
      held.push(waiting.path);
    }
    return undefined;
  };
  const inOrder = (of: readonly Waiting[][]): readonly Waiting[][] => {
    if (random === null) return of;
    const open = of.filter((level) => level.length > 0);
    const [first] = open.splice(Math.floor(random.next() * open.length), 1);
    return first === undefined ? [] : [first, ...open];
  };
  const flush = (): void => {
    for (const finding of watchPages(state, open, standings, 0)) {
      findings.push({ ...finding, at: fetched.length });
      if (finding.kind === 'hold') standings.set(finding.shape, 'held');
      if (finding.kind === 'suspect') standings.set(finding.shape, 'suspected');
      if (finding.kind === 'clear') standings.delete(finding.shape);
    }
    open = [];
  };
  const read = ({ waiting, body }: (typeof unread)[number]): void => {
    const id = hash('sha256', body);
    const link = canonicalize(origin + waiting.path);
    if (!link.ok) return;
    const seen = { link: link.value, body: Buffer.from(id, 'hex'), tookMs: null };
    if (bodies.has(id)) {
      open.push(observe({ ...seen, extracted: null, fresh: [] }, usualLimits.crowd));
    } else {
      bodies.add(id);
      const extracted = extractor.extract({
        body,
        url: link.value.url,
        contentType: 'text/html',
        xRobotsTag: null,
        agentTokens: [],
        maxLinks: 10_000,
      });
      const fresh = extracted.links.flatMap((url) => {
        const found = canonicalize(url);
        if (!found.ok || found.value.host !== link.value.host) return [];
        const path = pathAndQuery({ url: found.value.canonical, host: found.value.host });
        if (met.has(path)) return [];
        met.add(path);
        (levels[waiting.depth + 1] ??= []).push({ path, depth: waiting.depth + 1 });
        return [found.value.url];
      });
      const told = allHidden ? { ...extracted, hiddenLinks: new Set(fresh) } : extracted;
      open.push(observe({ ...seen, extracted: told, fresh }, usualLimits.crowd));
    }
    if (open.length >= batch) flush();
  };

  for (;;) {
    const waiting = fetched.length < most ? next() : undefined;
    if (waiting === undefined && unread.length === 0) break;
    if (waiting !== undefined) {
      const body = pageAt(waiting.path, fetched.length);
      fetched.push(waiting.path);
      if (body !== null) unread.push({ waiting, body: typeof body === 'string' ? Buffer.from(body) : body });
    }
    const one = waiting === undefined || unread.length > lag ? unread.shift() : undefined;
    if (one !== undefined) read(one);
  }
  flush();
  return { fetched, held, findings };
}
