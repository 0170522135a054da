/** What rendering has gained, by tenant, host and shape of URL. */
import type { Learned, Yield } from '../../domain/rendering/learned.ts';
import { statement, view } from '../postgres/index.ts';

export interface GainRow extends Learned {
  /** Of URLs (domain/traps/shape.ts), at most `longestShape` characters. */
  readonly shape: string;
}

const columns = 'shape, at, shells_won, shells_lost, others_won, others_lost';

/** All that is known of a host: a few hundred rows at most. */
export const gainsOfHost = view<[tenantId: number, hostId: number], GainRow>('gains-of-host')`
   select ${columns} from render_gain where tenant_id = $1 and host_id = $2`;

/** As `gainsOfHost`, and locks them until the end of the transaction. */
export const lockGains = view<[tenantId: number, hostId: number], GainRow>('lock-gains')`
   select ${columns} from render_gain where tenant_id = $1 and host_id = $2 order by shape for update`;

/** Stores counts in the place of those before. `rows`: `GainRow[]`. */
export const storeGains = statement<[tenantId: number, hostId: number, rows: string]>('store-gains')`
   insert into render_gain (tenant_id, host_id, ${columns})
   select $1, $2, shape, at, "shellsWon", "shellsLost", "othersWon", "othersLost"
     from json_to_recordset($3) as r(shape text, at bigint, "shellsWon" int, "shellsLost" int, "othersWon" int, "othersLost" int)
    order by shape
   on conflict (tenant_id, host_id, shape) do update
     set at = excluded.at, shells_won = excluded.shells_won, shells_lost = excluded.shells_lost,
         others_won = excluded.others_won, others_lost = excluded.others_lost`;

export interface SettledRendering extends Yield {
  readonly tenant_id: number;
  readonly host_id: number;
  readonly crawl_id: number;
  /** Hex. */
  readonly key: string;
  /** Why it was rendered. */
  readonly reason: string;
}

/** Pages that were rendered to their end, with what their plain reading had. `rows`: [{host_id, crawl_id, key}]. */
export const settledRenderings = statement<[rows: string], SettledRendering>('settled-renderings')`
   select c.tenant_id, g.host_id, g.crawl_id, encode(g.key, 'hex') as key, g.reason, coalesce(g.words_before, 0) as words,
          coalesce(g.links_before, 0) as links
     from json_to_recordset($1) as r(host_id bigint, crawl_id bigint, key text)
     join rendering g on g.host_id = r.host_id and g.crawl_id = r.crawl_id and g.key = decode(r.key, 'hex')
     join crawl c on c.id = g.crawl_id
    where g.outcome = 'settled'`;
