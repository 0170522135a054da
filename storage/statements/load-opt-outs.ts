import { statement } from '../statement.ts';

/** The list as a whole, with its revision, in one snapshot. `domains` null: it is the revision that is known. */
export const loadOptOuts = statement<
  [knownRevision: number],
  { readonly revision: number; readonly domains: readonly string[] | null }
>(
  'load-opt-outs',
  `select revision, case when revision <> $1 then array(select domain from opt_out) end as domains
     from opt_out_revision`,
);
