import { statement } from '../statement.ts';

/**
 * Makes the next slice read robots.txt of a host before its next request, whatever copy is kept. A wait that came only
 * from the pace of the old copy is judged anew, from `asked_at`; a slice under way ends. No row: there is no such host.
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
