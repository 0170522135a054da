import { statement } from '../statement.ts';

/**
 * A foreign fetcher's turn at a host has come to nothing: the next turn is the workers' own, and nobody holds them
 * back.
 */
export const leaveToWorkers = statement<[hostId: number], Record<string, never>>(
  'leave-to-workers',
  `update host set lent = true, lend_until = null where id = $1`,
);
