/**
 * Judges a crawl that faults have struck: by the web's own log, and by what the product says of itself when it is over.
 * Pure.
 *
 * What a fault excuses. A result is durable before the next request of its host starts, so a process that dies may
 * repeat, of each host, the one request whose answer was not durable yet, and no other; and it may forget what that one
 * answer asked for. Such a request is *in doubt*. Everything else has to be as if nothing had happened.
 */
import { keptBackInWords } from '../../domain/crawl-life.ts';
import { defaultDelayMs } from '../../domain/pace.ts';
import { pageKey, type Expected } from '../web/expected.ts';
import { judge, type Verdict } from '../web/judge.ts';
import { crowdFigure, type Crowd } from './crowds.ts';
import type { RequestRecord } from '../web/log.ts';
import { none, type Figure } from './figure.ts';
import { shellFigures, type FinalShell } from './shells.ts';
import { describe, workers } from './plan.ts';
import type { Strike } from './timeline.ts';

/** A URL as the product has it at the end. */
export interface FinalUrl {
  readonly url: string;
  readonly state: string;
  readonly reason: string | null;
}

export interface Evidence {
  readonly records: readonly RequestRecord[];
  readonly strikes: readonly Strike[];
  readonly expected: Expected;
  /** Milliseconds owed to a host (an authority) between the starts of two requests. */
  readonly delayMs: (host: string) => number;
  readonly leaseMs: number;
  /** Hosts that have a cap together. */
  readonly crowds: readonly Crowd[];
  /**
   * The crawl stood: a page is due again after `floorMs` at the earliest, and so many were queued again. Null: each page
   * is fetched once.
   */
  readonly again: { readonly floorMs: number; readonly queued: number } | null;
  readonly urls: readonly FinalUrl[];
  readonly shells: readonly FinalShell[];
  /** How the crawl ended; null: it did not. */
  readonly ending: string | null;
  /** Parts of sites that are in quarantine, one line each. */
  readonly keptBack: readonly string[];
  /** What an audit found, one line each. */
  readonly auditDifferences: readonly string[];
  /** Hashes of bodies that are named and cannot be read. */
  readonly bodiesLost: readonly string[];
  /** Workflows that did not end well. */
  readonly workflowsFailed: readonly string[];
}

/** An answer is durable after this much time in which Postgres and the workers ran. */
const durableMs = 1_500;

/** A worker that has lost its supervisor is given three seconds to end by itself. */
const orphanMs = 3_500;

/** A Postgres that lost one of its processes has recovered within this. */
const recoveryMs = 2_000;

/** A process that wakes up breaks off what has outlived its lease within this. */
const breakOffMs = 1_500;

/** Pages of a trap that a crawl may take. */
const mostOfCalendar = 200;

const endOf = (record: RequestRecord): number => record.end ?? Infinity;
const isRobots = (record: RequestRecord): boolean => new URL(record.url).pathname === '/robots.txt';
const isAnswer = (record: RequestRecord): boolean =>
  record.status > 0 && record.status < 500 && record.status !== 429;
const line = (record: RequestRecord): string =>
  `${record.start.toFixed(0)}–${record.end === null ? '…' : record.end.toFixed(0)} ${String(record.status)} ${record.url}`;

/** Does the strike make somebody forget, or keep a result from becoming durable? */
function forgets({ fault, hit }: Strike, leaseMs: number): boolean {
  if (!hit) return false;
  switch (fault.kind) {
    case 'kill':
      return !['api', 'temporal', 'redis', 'worker-render'].includes(fault.victim);
    case 'freeze':
      if (fault.victim === 'postgres') return true;
      // A worker that sleeps less keeps its leases; of a longer sleep a quarter may have been over already.
      return ['worker', 'worker-2', 'both'].includes(fault.victim) && fault.forMs > leaseMs / 2;
    case 'cut':
      return fault.line === 'postgres';
    case 'render':
      return false;
    case 'duel':
    case 'clock':
    case 'disk':
    case 'ambush':
      return true;
  }
}

