import { statement } from '../statement.ts';

/** A worker process is at work; what is left of those that were lost long ago goes. */
export const noteWorker = statement<[id: string, roles: readonly string[]], Record<string, never>>(
  'note-worker',
  `with forgotten as (
     delete from worker_process where seen_at < now() - interval '1 hour' and id <> $1
   )
   insert into worker_process (id, roles) values ($1, $2) on conflict (id) do update set seen_at = now()`,
);
