import { statement } from '../statement.ts';

/** A host that a foreign fetcher has: milliseconds until its lease ends; no row: none has it. */
export const lentHold = statement<[hostId: string], { left_ms: number; last_error: string | null }>(
  'lent-hold',
  `select greatest(0, extract(epoch from h.lease_until - now()) * 1000)::float8 as left_ms, h.last_error
     from host h
    where h.id = $1 and h.lease_until > now() and exists (select 1 from lent_url l where l.token = h.lease_token)`,
);
