/** robots.txt of a host: the copy that holds, what it says of a URL, and reading it again. */
import { hostChanged, hostPath } from '../../contracts/hosts.ts';
import { hostRobots, robotsQuery } from '../../contracts/http/host-robots.ts';
import { judgeRobots } from '../../domain/explain/robots.ts';
import { namesOf, parseRobots, rulesForAll } from '../../domain/robots.ts';
import { canonicalize, pathAndQuery } from '../../domain/url.ts';
import { askRobots, hostIds, loadRobots, readHost } from '../../storage/hosts/index.ts';
import { wake } from '../wake.ts';
import { instance } from '../way-in/access.ts';
import { noteForAudit } from '../way-in/audit-log.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json, tagged } from './answers.ts';
import { noOrigin, noSuchHost, unknownHost } from './hosts.ts';
import { route } from './route.ts';

const ofOneHost = {
  path: '/v1/hosts/{origin}/robots',
  access: instance('operator', 'hosts'),
  params: hostPath,
} as const;

export const hostRobotsRoutes = [
  route({
    method: 'GET',
    ...ofOneHost,
    id: 'getRobots',
    summary: 'The robots.txt of a host as it holds now, and whether it lets a URL be fetched',
    query: robotsQuery,
    answers: {
      200: json('The stored copy.', hostRobots),
      400: noOrigin,
      404: unknownHost,
      422: fails('The URL cannot be crawled, or is of another host.'),
    },
    handler:
      ({ pool, settings }) =>
      async ({ params: { origin }, query: { url, agent } }) => {
        const asked = url === undefined ? null : pathAt(origin, url);
        const [known] = await hostIds(pool, [origin]);
        if (known === undefined) return noSuchHost(origin);
        const [row] = await loadRobots(pool, String(known.id));
        const names = namesOf(settings.userAgent, agent ?? settings.userAgent);
        const robots = parseRobots(row?.body ?? '');
        const copy = row && {
          status: row.status,
          body: row.body,
          fetchedAt: row.fetched_at.toISOString(),
          ageMs: row.age_ms,
        };
        return {
          origin,
          status: copy?.status ?? null,
          fetchedAt: copy?.fetchedAt ?? null,
          body: copy?.body ?? null,
          isCut: robots.isCut,
          agent: names.join(' and '),
          crawlDelaySeconds: rulesForAll(robots, names).crawlDelaySeconds,
          sitemaps: [...robots.sitemaps],
          verdict: asked === null ? null : verdictOn(asked, judgeRobots(copy ?? null, asked, names)),
        };
      },
  }),
  route({
    method: 'POST',
    ...ofOneHost,
    id: 'rereadRobots',
    summary: 'Read the robots.txt of a host again before the next request to it',
    answers: { 200: tagged('The host as it is now.', hostChanged), 400: noOrigin, 404: unknownHost },
    handler:
      (parts) =>
      async ({ params: { origin }, response }) => {
        const { pool, log, settings } = parts;
        const asked = await askRobots(pool, origin);
        const host =
          (asked.length === 0 ? null : await readHost(pool, origin, settings.regions)) ?? noSuchHost(origin);
        log.info({ host: origin }, 'the robots.txt of a host will be read again');
        const woken = await wake(parts, origin);
        noteForAudit(response, 'robots.txt will be read again');
        return { ...host, body: { ...host.body, woken } };
      },
  }),
];

const verdictOn = (
  path: string,
  { allowed, rule, line }: Pick<ReturnType<typeof judgeRobots>, 'allowed' | 'rule' | 'line'>,
) => ({ path, allowed, rule, line });

/** Path and query as they would be requested. @throws HttpProblem */
function pathAt(origin: string, url: string): string {
  const read = canonicalize(url.startsWith('/') ? origin + url : url);
  const message = !read.ok
    ? `it cannot be crawled: ${read.rejected}`
    : read.value.host === origin
      ? null
      : `it is a URL of ${read.value.host}`;
  if (!read.ok || message !== null)
    throw new HttpProblem(422, `url: ${message ?? ''}.`, {
      errors: [{ path: 'url', message: message ?? '' }],
    });
  return pathAndQuery(read.value);
}
