import { statement } from '../statement.ts';

/** Keeps what a host's server errors amount to; `since` and `outageAt` as ages in milliseconds. Under its lease. */
export const saveServerErrors = statement<
  [
    hostId: string,
    token: number,
    sinceAgeMs: number | null,
    errors: number,
    answers: number,
    outages: number,
    outageAgeMs: number | null,
  ],
  Record<string, never>
>(
  'save-server-errors',
  `update host
      set errors_since = now() - $3::float8 * interval '1 millisecond', errors = $4, errors_answers = $5,
          outages = $6, outage_at = now() - $7::float8 * interval '1 millisecond'
    where id = $1 and lease_token = $2`,
);
