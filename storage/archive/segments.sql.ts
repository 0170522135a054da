/** The life of segments: opened by their owner, closed when it is done or dead, looked at for free bytes, removed. */
import { statement } from '../postgres/index.ts';

export interface SegmentName {
  readonly id: number;
  /** Of its file. */
  readonly name: string;
}

export const openSegment = statement<[name: string, owner: string], { readonly id: number }>(
  'open-segment',
  `insert into segment (name, owner) values ($1, $2) returning id`,
);

/** The owner writes to these segments no more. What it has appended may still be committed for a while. */
export const releaseSegment = statement<[id: number], Record<string, never>>(
  'release-segment',
  `update segment set released_at = now() where id = $1 and state = 'open'`,
);

/** A segment whose file could not be made. */
export const dropSegment = statement<[id: number], Record<string, never>>(
  'drop-segment',
  `delete from segment where id = $1 and state = 'open'`,
);

/**
 * Segments that nobody will commit to any more: their owner released them so many seconds ago, or has not reported for
 * so long; and those that a process began to close.
 */
export const segmentsToClose = statement<[seconds: number], SegmentName>(
  'segments-to-close',
  `select s.id, s.name
     from segment s left join worker_process w on w.id = s.owner
    where s.state = 'closing'
       or s.state = 'open'
          and (s.released_at <= now() - $1 * interval '1 second'
               or greatest(s.opened_at, w.seen_at) <= now() - $1 * interval '1 second')
    order by s.id`,
);

/** Ends the commits to a segment: waits for those under way, and refuses those that come later. */
export const closeSegment = statement<[id: number], Record<string, never>>(
  'close-segment',
  `update segment set state = 'closing' where id = $1 and state = 'open'`,
);

/** Notes where the last committed record of a closed segment ends. */
export const measureSegment = statement<[id: number], { readonly length: number }>(
  'measure-segment',
  `update segment set length = coalesce((
       select max(at + length) from (
         select at, length from body where segment = $1 union all select at, length from revisit where segment = $1
       ) records), 0)
    where id = $1 and state = 'closing'
   returning length`,
);

export const sealSegment = statement<[id: number], Record<string, never>>(
  'seal-segment',
  `update segment set state = 'sealed', look_at = now() where id = $1 and state = 'closing'`,
);

interface SealedSegment extends SegmentName {
  readonly length: number;
  /** Bytes of the records that something refers to. */
  readonly live: number;
}

/** A sealed segment that is due to be looked at, and no other process looks at; the next look is in a day. */
export const segmentToLookAt = statement<[], SealedSegment>(
  'segment-to-look-at',
  `with due as (
     select id from segment where look_at <= now() and state = 'sealed'
      order by look_at limit 1 for update skip locked
   ), noted as (
     update segment s set look_at = now() + interval '1 day' from due d where s.id = d.id
     returning s.id, s.name, s.length
   )
   select n.id, n.name, n.length,
          (select coalesce(sum(length), 0)::bigint from body where segment = n.id)
            + (select coalesce(sum(length), 0)::bigint from revisit where segment = n.id) as live
     from noted n`,
);

/** Has these segments looked at soon, since something in them was freed. */
export const lookSoon = statement<[ids: readonly number[]], Record<string, never>>(
  'look-soon',
  `update segment set look_at = now() where id = any ($1::int[]) and state = 'sealed'`,
);

/** Forgets a segment that has gone. Nothing refers to it. */
export const forgetSegment = statement<[id: number], Record<string, never>>(
  'forget-segment',
  `delete from segment where id = $1 and state = 'sealed'`,
);
