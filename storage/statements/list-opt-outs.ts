import { statement } from '../statement.ts';

export interface OptOutRow {
  readonly domain: string;
  readonly reason: string | null;
  readonly created_at: Date;
}

/** Entries after a domain in the order of bytes; null: from the first. */
export const listOptOuts = statement<[after: string | null, limit: number], OptOutRow>(
  'list-opt-outs',
  `select domain, reason, created_at from opt_out where $1::text is null or domain > $1 order by domain limit $2`,
);
