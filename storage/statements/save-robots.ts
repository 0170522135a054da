import { statement } from '../statement.ts';

/** @param body null: there is none, everything is allowed. @param cut what was not read of it (domain/limits.ts), as JSON */
export const saveRobots = statement<
  [hostId: string, status: number, body: string | null, cut: string],
  Record<string, never>
>(
  'save-robots',
  `insert into robots (host_id, status, body, cut, fetched_at) values ($1, $2, $3, nullif($4::jsonb, '{}'), now())
   on conflict (host_id) do update set status = excluded.status, body = excluded.body, cut = excluded.cut,
                                    fetched_at = now()`,
);
