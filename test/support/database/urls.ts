/** URLs of a crawl: queued or in any other state, one or thousands. */
import { createHash } from 'node:crypto';
import { canonicalize } from '../../../domain/url.ts';
import { urlKey } from '../../../contracts/url-key.ts';
import type { Queryable } from '../../../storage/postgres/index.ts';
import { addHost } from './hosts.ts';
import type { Columns, Where } from './table.ts';
import { tables, type UrlRow } from './tables.ts';

export interface UrlPlace {
  readonly hostId: number;
  readonly key: Buffer;
}

/** Admits a URL as queued, then moves it on, as workers do; answers its host and key. */
export async function addUrl(
  db: Queryable,
  crawl: string | number,
  url: string,
  columns: Columns<UrlRow> = {},
): Promise<UrlPlace> {
  const read = canonicalize(url);
  if (!read.ok) throw new Error(`${url}: ${read.rejected}`);
  const hostId = await addHost(db, read.value.host);
  const key = urlKey(read.value.canonical);
  const { state = 'queued', depth = 0, priority = 1, kind = 0, ...rest } = columns;
  const place = { host_id: hostId, crawl_id: crawl, key };
  await tables.url.add(db, { ...place, url: read.value.url, state: 'queued', depth, priority, kind });
  await tables.url.change(db, place, { state, ...rest });
  return { hostId, key };
}

/** Adds as many URLs at once, in these states; the rows name the same columns. Each has a key of its own. */
export const addUrls = (
  db: Queryable,
  crawl: string | number,
  urls: readonly (Columns<UrlRow> & { readonly host_id: number; readonly url: string })[],
): Promise<UrlRow[]> =>
  tables.url.addAll(
    db,
    urls.map((row) => ({
      crawl_id: crawl,
      key: createHash('md5')
        .update(`${String(row.host_id)} ${row.url}`)
        .digest(),
      state: 'queued',
      depth: 1,
      priority: 1,
      kind: 0,
      stage: 0,
      seed: false,
      hops: 0,
      due_at: new Date(),
      discovered_at: new Date(),
      ...row,
    })),
  );

/** The URLs, a line each of the columns that hold something; the URL comes first. */
export async function urlLines(
  db: Queryable,
  where: Where<UrlRow>,
  ...columns: readonly (keyof UrlRow)[]
): Promise<string[]> {
  const rows = await tables.url.rows(db, where);
  return rows.map((row) =>
    [row.url, ...columns.map((column) => row[column])]
      .filter((value) => value !== null)
      .map(String)
      .join(' '),
  );
}

export const urlsDone = (db: Queryable, crawl: string | number): Promise<number> =>
  tables.url.count(db, { crawl_id: crawl, state: 'done' });

/** How many URLs are in each state, for each reason: `excluded:opt-out`. */
export async function urlStates(
  db: Queryable,
  where: Where<UrlRow>,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { state, reason } of await tables.url.rows(db, where)) {
    const of = reason === null ? state : `${state}:${reason}`;
    counts[of] = (counts[of] ?? 0) + 1;
  }
  return counts;
}

/** How many transactions wrote the URLs like this one as they are now. */
export async function transactionsOf(db: Queryable, crawl: number, url: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    'select count(distinct xmin::text)::int as n from url where crawl_id = $1 and url like $2',
    [crawl, url],
  );
  return rows[0]?.n ?? 0;
}
