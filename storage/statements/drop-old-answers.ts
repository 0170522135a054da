import { statement } from '../statement.ts';

/** Forgets answers older than a day, 1,000 at most. Answers a row for each. */
export const dropOldAnswers = statement<[], { dropped: boolean }>(
  'drop-old-answers',
  `delete from idempotency_key where ctid = any (array(
     select ctid from idempotency_key where created_at < now() - interval '1 day' limit 1000))
   returning true as dropped`,
);
