/**
 * Judges a crawl by the web's own log. Pure: records in, verdict out. Two requests of a host belong together whatever
 * they ask for, robots.txt included (RFC 9309 says nothing of pace; a host feels every request alike).
 */
import { pageKey, type Expected } from './expected.ts';
import type { RequestRecord } from './log.ts';

/** Two requests of one host, the earlier first. */
interface Pair {
  readonly host: string;
  readonly first: string;
  readonly second: string;
  /** Start of the second minus start of the first, in milliseconds. */
  readonly gapMs: number;
}

export interface Verdict {
  readonly requests: number;
  readonly hosts: number;
  /** The second began before the first had ended. */
  readonly overlaps: readonly Pair[];
  /** The second began less than the delay after the first began. */
  readonly tooSoon: readonly Pair[];
  /** Smallest gap between two starts on one host; null when no host was asked twice. */
  readonly minGapMs: number | null;
  /** Came back before the Retry-After of an earlier answer was over. */
  readonly tooEager: readonly Pair[];
  /** Hosts of which another URL was asked for before robots.txt had been answered. */
  readonly robotsNotFirst: readonly string[];
  /** Hosts whose robots.txt was answered more than once, with how often; 429 and 5xx are not answers. */
  readonly robotsRepeated: ReadonlyMap<string, number>;
  /** URLs forbidden by robots.txt, yet fetched. */
  readonly disallowed: readonly string[];
  /** Keys answered more than once, with how often; 429 and 5xx are not answers. */
  readonly repeated: ReadonlyMap<string, number>;
  /** Keys that had to be fetched and were not. */
  readonly missing: readonly string[];
  /** Keys that no polite crawl finds: behind nofollow, out of scope, or made up. */
  readonly unexpected: readonly string[];
}

export interface Terms {
  /** Milliseconds owed to a host between the starts of two requests. */
  readonly delayMs: number | ((host: string) => number);
  /** Without it nothing is missing, unexpected or disallowed. */
  readonly expected?: Expected;
}

const isRobots = (record: RequestRecord): boolean => new URL(record.url).pathname === '/robots.txt';

const isAnswer = (record: RequestRecord): boolean =>
  record.status > 0 && record.status < 500 && record.status !== 429;

/** Endless for a request that is still in flight. */
const endOf = (record: RequestRecord): number => record.end ?? Infinity;

function byHost(records: readonly RequestRecord[]): Map<string, RequestRecord[]> {
  const hosts = new Map<string, RequestRecord[]>();
  for (const record of records) {
    const list = hosts.get(record.host);
    if (list === undefined) hosts.set(record.host, [record]);
    else list.push(record);
  }
  for (const list of hosts.values()) list.sort((a, b) => a.start - b.start);
  return hosts;
}

/** Which pace rules the requests of one host, in order of start, broke. */
function judgePace(list: readonly RequestRecord[], delayMs: number) {
  const overlaps: Pair[] = [];
  const tooSoon: Pair[] = [];
  const tooEager: Pair[] = [];
  let minGapMs = Infinity;
  let previous: RequestRecord | undefined;
  let longest: RequestRecord | undefined;
  let barred: { record: RequestRecord; until: number } | undefined;
  for (const record of list) {
    const pair = (first: RequestRecord): Pair => ({
      host: record.host,
      first: first.url,
      second: record.url,
      gapMs: record.start - first.start,
    });
    if (previous !== undefined) {
      const gap = record.start - previous.start;
      minGapMs = Math.min(minGapMs, gap);
      if (gap < delayMs) tooSoon.push(pair(previous));
    }
    // The one with the latest end overlaps if any does.
    if (longest !== undefined && record.start < endOf(longest)) overlaps.push(pair(longest));
    if (barred !== undefined && record.start < barred.until) tooEager.push(pair(barred.record));
    previous = record;
    if (longest === undefined || endOf(record) > endOf(longest)) longest = record;
    if (record.retryAfterMs !== undefined && record.end !== null) {
      const until = record.end + record.retryAfterMs;
      if (barred === undefined || until > barred.until) barred = { record, until };
    }
  }
  return { overlaps, tooSoon, tooEager, minGapMs };
}

