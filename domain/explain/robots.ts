/** What the stored copy of robots.txt says about a URL. */
import { parseRobots, robotsAvailability, rulesForAll } from '../robots.ts';
import { deciding, span, type Decision } from './decision.ts';
import type { ExplainFacts, RobotsFacts } from './facts.ts';

export interface StoredCopy {
  readonly status: number;
  /** Null: the host has no robots.txt, or none could be read. */
  readonly body: string | null;
  readonly fetchedAt: string;
  readonly ageMs: number;
}

/**
 * @param copy null: robots.txt was not read yet
 * @param pathAndQuery as requested
 * @param names that the crawl goes by
 */
export function judgeRobots(
  copy: StoredCopy | null,
  pathAndQuery: string,
  names: readonly string[],
): RobotsFacts {
  const agent = names.join(' and ');
  const silent = { allowed: null, rule: null, line: null, isCut: false };
  if (copy === null) return { status: null, fetchedAt: null, ageMs: null, agent, ...silent };
  const { status, body, fetchedAt, ageMs } = copy;
  const known = { status, fetchedAt, ageMs, agent };
  // A body that was kept through an outage still counts (RFC 9309 §2.3.1.4).
  if (body !== null) {
    const robots = parseRobots(body);
    return { ...known, ...rulesForAll(robots, names).check(pathAndQuery), isCut: robots.isCut };
  }
  const readable = robotsAvailability(status) !== 'unreachable';
  return { ...known, ...silent, allowed: readable ? true : null };
}

export function robotsDecisions({ robots, host, link }: ExplainFacts): Decision[] {
  const file = `${link.host}/robots.txt`;
  if (robots === null || robots.allowed === null) {
    const failed = host?.trouble === 'robots-unreachable' ? host.lastError : null;
    const status = robots?.status ?? null;
    const why = failed ?? (status === null ? null : `it answers ${String(status)}`);
    return [
      deciding(why === null ? 'note' : 'wait')(
        'robots',
        why === null ? 'not-read' : 'unreadable',
        why === null
          ? `${file} has not been read yet; it is read before the first request.`
          : `${file} could not be read, and nothing is fetched until it can be read: ${why}.`,
        {
          status,
          fetchedAt: robots?.fetchedAt ?? null,
          rule: null,
          line: null,
        },
      ),
    ];
  }
  const { allowed, status, fetchedAt, ageMs, agent, rule, line } = robots;
  const cut = robots.isCut ? ' It is longer than the part that is read, and the rest was left out.' : '';
  const copy = ` Copy of ${span(ageMs ?? 0)} ago (${fetchedAt ?? ''}, answered ${String(status)}).`;
  return [
    deciding(allowed ? 'pass' : 'stop')(
      'robots',
      allowed ? 'allowed' : 'disallowed',
      `${file} ${ruling(robots)}.${copy}${cut}`,
      { status, fetchedAt, agent, rule, line },
    ),
  ];
}

function ruling({ allowed, rule, line, status, agent }: RobotsFacts): string {
  if (rule !== null) {
    return `${allowed === true ? 'allows' : 'forbids'} it to ${agent}, line ${String(line)}: ${rule}`;
  }
  const exists = status !== null && status >= 200 && status < 300;
  return exists ? `has no rule for it, so ${agent} may fetch it` : 'is not there, so everything is allowed';
}
