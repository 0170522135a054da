import { statement } from '../statement.ts';

/** URLs of the hosts that an entry of the opt-out list has excluded, whoever did it. */
export const countOptedOut = statement<
  [hostIds: readonly string[], detail: string],
  { readonly urls: number }
>(
  'count-opted-out',
  `select count(*)::int as urls from url
    where host_id = any ($1) and state = 'excluded' and reason = 'opt-out' and detail = $2`,
);
