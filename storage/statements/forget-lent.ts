import { statement } from '../statement.ts';

/** Batches that ended more than a day ago: nobody asks for them any more. */
export const forgetLent = statement<[limit: number], Record<string, never>>(
  'forget-lent',
  `delete from lent_batch
    where id in (select id from lent_batch where until < now() - interval '1 day' order by until limit $1
                    for update skip locked)`,
);
