/** Hosts: their delay, what state they are in, and trying one again. */
import { z } from 'zod';
import { hostActed, hostList, hostView, type HostSummary } from '../../contracts/hosts.ts';
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

export const retryHost = tool({
  name: 'retry_host',
  title: 'Try a host again',
  description:
    'Has a host tried again that is left alone because of its errors (state parked or backoff), once their cause is mended: its failures are forgotten, and the URLs that were given up for them are queued again, for all crawls. Its delay still holds. Not to hurry a host that only wants to be asked later. Needs the role of an operator of the instance.',
  input: z.strictObject({
    origin: z.string().max(1_000).describe('Such as https://example.com: explain and hosts name it.'),
  }),
  asks: ['POST /v1/hosts/{origin}/retry'],
  does: 'starts',
  run: async ({ origin }, { ask }) => {
    const { outcome, host } = await ask('POST /v1/hosts/{origin}/retry', hostActed, { path: { origin } });
    return {
      says: [
        outcome === 'unchanged'
          ? `There was nothing to forget: the host is ${host.state}.`
          : `The host is tried again${outcome === 'accepted' ? ' as soon as a worker comes to it' : ''}. Call crawl with the id of a crawl to wait for what it brings.`,
      ],
      facts: { outcome, state: host.state },
      web: [shortened(shown(host)) as object],
    };
  },
});