/** robots.txt has been answered before anything else is asked for. */
function robotsCameFirst(list: readonly RequestRecord[]): boolean {
  const other = list.find((record) => !isRobots(record));
  if (other === undefined) return true;
  return list.some((record) => isRobots(record) && endOf(record) <= other.start);
}

function moreThanOnce(counts: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...counts].filter(([, times]) => times > 1));
}

export function judge(records: readonly RequestRecord[], terms: Terms): Verdict {
  const { expected } = terms;
  const hosts = byHost(records);
  const overlaps: Pair[] = [];
  const tooSoon: Pair[] = [];
  const tooEager: Pair[] = [];
  const robotsNotFirst: string[] = [];
  const robots = new Map<string, number>();
  let minGapMs = Infinity;
  for (const [host, list] of hosts) {
    const delayMs = typeof terms.delayMs === 'number' ? terms.delayMs : terms.delayMs(host);
    const pace = judgePace(list, delayMs);
    overlaps.push(...pace.overlaps);
    tooSoon.push(...pace.tooSoon);
    tooEager.push(...pace.tooEager);
    minGapMs = Math.min(minGapMs, pace.minGapMs);
    if (!robotsCameFirst(list)) robotsNotFirst.push(host);
    robots.set(host, list.filter((record) => isRobots(record) && isAnswer(record)).length);
  }

  const asked = new Set<string>();
  const answered = new Map<string, number>();
  for (const record of records) {
    if (isRobots(record)) continue;
    const key = pageKey(record.url);
    asked.add(key);
    if (isAnswer(record)) answered.set(key, (answered.get(key) ?? 0) + 1);
  }
  const keys = [...asked];
  const judged = (keep: (key: string, by: Expected) => boolean): string[] =>
    expected === undefined ? [] : keys.filter((key) => keep(key, expected));
  return {
    requests: records.length,
    hosts: hosts.size,
    overlaps,
    tooSoon,
    minGapMs: minGapMs === Infinity ? null : minGapMs,
    tooEager,
    robotsNotFirst,
    robotsRepeated: moreThanOnce(robots),
    disallowed: judged((key, by) => by.disallowed.has(key)),
    repeated: new Map(
      [...moreThanOnce(answered)].filter(([key]) => expected === undefined || !expected.optional(key)),
    ),
    missing: expected === undefined ? [] : [...expected.must].filter((key) => !answered.has(key)),
    unexpected: judged((key, by) => !by.must.has(key) && !by.disallowed.has(key) && !by.optional(key)),
  };
}

/** One line for each rule that was broken, with up to three examples; empty for a polite and whole crawl. */
export function complaints(verdict: Verdict): string[] {
  const lines: string[] = [];
  const say = (what: string, cases: readonly string[]): void => {
    if (cases.length > 0) lines.push(`${String(cases.length)} ${what}: ${cases.slice(0, 3).join(', ')}`);
  };
  const pairs = (list: readonly Pair[]): string[] =>
    list.map(({ first, second, gapMs }) => `${first} then ${second} (${gapMs.toFixed(1)} ms)`);
  const times = (map: ReadonlyMap<string, number>): string[] =>
    [...map].map(([name, count]) => `${name} × ${String(count)}`);
  say('overlapping requests', pairs(verdict.overlaps));
  say('requests too soon', pairs(verdict.tooSoon));
  say('requests before Retry-After was over', pairs(verdict.tooEager));
  say('hosts asked before their robots.txt', verdict.robotsNotFirst);
  say('hosts asked for robots.txt again', times(verdict.robotsRepeated));
  say('disallowed URLs fetched', verdict.disallowed);
  say('URLs fetched more than once', times(verdict.repeated));
  say('URLs missing', verdict.missing);
  say('unexpected URLs', verdict.unexpected);
  return lines;
}
