import { statement } from '../statement.ts';

export interface AttemptRow {
  readonly at: Date;
  readonly class: string;
  readonly status: number | null;
  readonly message: string;
}

/** Requests of a URL that ended without a final outcome, oldest first. @param key hex. */
export const listAttempts = statement<[hostId: string, crawlId: string, key: string], AttemptRow>(
  'list-attempts',
  `select at, class, status, message from attempt
    where host_id = $1 and crawl_id = $2 and key = decode($3, 'hex') order by at`,
);
