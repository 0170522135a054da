/** Which pages claim a body first, where a batch brings several with the same one. */
import { expect, it } from 'vitest';
import type { Dependencies } from '../../engine/dependencies.ts';
import { createDedup } from '../../engine/reading/dedup.ts';
import type { StagedBody } from '../../storage/pages/index.ts';

it('pages of a site with a seed do, since a claim for no site gives way to theirs', async () => {
  const claimed: number[][] = [];
  const query = (asked: string | { readonly name: string; readonly values: readonly string[] }) => {
    if (typeof asked === 'string') return Promise.resolve({ rows: [] });
    const rows = JSON.parse(asked.values[0] ?? '') as { host_id: number }[];
    if (asked.name === 'claim-contents') claimed.push(rows.map((row) => row.host_id));
    const seeded = asked.name === 'seeded-sites' ? [{ host_id: 2, crawl_id: 1, site: 2 }] : [];
    return Promise.resolve({ rows: seeded });
  };
  const pool = { query, connect: () => Promise.resolve({ query, release: () => undefined }) };
  const body = (host: number): StagedBody =>
    ({
      ...{ crawl_id: 1, host_id: host, key: '00', kind: 0, content_type: 'text/html' },
      ...{ origin: `https://${String(host)}.example`, content_hash: Buffer.alloc(32) },
    }) as unknown as StagedBody;
  const rendering = { isThere: () => Promise.resolve(false) };
  const judge = createDedup({ pool: pool as unknown as Dependencies['pool'], rendering }, () =>
    Promise.resolve(),
  );
  await judge([body(1), body(2), body(3)]);
  expect(claimed).toEqual([[2], [1, 3]]);
});
