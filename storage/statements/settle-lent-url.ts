import { statement } from '../statement.ts';

/** What came of it is committed with this; the foreign turn at the host is over, and the workers' own is next. */
export const settleLentUrl = statement<[token: number, hostId: number], Record<string, never>>(
  'settle-lent-url',
  `with settled as (update lent_url set settled_at = now() where token = $1)
   update host set lent = true where id = $2`,
);
