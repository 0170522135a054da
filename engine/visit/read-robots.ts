/** The rules of a slice: a fresh copy of robots.txt, a new copy, or an older copy while robots.txt cannot be read. */
import { olderRobotsMs } from '../../domain/robots.ts';
import { backoffMs, type TroubleClass } from '../../domain/trouble.ts';
import type { FetchContext } from './fetch-context.ts';
import type { HostRules, HostTrouble } from './host-rules.ts';
import { asWhom } from './fetch-robots.ts';
import type { HostVisit } from './host-visit.ts';

/** Faults that are not only about robots.txt: they hold for every URL of the host. */
export const hostWide: Readonly<Partial<Record<string, TroubleClass>>> = {
  'dns-not-found': 'dns-not-found',
  'dns-unavailable': 'dns-unavailable',
  'connect-refused': 'connect-refused',
  'connect-timeout': 'connect-timeout',
  tls: 'tls',
};

/** @param failures the host's failures in a row so far */
export async function readRobots(
  context: FetchContext,
  visit: HostVisit,
  failures: number,
  signal: AbortSignal,
): Promise<HostRules | HostTrouble | 'interrupted' | { readonly busyMs: number }> {
  const { fresh, older, from } = visit.known;
  if (fresh !== null) return { robots: fresh, refused: null, from };
  const as = asWhom(visit.crawls, visit.crawls[0] ?? context.dependencies.settings);
  const reading = await context.robotsFetcher.fetch(visit, as, signal);
  switch (reading.kind) {
    case 'interrupted':
      return reading.kind;
    case 'busy':
      return { busyMs: reading.waitMs };
    case 'rules':
      visit.known = { fresh: reading.robots, freshMs: reading.freshMs, older, from: reading.from };
      return { robots: reading.robots, refused: null, from: reading.from };
    case 'refused':
      return { robots: null, refused: reading.message, from: null };
    case 'unreachable': {
      const asked = reading.retryAfterMs ?? 0;
      if (older !== null && asked === 0) return { robots: older, refused: null, from };
      const trouble = hostWide[reading.fault ?? ''] ?? 'robots-unreachable';
      return {
        class: trouble,
        message: reading.message,
        waitMs: Math.max(backoffMs(trouble, failures), asked),
      };
    }
  }
}

/** Milliseconds for which a visit may go by what it has read: a copy must not get too old in the course of a long visit. */
export function usableMs({ known }: HostVisit, { robots }: HostRules): number {
  const { fresh, freshMs, older } = known;
  if (fresh !== null) return freshMs;
  return older !== null && robots === older ? olderRobotsMs : Infinity;
}
