import { statement } from '../statement.ts';

/**
 * Has the receiver left alone for `pauseMs`, and disables the webhook where `disabledReason` is given; neither where
 * somebody has edited it since `version`. None: there is no such webhook any more. Holds it, as note-webhook-success.
 */
export const noteWebhookFailure = statement<
  [id: string, version: number, pauseMs: number, givenUp: number, disabledReason: string | null],
  { readonly id: string }
>(
  'note-webhook-failure',
  `update webhook
      set failures = failures + 1, given_up = given_up + $4, tended_at = now(),
          not_before = case when version = $2 then greatest(not_before, now() + $3 * interval '1 millisecond')
                            else not_before end,
          disabled_at = case when version = $2 and $5::text is not null then coalesce(disabled_at, now())
                             else disabled_at end,
          disabled_reason = case when version = $2 and $5::text is not null then coalesce(disabled_reason, $5)
                                 else disabled_reason end,
          version = case when version = $2 and $5::text is not null then version + 1 else version end
    where id = $1
   returning id::text`,
);
