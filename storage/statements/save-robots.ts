import { statement } from '../statement.ts';

/** @param body null: there is none, everything is allowed. */
export const saveRobots = statement<
  [hostId: string, status: number, body: string | null],
  Record<string, never>
>(
  'save-robots',
  `insert into robots (host_id, status, body, fetched_at) values ($1, $2, $3, now())
   on conflict (host_id) do update set status = excluded.status, body = excluded.body, fetched_at = now()`,
);
