/** SQL for the state of the host `h` (domain/host-state.ts). */
import { hostStates } from '../../domain/host-state.ts';

export const hostState = `case ${Object.entries(hostStates)
  .map(([name, { sql }]) => `when ${sql} then '${name}'`)
  .join(' ')} end`;

/** The host `h` is lent to a foreign fetcher now. */
export const isOnLoan = `(h.lease_until > now()
        and exists (select from lent_url l where l.host_id = h.id and l.token = h.lease_token))`;