/** Between these, results may wait for something that was away. */
const outagesOf = (strikes: readonly Strike[]): readonly { readonly from: number; readonly to: number }[] =>
  strikes.filter(
    ({ fault, hit }) =>
      hit &&
      ((fault.kind === 'kill' && ['postgres', 'postgres-backend', 'services'].includes(fault.victim)) ||
        fault.kind === 'duel' ||
        (fault.kind === 'freeze' && !['api', 'temporal', 'redis'].includes(fault.victim)) ||
        (fault.kind === 'cut' && fault.line === 'postgres')),
  );

/** How long before the strike an answer may have come that it cost. A clock costs only what it breaks off. */
const graceMs = ({ fault }: Strike): number => (fault.kind === 'clock' ? 0 : durableMs);

/** Of a host's requests since the strike began, those whose answers it may have cost. */
function doubtfulAfter({ fault, from, to }: Strike, since: readonly RequestRecord[]): RequestRecord[] {
  const until = (end: number): RequestRecord[] => since.filter(({ start }) => start <= end);
  const ends = (list: RequestRecord[]): RequestRecord[] => [...list.slice(0, 1), ...list.slice(-1)];
  switch (fault.kind) {
    case 'disk':
      // A worker notices by the first body that does not fit, and then asks for no more.
      return until(to).slice(0, workers.length);
    case 'cut':
      return until(to).slice(0, 1);
    case 'kill':
      // What is killed through its supervisor goes some time later, and nobody knows when.
      if (fault.victim === 'supervisor') return ends(until(from + orphanMs));
      if (fault.victim === 'services') return ends(until(to));
      // The others are ended with it, and the server recovers, when the fault itself is long over.
      if (fault.victim === 'postgres-backend') return until(to + recoveryMs).slice(0, 1);
      return fault.victim === 'postgres' ? until(to).slice(0, 1) : [];
    case 'freeze':
      return fault.victim === 'postgres' ? until(to).slice(0, 1) : [];
    case 'duel':
    case 'clock':
    case 'ambush':
    case 'render':
      return [];
  }
}

/** The requests of each strike that were in doubt, at most one a host at a time. */
class Doubts {
  readonly #byStrike: readonly (readonly [Strike, ReadonlySet<RequestRecord>])[];

  constructor(records: readonly RequestRecord[], strikes: readonly Strike[], leaseMs: number) {
    const hosts = Map.groupBy(records, (record) => record.host);
    const outages = outagesOf(strikes);
    const calmMs = (from: number, to: number): number =>
      outages.reduce(
        (calm, outage) => calm - Math.max(0, Math.min(to, outage.to) - Math.max(from, outage.from)),
        to - from,
      );
    this.#byStrike = strikes
      .filter((strike) => forgets(strike, leaseMs))
      .map((strike) => {
        const doubtful = new Set<RequestRecord>();
        for (const list of hosts.values()) {
          const before = list.filter(({ start }) => start <= strike.from).at(-1);
          if (before !== undefined && calmMs(endOf(before), strike.from) < graceMs(strike))
            doubtful.add(before);
          const since = list.filter(({ start }) => start > strike.from);
          for (const record of doubtfulAfter(strike, since)) doubtful.add(record);
        }
        return [strike, doubtful] as const;
      });
  }

  get count(): number {
    return this.#byStrike.reduce((sum, [, doubtful]) => sum + doubtful.size, 0);
  }

