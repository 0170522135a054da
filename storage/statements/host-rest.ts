import { statement } from '../statement.ts';

/** Milliseconds for which a host may not be visited. */
export const hostRest = statement<[hostId: string], { rest_ms: number }>(
  'host-rest',
  `select greatest(0, extract(epoch from not_before - now()) * 1000)::float8 as rest_ms from host where id = $1`,
);
