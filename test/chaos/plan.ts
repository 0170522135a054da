/** Which faults strike, where and when: pure, so that a seed brings the same plan back. */
import { randomFrom, type Random } from '../web/random.ts';

export const faultKinds = ['kill', 'freeze', 'duel', 'cut', 'clock', 'disk', 'ambush', 'render'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Parts run by a supervisor, `supervisor` of the API and the workers, `services` of the databases and Temporal. */
export const workers = ['worker', 'worker-2'] as const;
export type Worker = (typeof workers)[number];
export type Part = Worker | 'worker-render' | 'api' | 'postgres' | 'temporal' | 'redis';
export type Victim = Part | 'worker-leash' | 'postgres-backend' | 'supervisor' | 'services';
export type Line = 'postgres' | 'temporal' | 'redis';

interface Timed {
  /** Milliseconds after the first fault may strike. */
  readonly atMs: number;
}
interface Lasting extends Timed {
  readonly forMs: number;
}

export type Fault =
  /** kill -9. */
  | (Timed & { readonly kind: 'kill'; readonly victim: Victim })
  /** SIGSTOP, SIGCONT; `both`: the two workers at once. */
  | (Lasting & { readonly kind: 'freeze'; readonly victim: Part | 'both' })
  /** A worker is frozen until the other one has taken over what it was at, and wakes up `forMs` after that. */
  | (Lasting & { readonly kind: 'duel'; readonly victim: Worker })
  | (Lasting & { readonly kind: 'cut'; readonly line: Line; readonly how: 'refusing' | 'silent' })
  /** The wall clock of one process jumps by so many seconds, and stays there as long as the process lives. */
  | (Timed & { readonly kind: 'clock'; readonly victim: Worker; readonly bySeconds: number })
  /** No byte more fits onto the disk of the bodies. */
  | (Lasting & { readonly kind: 'disk' })
  /**
   * kill -9 of all workers at a moment that matters: as soon as a host has been heard to ask for a pause (Retry-After),
   * or while a request is in flight at one with a long delay.
   */
  | (Timed & { readonly kind: 'ambush'; readonly upon: 'pause' | 'request' })
  /**
   * While a page is with the browser: the worker that renders, or the browser with all its processes, is killed; or frozen,
   * if it is for some time.
   */
  | (Lasting & { readonly kind: 'render'; readonly victim: 'worker-render' | 'browser' });

export interface PlanOptions {
  readonly seed: number;
  readonly count: number;
  /** The faults strike within this, as evenly as chance lets them. */
  readonly withinMs: number;
  readonly kinds: readonly FaultKind[];
}

type Card = (atMs: number, random: Random) => Fault;

/** Between these, in milliseconds, whole hundreds. */
const lasting = (random: Random, least: number, most: number): number =>
  least + 100 * random.below((most - least) / 100 + 1);

type Range = readonly [least: number, most: number];

const kill =
  (victim: Victim): Card =>
  (atMs) => ({ kind: 'kill', atMs, victim });
const freeze =
  (victim: Part | 'both', [least, most]: Range): Card =>
  (atMs, random) => ({ kind: 'freeze', atMs, victim, forMs: lasting(random, least, most) });
const cut =
  (line: Line, how: 'refusing' | 'silent', most: number): Card =>
  (atMs, random) => ({ kind: 'cut', atMs, line, how, forMs: lasting(random, 300, most) });
const render =
  (victim: 'worker-render' | 'browser', range?: Range): Card =>
  (atMs, random) => ({
    kind: 'render',
    atMs,
    victim,
    forMs: range === undefined ? 0 : lasting(random, ...range),
  });
const clock =
  (victim: Worker, ...jumps: number[]): Card =>
  (atMs, random) => ({ kind: 'clock', atMs, victim, bySeconds: random.pick(jumps) });

/** What of each kind there is; a kind's cards are drawn in a random order until none is left, then anew. */
const decks: Readonly<Record<FaultKind, readonly Card[]>> = {
  kill: [
    kill('worker'),
    kill('worker-2'),
    kill('worker'),
    kill('worker-2'),
    kill('worker-leash'),
    kill('postgres'),
    kill('postgres-backend'),
    kill('temporal'),
    kill('api'),
    kill('redis'),
    kill('supervisor'),
    kill('services'),
  ],
  freeze: [
    freeze('worker', [500, 6_000]),
    freeze('worker-2', [500, 6_000]),
    freeze('both', [2_000, 10_000]),
    freeze('postgres', [500, 7_000]),
    freeze('temporal', [500, 10_000]),
    freeze('redis', [500, 5_000]),
    freeze('api', [500, 5_000]),
  ],
  duel: workers.map((victim): Card => (atMs, random) => ({
    kind: 'duel',
    atMs,
    victim,
    forMs: lasting(random, 0, 600),
  })),
  cut: [
    cut('postgres', 'refusing', 300),
    cut('postgres', 'refusing', 8_000),
    cut('postgres', 'silent', 8_000),
    cut('temporal', 'refusing', 8_000),
    cut('temporal', 'silent', 12_000),
    cut('redis', 'refusing', 15_000),
  ],
  clock: [
    clock('worker', 3_600),
    clock('worker-2', -3_600),
    clock('worker', -3_600, -10),
    clock('worker-2', 3_600, 10),
  ],
  disk: [(atMs, random) => ({ kind: 'disk', atMs, forMs: lasting(random, 3_000, 8_000) })],
  ambush: [
    (atMs) => ({ kind: 'ambush', atMs, upon: 'pause' }),
    (atMs) => ({ kind: 'ambush', atMs, upon: 'request' }),
  ],
  render: [
    render('worker-render'),
    render('browser'),
    render('worker-render', [2_000, 10_000]),
    render('browser', [2_000, 10_000]),
  ],
};

/** The kinds of one round: those with many cards come more often. */
const round: readonly FaultKind[] = [
  'kill',
  'ambush',
  'duel',
  'render',
  'freeze',
  'cut',
  'clock',
  'disk',
  'kill',
  'freeze',
  'render',
  'cut',
];

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  return items.map(() => left.splice(random.below(left.length), 1)).flat();
}

