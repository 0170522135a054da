/**
 * A rule of politeness is one gate in one list (engine/visit/gates.ts): whoever visits a host passes it. Each visitor is
 * shown a gate that says "not now", at either look that all of them take, and sends nothing; without it, it sends.
 */
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { noCaps } from '../../../engine/caps/cap-book.ts';
import { askHost } from '../../../engine/door/ask-host.ts';
import { HostVisit } from '../../../engine/visit/host-visit.ts';
import { lend } from '../../../engine/lending/lend.ts';
import { LendingContext } from '../../../engine/lending/context.ts';
import { FetchContext } from '../../../engine/visit/fetch-context.ts';
import { failureTypes } from '../../../contracts/failures.ts';
import { gates, type Gate } from '../../../engine/visit/gates.ts';
import { parkHost } from '../../../storage/hosts/index.ts';
import { changeHost, fromNow } from '../../support/database/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { redirect, startSite, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

interface Visited {
  readonly site: Site;
  readonly host: HostRow;
  readonly crawl: number;
}

async function visited(): Promise<Visited> {
  const { site, host, crawl } = await fetching.site(['/a']);
  return { site, host, crawl };
}

/** Has been visited before, so that its robots.txt is known. */
async function known(): Promise<Visited> {
  const one = await visited();
  await fetching.role().fetchSlice(one.host);
  await fetching.queue(one.crawl, one.host, '/b');
  return one;
}

interface Visitor {
  readonly ready: () => Promise<Visited>;
  /** Answers whether anything left, or was handed out, for the host. */
  readonly visits: (at: Visited, through: readonly Gate[]) => Promise<boolean>;
}

/** Are there more requests after it than before? */
const asked = async ({ site }: Visited, visit: () => Promise<unknown>): Promise<boolean> => {
  const before = site.paths().length;
  await visit();
  return site.paths().length > before;
};

const visitors: Record<string, Visitor> = {
  slice: {
    ready: known,
    visits: (at, through) => asked(at, () => fetching.role({}, { gates: through }).fetchSlice(at.host)),
  },
  probe: {
    ready: async () => {
      const one = await visited();
      await parkHost(pool, one.host.hostId, 'timeout: it took too long', ['timeout']);
      return one;
    },
    visits: (at, through) =>
      asked(at, () =>
        fetching
          .role({}, { gates: through })
          .probeHost(at.host)
          // One that was kept back at the last moment is tried again by its workflow.
          .catch((error: unknown) => {
            expect(error).toMatchObject({ type: failureTypes.interrupted });
          }),
      ),
  },
  door: {
    ready: visited,
    visits: (at, through) =>
      asked(at, async () => {
        const context = new FetchContext(fetching.dependencies({}, { gates: through }));
        const { signal } = new AbortController();
        const lease = await context.keeper.take(at.host.hostId, 0, signal);
        if (lease === null) throw new Error('the host is not free');
        const visit = new HostVisit(context.dependencies, lease, at.site.origin, signal);
        await askHost(context, visit, [at.crawl], 1, signal);
      }),
  },
  'guest that reads a robots.txt': {
    ready: visited,
    visits: (at, through) =>
      asked(at, async () => {
        const guest = await startSite({ '/robots.txt': redirect(`${at.site.origin}/robots.txt`) });
        const host = await fetching.host(guest.origin);
        await fetching.queue(at.crawl, host, '/a');
        await fetching.role({}, { gates: through }).fetchSlice(host);
        expect(guest.paths()).toContain('/robots.txt');
      }),
  },
  loan: {
    ready: known,
    visits: async ({ crawl }, through) => {
      const context = new LendingContext({
        ...{ pool, log: pino({ level: 'silent' }), userAgent: 'Orbweaver/0.0', shards: 1 },
        ...{ wakeHost: () => Promise.resolve(), gates: through, caps: noCaps },
      });
      const wanted = { tenantId: 1, shards: [0], crawlId: String(crawl), fetcherId: 'test' };
      return (await lend(context, { ...wanted, batchSize: 10, toldMs: 22_500 })) !== null;
    },
  },
};

const notNow = (origin: string): Record<string, Gate> => ({
  'before the visit': {
    name: 'a new rule',
    visit: (visit) => (visit.origin === origin ? { kind: 'closed', waitMs: 10 } : null),
  },
  'at the last look': { name: 'a new rule', leaving: (visit) => visit.origin !== origin },
});

describe.each(Object.entries(visitors))('a %s', (_, { ready, visits }) => {
  it.each(['before the visit', 'at the last look'])(
    'sends nothing past a gate that closes %s',
    async (look) => {
      const at = await ready();
      const gate = notNow(at.site.origin)[look];
      if (gate === undefined) throw new Error(look);
      expect(await visits(at, [...gates, gate])).toBe(false);
      await expectExact(pool, at.crawl);
    },
  );

  it('sends nothing to a host that an operator has paused', async () => {
    const at = await ready();
    await changeHost(pool, at.site.origin, { paused_at: fromNow(-1) });
    expect(await visits(at, gates)).toBe(false);
    await expectExact(pool, at.crawl);
  });

  it('sends where no gate closes', async () => {
    const at = await ready();
    expect(await visits(at, gates)).toBe(true);
  });
});
