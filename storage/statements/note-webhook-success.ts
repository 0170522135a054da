import { statement } from '../statement.ts';

/** None: there is no such webhook any more. Holds it, so that its cursors can be changed after this. */
export const noteWebhookSuccess = statement<[id: string], { readonly id: string }>(
  'note-webhook-success',
  `update webhook set failures = 0, given_up = 0, not_before = '-infinity', delivered_at = now(), tended_at = now()
    where id = $1 returning id::text`,
);
