import { statement } from '../statement.ts';

/**
 * Has the receiver left alone for `pauseMs`, and disables the webhook where `disabledReason` is given; nothing of it
 * where somebody has edited it since `version`: `isSame` is false then. None: there is no such webhook any more. Holds
 * it, as note-webhook-success.
 */
export const noteWebhookFailure = statement<
  [id: string, version: number, pauseMs: number, givenUp: number, disabledReason: string | null],
  { readonly isSame: boolean }
>(
  'note-webhook-failure',
  `with held as materialized (
     select id, version = $2 as is_same from webhook where id = $1 for no key update
   ), noted as (
     update webhook w
        set failures = w.failures + 1, given_up = w.given_up + $4, tended_at = now(),
            not_before = greatest(w.not_before, now() + $3 * interval '1 millisecond'),
            disabled_at = case when $5::text is null then w.disabled_at else coalesce(w.disabled_at, now()) end,
            disabled_reason = case when $5::text is null then w.disabled_reason else coalesce(w.disabled_reason, $5) end,
            version = w.version + ($5::text is not null)::int
       from held h where w.id = h.id and h.is_same
   )
   select is_same as "isSame" from held`,
);
