import { statement } from '../statement.ts';

/** Leases whose host's settings have been changed since they were taken. `held`: [{id, token, revision}]. */
export const outdatedLeases = statement<[held: string], { token: number }>(
  'outdated-leases',
  `select r.token
     from json_to_recordset($1) as r(id bigint, token bigint, revision int)
     join host h on h.id = r.id and h.settings_revision <> r.revision`,
);
