/**
 * SQL that splits the time since a crawl's account at a host ends, or since the crawl has work there, by what the rows of
 * the host and of the queue say was waited for: one reason after another, each until it ended, as `splitWait` does
 * (domain/time-lost.ts). It holds until the next visit, which changes these rows.
 *
 * `offset 0` keeps each step a row of its own. Without it Postgres writes every step into all that come after it: the
 * plan takes 90 ms instead of 4, once for each connection and some times over, and each use 0.9 ms instead of 0.25.
 */
import { defaultDailyQuota } from '../../domain/quota.ts';
import { pauseCauses, timeCauseNames, type TimeCause } from '../../domain/time-lost.ts';
import { hostQuota } from '../hosts/index.ts';

/** The account ends with the request of the door, after which the host is known if it answers. */
const wasAtDoor = `coalesce(h.known_at is null or h.known_at >= t.until - interval '1 second', false)`;
const isCrawlDelay = 'coalesce(t.crawl_delay > t.delay, false)';
const isPaused = 'case when h.not_before > h.paced_until then h.not_before end';
const isQuota = `h.requests_used >= coalesce(${hostQuota('h.')}, ${String(defaultDailyQuota)})`;
const baseEnds = `case when h.slowdown > 0
                       then least(h.paced_until, h.asked_at + coalesce(h.base_delay_ms, 0) * interval '1 millisecond')
                       else h.paced_until end`;

/** The latest outage, if one is known: one look for all hosts of a statement. */
const outBegan = `coalesce((select since from last_outage), '-infinity')`;
const outEnded = '(select until from last_outage)';
const placeCame = `case when h.fed then h.fed_at else 'infinity' end`;
/** The longest that the queues of Temporal and of the workers hold up a visit: what takes longer, nothing explains. */
const longestSlot = `interval '5 minutes'`;

/**
 * What is waited for, and until when; null: it is not waited for. `{before}` is when the reason before it ended. A host
 * waits for its place, and then for a worker; what an outage takes of both is the outage's.
 */
const steps: readonly (readonly [TimeCause, string])[] = [
  ...Object.entries(pauseCauses).map(
    ([trouble, cause]) =>
      [cause, `case when h.failures > 0 and h.trouble = '${trouble}' then ${isPaused} end`] as const,
  ),
  ['pressure', `case when h.failures = 0 and h.eased then ${isPaused} end`],
  // Nobody but the door has asked the host yet, and the host asked for time.
  ['robots_txt', `case when ${wasAtDoor} and h.failures = 0 then ${isPaused} end`],
  ['caps', `case when h.failures = 0 then ${isPaused} end`],
  ['backoff', isPaused],
  ['delay', `case when not ${isCrawlDelay} then ${baseEnds} end`],
  ['crawl_delay', `case when ${isCrawlDelay} then ${baseEnds} end`],
  ['slowdown', 'h.paced_until'],
  ['quota', `case when ${isQuota} then h.closed_until end`],
  ['windows', 'h.closed_until'],
  ['own_delay', 'q.own_turn_at'],
  ['logged_out', `case when q.logged_out_at is not null then timestamptz 'infinity' end`],
  ['backoff', 'q.held_until'],
  [
    'retry',
    `case when not h.fed and q.turn_at > now() and not coalesce(h.lease_until > now(), false) then timestamptz 'infinity' end`,
  ],
  ['place', `least(${placeCame}, ${outBegan})`],
  ['slot', `least({before} + ${longestSlot}, ${outBegan})`],
  ['unexplained', outBegan],
  ['outage', outEnded],
  ['place', placeCame],
  ['slot', `{before} + ${longestSlot}`],
  ['unexplained', `timestamptz 'infinity'`],
];

const seconds = (from: string, to: string): string => `extract(epoch from ${to} - ${from})::float8`;

/**
 * Joins `open`, a row with the seconds of each cause, to the rows of the queue `q`, its host `h`, its crawl `c` and its
 * account `t`, which may be missing.
 */
export const openWaits: string = (() => {
  const last = steps.length;
  const points = steps.map(
    ([, until], at) =>
      `cross join lateral (select greatest(p${String(at)}.at, least(s.at, coalesce(${until.replaceAll('{before}', `p${String(at)}.at`)}, '-infinity'))) as at offset 0) p${String(at + 1)}`,
  );
  const parts = (cause: TimeCause): readonly string[] => [
    ...steps.flatMap(([of], at) =>
      of === cause ? [seconds(`p${String(at)}.at`, `p${String(at + 1)}.at`)] : [],
    ),
    ...(cause === 'parked'
      ? [`case when h.parked_at is not null then ${seconds('s.at', 'e.at')} else 0 end`]
      : []),
    ...(cause === 'paused'
      ? [`case when h.parked_at is null then ${seconds('s.at', 'e.at')} else 0 end`]
      : []),
  ];
  const columns = timeCauseNames.map((cause) => {
    const sum = parts(cause);
    return `${sum.length === 0 ? '0::float8' : sum.join(' + ')} as ${cause}`;
  });
  return `cross join lateral (select greatest(q.work_at, t.until, c.started_at, c.resumed_at) as at offset 0) b
     cross join lateral (select greatest(b.at, coalesce(c.rests_since, now())) as at offset 0) e
     cross join lateral (select greatest(b.at, least(e.at, h.parked_at, h.paused_at)) as at offset 0) s
     cross join lateral (select b.at offset 0) p0
     ${points.join('\n     ')}
     cross join lateral (select ${columns.join(', ')}, p${String(last)}.at as counted_to) open`;
})();