/** In order of time. */
export function planFaults({ seed, count, withinMs, kinds }: PlanOptions): Fault[] {
  const random = randomFrom(seed, 0xc4a05);
  const kindsLeft: FaultKind[] = [];
  const cardsLeft = new Map<FaultKind, Card[]>();
  const drawKind = (): FaultKind => {
    if (kindsLeft.length === 0) kindsLeft.push(...round.filter((kind) => kinds.includes(kind)));
    const [kind] = kindsLeft.splice(0, 1);
    if (kind === undefined) throw new RangeError('no kind of fault to choose from');
    return kind;
  };
  const draw = (kind: FaultKind): Card => {
    const known = cardsLeft.get(kind) ?? [];
    const cards = known.length > 0 ? known : shuffled(decks[kind], random);
    cardsLeft.set(kind, cards.slice(1));
    const [card] = cards;
    if (card === undefined) throw new RangeError(`there is no ${kind}`);
    return card;
  };
  const spaceMs = withinMs / count;
  return Array.from({ length: count }, (_, at) =>
    draw(drawKind())(Math.round((at + random.next()) * spaceMs), random),
  );
}

/** One line for people. */
export function describe(fault: Fault): string {
  switch (fault.kind) {
    case 'kill':
      return `kill -9 ${fault.victim}`;
    case 'freeze':
      return `freeze ${fault.victim === 'both' ? 'both workers' : fault.victim} for ${String(fault.forMs)} ms`;
    case 'duel':
      return `freeze ${fault.victim} until it is taken over`;
    case 'cut':
      return `cut ${fault.line} (${fault.how}) for ${String(fault.forMs)} ms`;
    case 'clock':
      return `clock of ${fault.victim} jumps by ${String(fault.bySeconds)} s`;
    case 'disk':
      return `disk full for ${String(fault.forMs)} ms`;
    case 'render':
      return fault.forMs === 0
        ? `kill -9 ${fault.victim} at a page`
        : `freeze ${fault.victim} at a page for ${String(fault.forMs)} ms`;
    case 'ambush':
      return `kill -9 all workers upon ${fault.upon === 'pause' ? 'a Retry-After' : 'a request that must be waited for'}`;
  }
}
