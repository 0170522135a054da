/** Hosts: their delay, and what state they are in. */
import { z } from 'zod';
import { hostList, hostView, type HostSummary } from '../../contracts/hosts.ts';
import { hostStateNames } from '../../domain/host-state.ts';
import { counted } from '../../domain/counted.ts';
import { outageText } from '../../domain/outage.ts';
import { partThatFits, shortened } from '../bounds.ts';
import { cursor, limit } from '../inputs.ts';
import { tool } from '../tool.ts';

const shown = ({
  origin,
  state,
  queued,
  leased,
  deadLetters,
  delaySeconds,
  slowdown,
  notBefore,
  closedBy,
  opensAt,
  parkedAt,
  failures,
  lastError,
  today,
}: HostSummary) => ({
  origin,
  state,
  queued,
  leased,
  deadLetters,
  delaySeconds,
  slowdown,
  notBefore,
  ...(closedBy !== null && { closedBy, opensAt }),
  ...(parkedAt !== null && { parkedAt }),
  ...(failures > 0 && { failures, lastError }),
  requestsToday: today.requests,
  quotaPerDay: today.quota,
});

export const hosts = tool({
  name: 'hosts',
  title: 'Look at hosts',
  description:
    'Lists hosts that crawls have met, or shows one: state, seconds between two requests (delaySeconds), when the next request may be sent, URLs that wait, trouble. Needs the role of an operator of the instance; explain of a crawl shows its slowest hosts to everybody.',
  input: z.strictObject({
    origin: z.string().max(1_000).optional().describe('One host, such as https://example.com.'),
    state: z.enum(hostStateNames).optional().describe('Only hosts in this state.'),
    limit: limit(30),
    cursor,
  }),
  asks: ['GET /v1/hosts', 'GET /v1/hosts/{origin}'],
  does: 'reads',
  run: async ({ origin, state, limit: most, cursor: after }, { ask }) => {
    if (origin !== undefined) {
      const host = await ask('GET /v1/hosts/{origin}', hostView, { path: { origin } });
      return {
        says: [`The host is ${host.state}; ${counted(host.crawls.length, 'crawl')} with work there.`],
        facts: { state: host.state, delaySeconds: host.delaySeconds, crawls: host.crawls.slice(0, 50) },
        web: [shortened(shown(host)) as object],
      };
    }
    const { items, answer } = await partThatFits<z.output<typeof hostList>>(
      most,
      (asked) => ask('GET /v1/hosts', hostList, { query: { state, limit: asked, cursor: after } }),
      shown,
    );
    return {
      says: [
        `${counted(items.length, 'host')}.`,
        ...(answer.next === null ? [] : [`More follow: ask again with cursor "${answer.next}".`]),
        ...answer.outages.map(outageText),
      ],
      facts: { next: answer.next },
      web: items,
    };
  },
});
