import { statement } from '../statement.ts';

/**
 * Has robots.txt of a host read again before the next request there, whatever copy is kept. What was owed only by the
 * pace of the old copy is judged anew, from `asked_at`; a slice under way ends. None: there is no such host.
 */
export const askRobots = statement<[origin: string], { readonly id: number }>(
  'ask-robots',
  `update host
      set robots_asked_at = now(), settings_revision = settings_revision + 1,
          not_before = case when not_before <= paced_until and asked_at is not null
                            then least(not_before, now()) else not_before end,
          paced_until = case when asked_at is null then paced_until else least(paced_until, now()) end
    where origin = $1
   returning id`,
);
