/**
 * A crawl of one host by the product's own rules, without a stack: what a page shows goes to the watch, `batch` pages at a
 * time, and its findings decide about the URLs that wait. Breadth first, in any order within a depth, what is suspected
 * after all others, and a page is read only when `lag` others were fetched after it.
 */
import { hash } from 'node:crypto';
import type { Extractor } from '../../content/extract.ts';
import { SeededRandom } from '../../domain/front-queue/random.ts';
import { usualFloor } from '../../domain/traps/rules.ts';
import { shapesOf } from '../../domain/traps/shape.ts';
import {
  noPages,
  statusBy,
  watchPages,
  type Finding,
  type Observation,
  type ShapeStatus,
  type WatchState,
} from '../../domain/traps/watch.ts';
import { canonicalize } from '../../domain/url.ts';
import { observe, shapedPart } from '../../engine/traps/observe.ts';
import { batch } from '../../engine/traps/trap-watch.ts';

export interface Simulated {
  /** Paths in the order in which they were fetched. */
  readonly fetched: readonly string[];
  /** Paths that were kept back. */
  readonly held: readonly string[];
  readonly findings: readonly (Finding & { readonly at: number })[];
  /** What the watch knows in the end. */
  readonly state: WatchState;
}

interface Waiting {
  /** Of the canonical URL. */
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
  /** Pages of a shape that are read before it is held. */
  readonly floor?: number;
  /** URLs come from any depth, in an order that follows from this number; absent: breadth first. */
  readonly seed?: number;
}

export function simulate(
  extractor: Extractor,
  origin: string,
  start: string,
  pageAt: (path: string, nth: number) => string | Uint8Array | null,
  { most, lag = 20, floor = usualFloor, seed }: Asked,
): Simulated {
  const state = noPages();
  const statuses = new Map<string, ShapeStatus>();
  const random = seed === undefined ? null : new SeededRandom(seed);
  const levels: Waiting[][] = [[{ path: start, depth: 0 }]];
  const suspects: Waiting[] = [];
  const [met, bodies] = [new Set([start]), new Set<string>()];
  const [fetched, held]: [string[], string[]] = [[], []];
  const findings: (Finding & { at: number })[] = [];
  const unread: { readonly waiting: Waiting; readonly body: Uint8Array }[] = [];
  let open: Observation[] = [];

  const statusOf = (path: string): 'held' | 'suspected' | null => {
    if (statuses.size === 0) return null;
    const stands = shapesOf(path).map((shape) => statuses.get(shape));
    return stands.includes('held')
      ? 'held'
      : stands.includes('suspected') || stands.includes('deferred')
        ? 'suspected'
        : null;
  };
  const inOrder = (of: readonly Waiting[][]): readonly Waiting[][] => {
    if (random === null) return of;
    const some = of.filter((level) => level.length > 0);
    const [first] = some.splice(Math.floor(random.next() * some.length), 1);
    return first === undefined ? [] : [first, ...some];
  };
  const next = (): Waiting | undefined => {
    for (const level of inOrder(levels)) {
      for (let waiting = anyOf(level); waiting !== undefined; waiting = anyOf(level)) {
        const status = statusOf(waiting.path);
        if (status === null) return waiting;
        if (status === 'held') held.push(waiting.path);
        else suspects.push(waiting);
      }
    }
    for (let waiting = suspects.shift(); waiting !== undefined; waiting = suspects.shift()) {
      if (statusOf(waiting.path) !== 'held') return waiting;
      held.push(waiting.path);
    }
    return undefined;
  };
  const flush = (): void => {
    for (const finding of watchPages(state, open, statuses, floor)) {
      findings.push({ ...finding, at: fetched.length });
      if (finding.kind === 'hold') statuses.set(finding.shape, 'held');
      if (finding.kind === 'suspect') statuses.set(finding.shape, statusBy(finding.accusation));
      if (finding.kind === 'clear') statuses.delete(finding.shape);
    }
    open = [];
  };
  const read = ({ waiting, body }: (typeof unread)[number]): void => {
    const id = hash('sha256', body);
    const link = canonicalize(origin + waiting.path);
    if (!link.ok) return;
    const seen = { link: link.value, body: Buffer.from(id, 'hex') };
    if (bodies.has(id)) {
      open.push(observe({ ...seen, extracted: null, fresh: [] }));
    } else {
      bodies.add(id);
      const extracted = extractor.extract({
        ...{ body, url: link.value.url, contentType: 'text/html', xRobotsTag: null },
        ...{ agentTokens: [], maxLinks: 10_000 },
      });
      const fresh = extracted.links.flatMap((url) => {
        const found = canonicalize(url);
        if (!found.ok || found.value.host !== link.value.host) return [];
        const path = shapedPart(found.value);
        if (met.has(path)) return [];
        met.add(path);
        (levels[waiting.depth + 1] ??= []).push({ path, depth: waiting.depth + 1 });
        return [found.value.url];
      });
      open.push(observe({ ...seen, extracted, fresh }));
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
  return { fetched, held, findings, state };
}