  /** Of these, the ones whose answer was not out yet when the fault struck. */
  get onTheWire(): number {
    return this.#byStrike.reduce(
      (sum, [{ from }, doubtful]) => sum + [...doubtful].filter((record) => endOf(record) > from).length,
      0,
    );
  }

  get strikes(): number {
    return this.#byStrike.length;
  }

  /** May this request have to be sent again? */
  mayRepeat(record: RequestRecord): boolean {
    return this.#byStrike.some(([, doubtful]) => doubtful.has(record));
  }

  /** May what this answer asked for be forgotten? Not what was heard before the strike; a body's loss is no excuse. */
  mayForget(record: RequestRecord): boolean {
    return this.#byStrike.some(
      ([{ fault, heard }, doubtful]) =>
        fault.kind !== 'disk' && doubtful.has(record) && !heard.includes(record.host),
    );
  }
}

/**
 * How many answers were followed by another for the same page or robots.txt, and those that no fault made necessary;
 * and how many were asked for because the page was due again.
 */
function repeatsOf(
  records: readonly RequestRecord[],
  { expected, again }: Evidence,
  doubts: Doubts,
): { readonly repeats: number; readonly inexcusable: string[]; readonly due: number } {
  const lists = Map.groupBy(records.filter(isAnswer), (record) =>
    isRobots(record) ? record.url : pageKey(record.url),
  );
  const details: string[] = [];
  let [repeats, due] = [0, 0];
  for (const [key, list] of lists) {
    // Hosts and traps that fail are asked again, and a parked host is probed.
    if (expected.optional(key)) continue;
    for (const [at, record] of list.slice(0, -1).entries()) {
      const gap = (list[at + 1]?.start ?? 0) - record.start;
      if (again !== null && !isRobots(record) && gap >= again.floorMs) {
        due++;
        continue;
      }
      repeats++;
      if (!doubts.mayRepeat(record)) {
        const next = list[at + 1];
        details.push(`${line(record)}, and again ${next === undefined ? '' : line(next)}`);
      }
    }
  }
  return { repeats, inexcusable: details, due };
}

/**
 * Complaints that are their page's own: it complained before, and others of its host were answered well since
 * (docs/design.md, "Trouble"). They bind that page and no other.
 */
function ownComplaints(records: readonly RequestRecord[]): Set<RequestRecord> {
  const own = new Set<RequestRecord>();
  for (const list of Map.groupBy(records, (record) => record.host).values()) {
    const complained = new Set<string>();
    const vouched = new Set<string>();
    for (const record of list) {
      if (record.retryAfterMs !== undefined) {
        if (vouched.has(record.url)) own.add(record);
        complained.add(record.url);
      } else if (isAnswer(record) && !isRobots(record)) for (const url of complained) vouched.add(url);
    }
  }
  return own;
}

function withoutAsking(record: RequestRecord): RequestRecord {
  const { retryAfterMs, ...rest } = record;
  return retryAfterMs === undefined ? record : rest;
}

/** Pages asked for again sooner than they themselves asked for. @param own complaints of pages */
const eagerPages = (records: readonly RequestRecord[], own: ReadonlySet<RequestRecord>): string[] =>
  [...own].flatMap((first) => {
    const due = endOf(first) + (first.retryAfterMs ?? 0);
    const next = records.find(({ url, start }) => url === first.url && start > first.start && start < due);
    return next === undefined ? [] : [`${line(first)}, and itself again ${line(next)}`];
  });

/**
 * Requests sooner than the delay of the host, and sooner than what it has become: after each 429 or 503 it is twice as
 * long, but for one that follows another with no good page in between, which is the backoff's (hosts of this web are done
 * before one doubling is taken back). A host's own delay is owed once its robots.txt has been read, durably; until then
 * the usual one.
 */
