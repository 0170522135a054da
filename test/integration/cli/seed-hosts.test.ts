/** `crawl --concurrency N` on real Postgres: which hosts it sets, and whose it refuses. */
import { expect, it, onTestFinished } from 'vitest';
import { setConcurrency } from '../../../cli/seed-hosts.ts';
import { createPool } from '../../../storage/postgres/index.ts';
import { createWorld } from '../../support/world.ts';

it('sets the hosts of the seeds, each once, and no more than may be one’s own', async () => {
  const world = await createWorld();
  const pool = createPool(world.databaseUrl, 2, () => undefined);
  onTestFinished(async () => {
    await pool.end();
    await world.close();
  });
  const request = (seeds: readonly string[] | string) => ({ body: JSON.stringify({ seeds }), complaints: [], rest: null }); // prettier-ignore
  const said = await setConcurrency(
    pool,
    { shards: 1 },
    4,
    request(['http://one.example/a', 'http://one.example/b', 'https://two.example:8443/', 'no url']),
  );
  expect(said).toMatch(/^http:\/\/one\.example and 1 more take up to 4 requests at a time/);
  const { rows } = await pool.query('select origin, settings from host order by origin');
  expect(rows).toEqual([
    { origin: 'http://one.example', settings: { concurrency: 4 } },
    { origin: 'https://two.example:8443', settings: { concurrency: 4 } },
  ]);
  const many = Array.from({ length: 101 }, (_, at) => `https://h${String(at)}.example/`);
  await expect(setConcurrency(pool, { shards: 1 }, 4, request(many))).rejects.toThrow(/hosts you own/);
  expect((await pool.query('select from host')).rowCount).toBe(2);
});
