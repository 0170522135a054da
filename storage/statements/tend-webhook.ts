import { statement } from '../statement.ts';

export interface TendedWebhook {
  readonly url: string;
  readonly kinds: readonly string[] | null;
  readonly secret: Buffer;
  readonly version: number;
  readonly failures: number;
  readonly given_up: number;
  /** It is not disabled, and its receiver may be asked now. */
  readonly ready: boolean;
  readonly test_id: string | null;
  readonly test_at: Date | null;
}

/** Notes that a worker works on the webhook. No row: the webhook does not exist any more. */
export const tendWebhook = statement<[id: string], TendedWebhook>(
  'tend-webhook',
  `update webhook set tended_at = now() where id = $1
   returning url, kinds, secret, version, failures, given_up, disabled_at is null and not_before <= now() as ready,
             test_id::text, test_at`,
);