function hurriesOf(
  records: readonly RequestRecord[],
  delayMs: Evidence['delayMs'],
  doubts: Doubts,
): { readonly tooSoon: string[]; readonly forgotten: string[] } {
  const tooSoon: string[] = [];
  const forgotten: string[] = [];
  for (const [host, list] of Map.groupBy(records, (record) => record.host)) {
    const own = delayMs(host);
    let plain = Math.min(own, defaultDelayMs);
    let [slowdowns, isInARow] = [0, false];
    let previous: RequestRecord | undefined;
    for (const record of list) {
      const owed = slowdowns === 0 ? plain : Math.max(plain, defaultDelayMs) * 2 ** slowdowns;
      const gap = previous === undefined ? Infinity : record.start - previous.start;
      if (previous !== undefined && gap < owed) {
        const what = `${line(record)} ${gap.toFixed(1)} ms after ${line(previous)}, owed ${String(owed)}`;
        (gap < plain ? tooSoon : forgotten).push(what);
      }
      if (isRobots(record) && isAnswer(record) && !doubts.mayRepeat(record)) plain = own;
      if (record.retryAfterMs !== undefined) {
        if (!isInARow) slowdowns++;
        isInARow = true;
      } else if (isAnswer(record) && !isRobots(record)) isInARow = false;
      previous = record;
    }
  }
  return { tooSoon, forgotten };
}

/**
 * A request a frozen process held open all the while: nobody could break it off, and the host of a take-over is not
 * made to wait for it longer than the lease.
 */
function isHeldByFrozen(first: RequestRecord, second: RequestRecord, strikes: readonly Strike[]): boolean {
  return strikes.some(
    ({ fault, from, to, hit }) =>
      hit &&
      (fault.kind === 'freeze' || fault.kind === 'duel') &&
      first.start <= from &&
      endOf(first) >= Math.min(to, second.start) &&
      second.start > from &&
      second.start < to + breakOffMs,
  );
}

const settledStates = ['done', 'dead', 'excluded'];
/** A redirect that leads round and round is a result. */
const isSettled = ({ state, reason }: FinalUrl): boolean =>
  settledStates.includes(state) || (state === 'failed' && reason === 'redirect-loop');

function lostUrls({ expected, urls }: Evidence, verdict: Verdict): string[] {
  const byKey = new Map(urls.map((url) => [pageKey(url.url), url]));
  const lost = [...expected.must].flatMap((key) => {
    const final = byKey.get(key);
    if (final === undefined) return [`${key}: never found`];
    return isSettled(final) ? [] : [`${key}: ${final.state}, ${final.reason ?? 'no reason'}`];
  });
  return [...lost, ...verdict.missing.map((key) => `${key}: never answered`)];
}

const pairLine = ({ first, second, gapMs }: Verdict['overlaps'][number]): string =>
  `${first} then ${second} (${gapMs.toFixed(1)} ms)`;

/** Pages of a standing crawl are fetched again, and none that was not queued for it. */
function dueAgain(due: number, queued: number, doubtful: number): Figure {
  const ok = due > 0 && due <= queued + doubtful;
  const value = `${String(due)} ≤ ${String(queued)} queued again + ${String(doubtful)} in doubt`;
  return { name: 'pages fetched again', value, ok, details: ok ? [] : [value] };
}

const isOfCalendar = (url: string): boolean => new URL(url).pathname.startsWith('/calendar/');

/** A calendar has no end, and is noticed by its pages whatever is forgotten of them. */
function calendarPages(records: readonly RequestRecord[]): Figure {
  const months = new Set(records.map(({ url }) => url).filter(isOfCalendar)).size;
  const value = `${String(months)} ≤ ${String(mostOfCalendar)}`;
  return { name: 'pages of an endless calendar', value, ok: months <= mostOfCalendar, details: [value] };
}

