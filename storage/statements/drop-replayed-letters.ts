import { statement } from '../statement.ts';

/** Events that are ahead of a webhook again are no dead letters of it. */
export const dropReplayedLetters = statement<[webhookId: string], Record<string, never>>(
  'drop-replayed-letters',
  `delete from webhook_dead_letter l using webhook_cursor c
    where l.webhook_id = $1 and c.webhook_id = $1 and c.crawl_id = l.crawl_id and c.settled < l.number`,
);
