import { statement } from '../statement.ts';

/** An event of a host for each of these crawls, whose rows the caller holds. `reason`: null where there is none. */
export const tellOfHost = statement<
  [crawlIds: readonly number[], kind: string, hostId: string, reason: string | null],
  Record<string, never>
>(
  'tell-of-host',
  `insert into event (crawl_id, kind, data)
   select c.id, $2, jsonb_strip_nulls(jsonb_build_object('host', h.origin, 'reason', $4::text))
     from host h, unnest($1::bigint[]) as c(id)
    where h.id = $3 order by c.id`,
);
