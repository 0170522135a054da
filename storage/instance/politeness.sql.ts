/** How politely hosts were asked, day by day, over all workers that there were. */
import { statement } from '../postgres/index.ts';

/** @param gap seconds; null: none was measured */
export const notePoliteness = statement<[gap: number | null, tooSoon: number]>('note-politeness')`
   insert into politeness as p (day, smallest_gap, too_soon) values ((now() at time zone 'utc')::date, $1, $2)
   on conflict (day) do update set smallest_gap = least(p.smallest_gap, excluded.smallest_gap),
                                   too_soon = p.too_soon + excluded.too_soon`;

/** A row a day: few. */
export const measurePoliteness = statement<[], { week_gap: number | null; too_soon: number }>(
  'measure-politeness',
)`
   select min(smallest_gap) filter (where day > (now() at time zone 'utc')::date - 7) as week_gap,
          coalesce(sum(too_soon), 0)::bigint as too_soon
     from politeness`;