export function figuresOf(evidence: Evidence): Figure[] {
  const { records: all, strikes, expected, delayMs, leaseMs } = evidence;
  const records = all.toSorted((a, b) => a.start - b.start);
  const doubts = new Doubts(records, strikes, leaseMs);
  const forgotten = records.filter((record) => record.retryAfterMs !== undefined && doubts.mayForget(record));
  const own = ownComplaints(records.filter((record) => !forgotten.includes(record)));
  const binding = records.map((record) => (own.has(record) ? withoutAsking(record) : record));
  const heard = binding.map((record) => (forgotten.includes(record) ? withoutAsking(record) : record));
  const verdict = judge(heard, { delayMs: 0, expected });
  const lostPauses = judge(binding, { delayMs: 0 }).tooEager.length - verdict.tooEager.length;

  const find = (url: string, gap: (record: RequestRecord) => boolean): RequestRecord | undefined =>
    records.find((record) => record.url === url && gap(record));
  const overlaps = verdict.overlaps.map((pair) => {
    const second = find(pair.second, (record) =>
      records.some((first) => first.url === pair.first && record.start - first.start === pair.gapMs),
    );
    const first = second && find(pair.first, (record) => second.start - record.start === pair.gapMs);
    return {
      pair,
      excused: first !== undefined && second !== undefined && isHeldByFrozen(first, second, strikes),
    };
  });
  const trueOverlaps = overlaps.filter(({ excused }) => !excused).map(({ pair }) => pairLine(pair));
  const { repeats, inexcusable, due } = repeatsOf(records, evidence, doubts);
  const lost = lostUrls(evidence, verdict);
  const calendars = new Set(records.filter(({ url }) => isOfCalendar(url)).map(({ host }) => host)).size;
  // What is kept back of an endless calendar is the only thing that a whole crawl lacks, and it says so.
  const whole = `finished, ${calendars === 0 ? 'complete' : keptBackInWords(calendars)}`;
  const pauses = records.filter(({ retryAfterMs }) => retryAfterMs !== undefined).length;
  const hurries = hurriesOf(heard, delayMs, doubts);
  return [
    {
      name: 'the crawl finished by itself',
      value: evidence.ending ?? 'no',
      ok: evidence.ending === whole,
      details:
        evidence.ending === whole ? [] : [evidence.ending ?? 'it was still going on', ...evidence.keptBack],
    },
    none('URLs lost', lost, ` of ${String(expected.must.size)}`),
    none('URLs nobody linked to, or forbidden', [...verdict.unexpected, ...verdict.disallowed]),
    none('differences of the ledger to a recount', evidence.auditDifferences),
    none('bodies lost', evidence.bodiesLost),
    none('workflows that failed', evidence.workflowsFailed),
    none(
      'overlapping requests',
      trueOverlaps,
      overlaps.length > trueOverlaps.length
        ? ` (${String(overlaps.length - trueOverlaps.length)} held open by a frozen process)`
        : '',
    ),
    none('requests sooner than the delay', hurries.tooSoon, ` of ${String(records.length)}`),
    ...evidence.crowds.map((crowd) => crowdFigure(crowd, records, strikes, leaseMs)),
    none('hosts asked before their robots.txt', verdict.robotsNotFirst),
    none(
      'Retry-After not kept',
      [...verdict.tooEager.map(pairLine), ...eagerPages(records, own)],
      ` of ${String(pauses)}${own.size === 0 ? '' : ` (${String(own.size)} of one page)`}${forgotten.length === 0 ? '' : `, ${String(forgotten.length)} in doubt at a fault, ${String(lostPauses)} lost with it`}`,
    ),
    none('learned delays not kept', hurries.forgotten),
    {
      name: 'answers repeated',
      value: `${String(repeats)} ≤ ${String(doubts.count)} in doubt (${String(doubts.onTheWire)} of them on the wire) at ${String(doubts.strikes)} faults`,
      ok: inexcusable.length === 0 && repeats <= doubts.count,
      details: inexcusable,
    },
    calendarPages(records),
    ...shellFigures(evidence.shells),
    ...(evidence.again === null ? [] : [dueAgain(due, evidence.again.queued, doubts.count)]),
  ];
}

/** For the timeline: what each strike was, and what it met. */
export const strikeLine = ({ fault, from, to, note, hit }: Strike): string =>
  `${from.toFixed(0)}–${Number.isFinite(to) ? to.toFixed(0) : '…'} ${hit ? '' : 'missed: '}${describe(fault)} [${note}]`;
