/** What a tenant may borrow holds over all requests that its fetchers send at once (F37). */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import pino from 'pino';
import { noCaps } from '../../../engine/caps/cap-book.ts';
import { lend } from '../../../engine/lending/lend.ts';
import { LendingContext } from '../../../engine/lending/context.ts';
import { mostLoans } from '../../../domain/lending.ts';
import { takeLease } from '../../../storage/leases/index.ts';
import { handOutUrls } from '../../../storage/lending/index.ts';
import { addHosts, fromNow, hostRow, robotsRead, tables } from '../../support/database/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { withFetching } from './fetching.ts';

const fetching = withFetching();
const { pool } = fetching;

/** Loans of the default tenant that ran out. */
async function lapse(crawl: number, loans: number): Promise<void> {
  const ids = await addHosts(pool, loans, (n) => `https://lapsed-${String(n)}.example`);
  const rows = await Promise.all(
    ids.map(async (id) => {
      const [lease] = await takeLease(pool, String(id), 60_000);
      const url = 'https://lapsed.example/';
      return { host_id: id, crawl_id: crawl, key: '00'.repeat(16), url, token: lease?.token };
    }),
  );
  const batch = randomUUID();
  expect(await handOutUrls(pool, batch, 1, 'dead', 60_000, JSON.stringify(rows))).toHaveLength(loans);
  await tables.lentBatch.change(pool, { id: batch }, { until: fromNow(-60) });
}

it('requests at once borrow no more together than one after the other, and give the rest back', async () => {
  const context = new LendingContext({
    ...{ pool, log: pino({ level: 'silent' }), userAgent: 'Orbweaver/0.0', shards: 1, caps: noCaps },
    wakeHost: () => Promise.resolve(),
  });
  const crawl = await fetching.crawl();
  await lapse(crawl, 50);
  const most = mostLoans({ settled: 0, lapsed: 50 });
  const hosts = await Promise.all(
    Array.from({ length: 3 * most }, async (_, at) => {
      const host = await fetching.host(`https://wanted-${String(at)}.example`);
      await fetching.queue(crawl, host, '/');
      await robotsRead(pool, host.hostId, { status: 404, body: null });
      return host;
    }),
  );
  const wanted = { tenantId: 1, shards: [0], crawlId: String(crawl), fetcherId: 'many', batchSize: 10 };
  const loans = await Promise.all(hosts.map(() => lend(context, { ...wanted, toldMs: 60_000 })));
  expect(loans.flatMap((loan) => loan?.urls ?? [])).toHaveLength(most);
  const rows = await Promise.all(hosts.map(({ hostId }) => hostRow(pool, hostId)));
  expect(rows.filter(({ lease_token: token }) => token !== null)).toHaveLength(most);
  expect(await expectExact(pool, crawl)).toMatchObject({ leased: most, queued: 2 * most });
});
