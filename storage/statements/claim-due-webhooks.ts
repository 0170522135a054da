import { statement } from '../statement.ts';

/**
 * Webhooks that have something to send and no worker; a caller that gets one must wake its workflow. The workflow
 * itself waits for a retry; only a late retry is found here, and so is the claim of a killed worker.
 */
export const claimDueWebhooks = statement<[limit: number], { readonly id: string }>(
  'claim-due-webhooks',
  `update webhook set tended_at = now()
    where id in (
      select w.id from webhook w
       where (w.tended_at is null or w.tended_at < now() - interval '30 seconds')
         and (w.test_id is not null
              or w.disabled_at is null and w.not_before <= now()
                 and exists (select from webhook_cursor c
                              where c.webhook_id = w.id and c.settled < c.last
                                and c.not_before <= now()
                                    - case when c.attempts > 0 then interval '5 seconds' else interval '0' end))
       limit $1 for no key update skip locked)
   returning id::text`,
);
