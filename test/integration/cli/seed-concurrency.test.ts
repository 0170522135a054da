/** `crawl --concurrency N`, by an API on real Postgres: which hosts it sets, and whose it refuses. */
import { expect, it, onTestFinished } from 'vitest';
import { localApi } from '../../../cli/api/target.ts';
import { createApi } from '../../../cli/api/api.ts';
import { setConcurrency } from '../../../cli/crawl/crawl.ts';
import { auditList } from '../../../contracts/http/audit.ts';
import { serve, startServices } from '../api/world.ts';
import { tables } from '../../support/database/index.ts';

it('sets the hosts of the seeds, each once, and no more than may be one’s own', async () => {
  const services = await startServices();
  const { pool } = services;
  const served = await serve(pool);
  onTestFinished(async () => {
    await served.stop();
    await services.stop();
  });
  const api = createApi(localApi(served.url, served.key));
  const request = (seeds: readonly string[] | string) => ({ body: JSON.stringify({ seeds }), complaints: [], rest: null }); // prettier-ignore
  const said = await setConcurrency(
    api,
    4,
    request(['http://one.example/a', 'http://one.example/b', 'https://two.example:8443/', 'no url']),
  );
  expect(said).toMatch(/^http:\/\/one\.example and 1 more take up to 4 requests at a time/);
  expect(await tables.host.rows(pool)).toMatchObject([
    { origin: 'http://one.example', settings: { concurrency: 4 } },
    { origin: 'https://two.example:8443', settings: { concurrency: 4 } },
  ]);
  const many = Array.from({ length: 101 }, (_, at) => `https://h${String(at)}.example/`);
  await expect(setConcurrency(api, 4, request(many))).rejects.toThrow(/hosts you own/);
  expect(await tables.host.count(pool)).toBe(2);
  // What a verb changes stands in the audit log, as what anybody else changes.
  const { items } = await api.get('/v1/audit-log', auditList);
  expect(items.map(({ method, target, status }) => ({ method, target, status }))).toEqual(
    ['https://two.example:8443', 'http://one.example'].map((origin) => ({
      ...{ method: 'PATCH', status: 200 },
      target: `/v1/hosts/${encodeURIComponent(origin)}/settings`,
    })),
  );
});
