import { statement } from '../statement.ts';
import type { OptOutRow } from './list-opt-outs.ts';

/** Puts a domain on the list; one that is there keeps its reason and date. */
export const addOptOut = statement<
  [domain: string, reason: string | null],
  OptOutRow & { readonly added: boolean }
>(
  'add-opt-out',
  `with entry as (
     insert into opt_out (domain, reason) values ($1, $2)
     on conflict (domain) do update set domain = excluded.domain
     returning domain, reason, created_at, xmax = 0 as added
   ), raised as (
     update opt_out_revision set revision = revision + 1
   )
   select * from entry`,
);
