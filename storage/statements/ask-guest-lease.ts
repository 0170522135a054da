import { statement } from '../statement.ts';

/** Asks the holder of a host's lease to make room for one request by the slice of another host. */
export const askGuestLease = statement<[hostId: number, forMs: number], Record<string, never>>(
  'ask-guest-lease',
  `update host set guest_until = now() + $2 * interval '1 millisecond' where id = $1`,
);
