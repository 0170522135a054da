import { statement } from '../statement.ts';

/** Takes a domain off the list; no row where it was not on it. */
export const removeOptOut = statement<[domain: string], { domain: string }>(
  'remove-opt-out',
  `with gone as (
     delete from opt_out where domain = $1 returning domain
   ), raised as (
     update opt_out_revision set revision = revision + 1 where exists (select from gone)
   )
   select domain from gone`,
);
