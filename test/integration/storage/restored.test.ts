/** What holds in a database that was restored: what happened since the backup nobody knows. */
import { expect, it, onTestFinished } from 'vitest';
import { passOverUnknown } from '../../../backup/restore.ts';
import { instanceId } from '../../../storage/instance/index.ts';
import { takeLease, type TakenLease } from '../../../storage/leases/index.ts';
import { createPool } from '../../../storage/postgres/index.ts';
import { signIn } from '../../../storage/tenancy/index.ts';
import {
  addUrls,
  changeHost,
  fromNow,
  hadSettings,
  robotsRead,
  tables,
} from '../../support/database/index.ts';
import { testKeys } from '../../support/keys.ts';
import { createDatabase } from '../../support/world.ts';
import { newHost, runningCrawl } from './frontier.ts';

const hour = 3_600;

it('every host counts as asked just now, longer waits hold, and nothing that was given out is given out again', async () => {
  const world = await createDatabase();
  const pool = createPool(world.databaseUrl, 3, () => undefined);
  onTestFinished(async () => {
    await pool.end();
    await world.close();
  });
  const crawl = await runningCrawl(pool);
  const [known, asked, unknown, full, weak] = [
    await newHost(pool),
    await newHost(pool),
    await newHost(pool),
    await newHost(pool),
    await newHost(pool),
  ];
  for (const host of [known, asked, full, weak]) await robotsRead(pool, host);
  await changeHost(pool, known, { asked_at: fromNow(-hour) });
  // A Retry-After of an hour, as it was at the backup's moment.
  await changeHost(pool, asked, { asked_at: fromNow(-60), not_before: fromNow(hour) });
  await hadSettings(pool, full, { quotaPerDay: 50 });
  await changeHost(pool, weak, { budget: 20 });
  await addUrls(pool, crawl, [{ host_id: known, url: 'https://host.example/a' }]);
  const [before] = await instanceId(pool);
  const last = Math.max(
    0,
    ...(await tables.event.rows(pool, { crawl_id: crawl })).map(({ number }) => number),
  );

  await signIn(pool, testKeys, 'session', 'owk_any', 'key 1');

  await passOverUnknown(world.databaseUrl, { moment: '2026-01-01T00:00:00.000Z' });

  // It may have been signed out since.
  expect(await tables.signIn.rows(pool)).toEqual([]);

  const lease = async (host: number): Promise<TakenLease> => {
    const [taken] = await takeLease(pool, String(host), 60_000);
    if (taken === undefined) throw new Error('the lease is taken');
    return taken;
  };
  // The pace counts from here, whatever the delay in force is.
  expect((await lease(known)).asked_ago_ms).toBeLessThan(60_000);
  expect((await tables.queue.row(pool, { host_id: known, crawl_id: crawl })).asked_at).not.toBeNull();
  expect((await lease(asked)).held_ms).toBeGreaterThan((hour - 600) * 1_000);
  // Its robots.txt may have been read since, and may ask for a delay.
  expect((await lease(unknown)).pace_ms).toBeGreaterThan(0);
  expect(await lease(full)).toMatchObject({
    requests_used: 50,
    requests_day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
  });

  expect(await lease(weak)).toMatchObject({ requests_used: 20 });

  expect((await instanceId(pool))[0]?.id).not.toBe(before?.id);
  const events = await tables.event.rows(pool, { crawl_id: crawl });
  expect(events.at(-1)).toMatchObject({ kind: 'crawl.restored', number: expect.any(Number) as number });
  expect(events.at(-1)?.number).toBeGreaterThan(last + 1_000_000);
  expect(await newHost(pool)).toBeGreaterThan(weak + 1_000_000);
  expect(await runningCrawl(pool)).toBeGreaterThan(crawl + 1_000);
});
