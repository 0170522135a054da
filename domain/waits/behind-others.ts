/** Reasons to wait that are other work: at the host, what goes first there; then our own. The weightiest first. */
import { counted } from '../counted.ts';
import { robotsFreshMs } from '../robots-freshness.ts';
import { instantIn, span } from '../explain/decision.ts';
import { aheadCounted, type HostFacts } from '../explain/facts.ts';
import type { Reason } from './reason.ts';

export const behindOthers = {
  lent: {
    desk: 'the host is lent to another fetcher',
    explain({ host, now }) {
      const leaseMs = host?.leaseMs ?? null;
      if (host === null) return null;
      const lent = lentBecause(host.lentMs, now);
      if (lent !== null)
        return { verdict: 'lent', because: `The host is ${lent}: nobody else asks it meanwhile.`, inMs: 0 };
      const keptMs = host.keptMs ?? 0;
      if ((leaseMs ?? 0) <= 0 && keptMs > 0)
        return {
          verdict: 'lent',
          because: `The next requests are those of another fetcher, for which the host is kept until ${instantIn(now, keptMs)}, unless it comes sooner.`,
          inMs: keptMs,
        };
      if (leaseMs === null) return null;
      if (leaseMs > 0) {
        const because = 'A slice of the host without this URL is being fetched now.';
        return { verdict: 'lease', because, inMs: 0 };
      }
      return {
        verdict: 'lease-lost',
        because: `The lease on the host ran out ${span(-leaseMs)} ago without being returned: the next holder waits ${span(host.delayMs)} first, because a request may still be under way.`,
        inMs: host.delayMs,
      };
    },
  },
  guest: {
    explain({ host }) {
      if (host?.guest !== true) return null;
      const because =
        'The robots.txt of another host redirects to this host, and that one request goes first.';
      return { verdict: 'guest', because, inMs: 0, requests: 1 };
    },
  },
  robots_txt: {
    blame: 'host',
    means: 'reading robots.txt, and waiting while it cannot be read',
    explain({ host, robots }) {
      const ageMs = robots?.ageMs ?? null;
      if (ageMs !== null && ageMs < robotsFreshMs(host?.delayMs ?? 0, host?.robotsKeptMs)) return null;
      const what =
        ageMs === null
          ? 'robots.txt of the host has not been read yet'
          : `The copy of robots.txt is ${span(ageMs)} old`;
      return {
        verdict: 'robots-first',
        because: `${what}: it is requested first, in a request of its own.`,
        inMs: 0,
        requests: host === null ? 0 : 1,
      };
    },
  },
  others: {
    blame: 'ours',
    means: 'requests of other crawls to the same hosts',
    explain({ host }) {
      if (host === null) return null;
      // Crawls take turns: while ours gets through what goes first, each other one gets as many.
      const ofOthers = host.others.reduce((sum, queued) => sum + Math.min(queued, host.ahead), 0);
      const turns =
        host.others.length === 0 ? '' : `; ${counted(host.others.length + 1, 'crawl', 'crawls')} take turns`;
      if (host.ahead === 0) {
        const because = `The URL is the next one of its crawl at this host${turns}.`;
        return host.others.length === 0 ? null : { verdict: 'turns', because, inMs: 0 };
      }
      const many = `${host.ahead >= aheadCounted ? 'At least ' : ''}${counted(host.ahead, 'queued URL', 'queued URLs')}`;
      return {
        verdict: 'queue',
        because: `${many} of this crawl ${host.ahead === 1 ? 'goes' : 'go'} first at this host, ${paceText(host)}${turns}.`,
        inMs: 0,
        requests: host.ahead + ofOthers,
      };
    },
  },
  place: {
    blame: 'ours',
    means: 'waiting for a place among the hosts that are worked at a time',
    explain({ host, crawl, record }) {
      if (host === null || host.fed || crawl.state !== 'running' || (record?.dueMs ?? 0) > 0) return null;
      const isHeld = host.pausedAt !== null || host.parkedAt !== null || host.closed !== null;
      if (isHeld || host.waitMs > 0 || host.turn.inMs > 0) return null;
      const because =
        'No workflow works on the host now: the scheduler starts one when the number of active hosts allows it.';
      return { verdict: 'host-not-fed', because, inMs: 0 };
    },
  },
  slot: { blame: 'ours', means: 'waiting for a worker that begins the visit' },
  answering: {
    blame: 'host',
    means: 'requests under way: from sending each until its answer was complete',
  },
  reading: { blame: 'ours', means: 'waiting until fetched pages were read' },
  own_work: {
    blame: 'ours',
    means: 'our own work between requests: Postgres, the archive, and timers that were late',
  },
  fault: { blame: 'ours', means: 'visits that were lost with their worker, until the next began' },
  unexplained: { blame: 'ours', means: 'time that nothing explains: a fault of ours that nobody knows yet' },
} as const satisfies Readonly<Record<string, Reason>>;

/** Null: the host is on no loan. */
export const lentBecause = (lentMs: number | null | undefined, now: number): string | null =>
  (lentMs ?? 0) > 0 ? `lent to another fetcher until ${instantIn(now, lentMs ?? 0)} at the latest` : null;

/** Milliseconds between two requests of the crawl at the host. */
export const spacingMs = ({ delayMs, turn }: HostFacts): number => Math.max(delayMs, turn.delayMs);

function paceText(host: HostFacts): string {
  const delayMs = spacingMs(host);
  const slowed = host.slowdown > 0 ? ' (slowed down after trouble)' : '';
  return delayMs === 0 ? 'one after another' : `at one request every ${span(delayMs)}${slowed}`;
}
