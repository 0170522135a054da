/** Reasons to wait that end by themselves: times of the URL, of the host and of its groups. The weightiest first. */
import { permitsOf, type Cap } from '../caps.ts';
import { counted } from '../counted.ts';
import { isWhole, outageText } from '../outage.ts';
import { slowedBecause } from '../pressure.ts';
import { reasonText, troubleText } from '../url-reason.ts';
import { instantIn, span, type Wait } from '../explain/decision.ts';
import type { ExplainFacts, HostFacts } from '../explain/facts.ts';
import type { Reason } from './reason.ts';

export const untilATime = {
  retry: {
    blame: 'host',
    means: 'URLs that failed and are tried again later',
    explain({ record, now }) {
      if (record === null || record.dueMs <= 0) return null;
      const after =
        record.reason === null ? '' : ` after its last attempt: ${reasonText(record.reason, record.detail)}`;
      return {
        verdict: 'url-backoff',
        because: `The URL itself is due again at ${instantIn(now, record.dueMs)}${after}.`,
        inMs: record.dueMs,
      };
    },
  },
  outage: {
    blame: 'ours',
    means: 'outages of our own: a disk, DNS or Postgres was out',
    explain({ outages }) {
      if (outages.length === 0) return null;
      // An outage that some workers see holds back nothing for certain.
      return {
        verdict: 'outage',
        because: outages.map(outageText).join(' '),
        inMs: outages.some(isWhole) ? null : 0,
      };
    },
  },
  caps: {
    blame: 'settings',
    means: 'the limits of an address or a domain, over all hosts there',
    explain({ host }) {
      const capped = host?.capped ?? null;
      if (capped === null) return null;
      const { name, inMs, hosts, cap } = capped;
      const isAddress = /^[\d.]+$|:/.test(name);
      return {
        verdict: isAddress ? 'address-cap' : 'domain-cap',
        because: `The host waits for its ${isAddress ? 'address' : 'domain'} ${name}: ${cap === null ? 'the cap that holds there' : capText(cap)} ${hosts > 1 ? `is shared by ${counted(hosts, 'host', 'hosts')} that wait for it now` : 'was reached by other hosts there'}.`,
        inMs,
      };
    },
  },
  pressure: {
    blame: 'ours',
    means: 'slowed down because reading, the database or the disk is behind',
    explain({ host, stages, now }) {
      if (host === null) return null;
      const because = slowedBecause(stages);
      const held = isEased(host)
        ? `The host is left alone until ${instantIn(now, host.waitMs)}, since there was no room for its answers.`
        : null;
      if (because === null && held === null) return null;
      return {
        verdict: 'pressure',
        because: [because, held].filter((part) => part !== null).join(' '),
        inMs: held === null ? 0 : host.waitMs,
      };
    },
  },
  // The waits of a host for its pace and for what it asked for are one, told by what it is most of all.
  delay: { blame: 'settings', means: 'the delay between two requests to one host', explain: hostNotReady },
  crawl_delay: { blame: 'host', means: 'the Crawl-delay that robots.txt asks for' },
  slowdown: { blame: 'host', means: 'longer delays after complaints of the host (429, 503)' },
  retry_after: { blame: 'host', means: 'pauses that hosts asked for (429, 503, Retry-After)' },
  backoff: { blame: 'host', means: 'backing off from hosts in trouble' },
  own_delay: {
    blame: 'settings',
    means: 'the delay of the crawl itself, where it is longer than that of the host',
    explain({ host, now }) {
      if (host === null || host.turn.inMs <= 0) return null;
      const { inMs, reported, delayMs } = host.turn;
      const until = `The crawl has no turn at this host before ${instantIn(now, inMs)}`;
      const [verdict, because] = reported
        ? [
            'host-reported',
            `${until}, or until the host has answered Orbweaver itself: another fetcher of the tenant has reported trouble at the host, or URLs of the tenant alone have met it. This delays no other tenant.`,
          ]
        : [
            'crawl-delay',
            `${until}: its own delay of ${span(delayMs)} has not passed. This delays no other crawl.`,
          ];
      return { verdict, because, inMs };
    },
  },
  windows: {
    blame: 'settings',
    means: 'hosts outside their opening times',
    desk: 'the host is outside its opening times',
    explain: (facts) =>
      closedBy('windows', facts, () => [
        'host-closed',
        'The host is outside the opening times that are set for it',
      ]),
  },
  quota: {
    blame: 'settings',
    means: 'hosts whose requests of the day are spent',
    desk: 'the quota of the host for this day is spent',
    explain: (facts) => closedBy('quota', facts, quotaText),
  },
} as const satisfies Readonly<Record<string, Reason>>;

function capText({ rate, inFlight }: Cap): string {
  const { count } = permitsOf({ rate, inFlight });
  const pace =
    rate < 1
      ? `one request every ${String(Math.round(10 / rate) / 10)} s`
      : `${counted(rate, 'request', 'requests')} per second`;
  return `a cap of ${pace}, ${String(count)} in flight,`;
}

/** The pace may have been measured this many milliseconds apart from the whole wait. */
const paceSlackMs = 50;

/** The host has a wait of its own that the workers gave it because they had no room for its answers. */
const isEased = ({ eased, failures, waitMs, paceMs }: HostFacts): boolean =>
  eased && failures === 0 && waitMs > paceMs + paceSlackMs;

function hostNotReady({ host, now }: ExplainFacts): Wait | null {
  if (host === null || host.waitMs <= 0 || isEased(host)) return null;
  const { waitMs: inMs, failures, lastError } = host;
  const until = `The host may not be visited before ${instantIn(now, inMs)}`;
  if (inMs <= host.paceMs + paceSlackMs) {
    const because = `${until}: its delay of ${span(host.delayMs)} between requests has not passed.`;
    return { verdict: 'host-delay', because, inMs };
  }
  if (failures === 0) {
    const because = `${until}, because the host asked for this time or an operator set it.`;
    return { verdict: 'host-asked', because, inMs };
  }
  const since = host.failingSince === null ? '' : ` since ${host.failingSince}`;
  const asked = host.trouble === 'overloaded';
  return {
    verdict: asked ? 'retry-after' : 'host-backoff',
    because: `${until}, ${asked ? 'by its Retry-After or the backoff' : 'by the backoff'} after ${counted(failures, 'failure', 'failures')} in a row${since}, the last: ${troubleText(lastError ?? 'unknown')}.`,
    inMs,
  };
}

type Closed = NonNullable<HostFacts['closed']>;

function closedBy(
  by: Closed['by'],
  { host, now }: ExplainFacts,
  told: (closed: Closed) => readonly [verdict: string, why: string],
): Wait | null {
  const closed = host?.closed ?? null;
  if (closed?.by !== by) return null;
  const [verdict, why] = told(closed);
  const { inMs } = closed;
  return { verdict, because: `${why}: none is sent before ${instantIn(now, inMs)}.`, inMs };
}

function quotaText({ budget }: Closed): readonly [verdict: string, why: string] {
  if (budget === null) return ['host-quota', "The host's quota of requests for the day is spent"];
  const requests = counted(budget.perDay, 'request', 'requests');
  return budget.later
    ? [
        'host-later',
        `So many requests to the host have failed of late that it is left for later, and its ${requests} a day, which show whether it is mended, are spent`,
      ]
    : ['host-budget', `The ${requests} a day that the quality of the host leaves it are spent`];
}
