import { statement } from '../statement.ts';

/** One row where a result for it has been committed. */
export const isLentUrlSettled = statement<[token: number], Record<string, never>>(
  'is-lent-url-settled',
  `select from lent_url where token = $1 and settled_at is not null`,
);
