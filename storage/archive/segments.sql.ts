/** The life of segments: opened by their owner, closed when it is done or dead, looked at for free bytes, removed. */
import { statement } from '../postgres/index.ts';

export interface SegmentName {
  readonly id: number;
  /** Of its file. */
  readonly name: string;
}

export const openSegment = statement<[name: string, owner: string, folder: string], { id: number }>(
  'open-segment',
)`
   insert into segment (name, owner, folder) values ($1, $2, $3) returning id`;

/** The owner writes to these segments no more. What it has appended may still be committed for a while. */
export const releaseSegment = statement<[id: number]>('release-segment')`
   update segment set released_at = now() where id = $1 and state = 'open'`;

/** A segment whose file could not be made. */
export const dropSegment = statement<[id: number]>('drop-segment')`
   delete from segment where id = $1 and state = 'open'`;

/**
 * Segments that nobody will commit to any more: their owner released them so many seconds ago, or has not reported for
 * so long; and those that a process began to close.
 * @param folder null: in any folder
 */
export const segmentsToClose = statement<[seconds: number, folder: string | null], SegmentName>(
  'segments-to-close',
)`
   select s.id, s.name
     from segment s left join worker_process w on w.id = s.owner
    where (s.state = 'closing'
           or s.state = 'open'
              and (s.released_at <= now() - $1 * interval '1 second'
                   or greatest(s.opened_at, w.seen_at) <= now() - $1 * interval '1 second'))
      and ($2::uuid is null or s.folder = $2)
    order by s.id`;

/** Ends the commits to a segment: waits for those under way, and refuses those that come later. */
export const closeSegment = statement<[id: number]>('close-segment')`
   update segment set state = 'closing' where id = $1 and state = 'open'`;

/** Notes where the last committed record of a closed segment ends. */
export const measureSegment = statement<[id: number], { length: number }>('measure-segment')`
   update segment set length = coalesce((
       select max(at + length) from (
         select at, length from body where segment = $1 union all select at, length from revisit where segment = $1
       ) records), 0)
    where id = $1 and state = 'closing'
   returning length`;

export const sealSegment = statement<[id: number]>('seal-segment')`
   update segment set state = 'sealed', look_at = now(), settle_at = now() where id = $1 and state = 'closing'`;

interface SealedSegment extends SegmentName {
  readonly length: number;
  /** Bytes of the records that something refers to. */
  readonly live: number;
}

/**
 * A sealed segment that is due to be looked at, and no other process looks at; the next look is in a day.
 * @param folder segments in other folders are left alone; null: none is
 */
export const segmentToLookAt = statement<[folder: string | null], SealedSegment>('segment-to-look-at')`
   with due as (
     select id from segment
      where look_at <= now() and state = 'sealed' and ($1::uuid is null or folder is null or folder = $1)
      order by look_at limit 1 for update skip locked
   ), noted as (
     update segment s set look_at = now() + interval '1 day' from due d where s.id = d.id
     returning s.id, s.name, s.length
   )
   select n.id, n.name, n.length,
          (select coalesce(sum(length), 0)::bigint from body where segment = n.id)
            + (select coalesce(sum(length), 0)::bigint from revisit where segment = n.id) as live
     from noted n`;

/**
 * Eight sealed segments of one format, each of at most an eighth of `maxBytes`, and none eight times as large as another;
 * no row where there are fewer.
 * @param folder as for `segmentToLookAt`
 */
export const segmentsToMerge = statement<[folder: string | null, maxBytes: number], SegmentName>(
  'segments-to-merge',
)`
   with small as materialized (
     select id, name, right(name, 4) as format, floor(log(8, length)) as size
       from segment
      where state = 'sealed' and length > 0 and length <= $2::bigint / 8
        and ($1::uuid is null or folder is null or folder = $1)
   ), alike as (
     select format, size from small group by format, size having count(*) >= 8 order by size limit 1
   )
   select s.id, s.name from small s join alike a on a.format = s.format and a.size = s.size order by s.id limit 8`;

interface ClosedSegment extends SegmentName {
  readonly length: number;
}

/** A sealed segment that is to leave this folder. For two minutes no other process takes it. */
export const segmentToSettle = statement<[folder: string], ClosedSegment>('segment-to-settle')`
   with due as (
     select id from segment where settle_at <= now() and state = 'sealed' and folder = $1 and length > 0
      order by settle_at limit 1 for update skip locked
   )
   update segment s set settle_at = now() + interval '2 minutes' from due d where s.id = d.id
   returning s.id, s.name, s.length`;

/** Bytes of closed segments that are still to leave this folder. */
export const bytesToSettle = statement<[folder: string], { bytes: number }>('bytes-to-settle')`
   select coalesce(sum(length), 0)::bigint as bytes
     from segment where settle_at is not null and state = 'sealed' and folder = $1`;

/** Keeps other processes away for two minutes more. No row: the segment has left the folder, or is being removed. */
export const stillSettling = statement<[id: number, folder: string], { id: number }>('still-settling')`
   update segment set settle_at = now() + interval '2 minutes'
    where id = $1 and folder = $2 and settle_at is not null returning id`;

/** Notes that a segment has left its folder, unless it is being removed. */
export const noteSettled = statement<[id: number]>('note-settled')`
   update segment set folder = null, settle_at = null where id = $1 and settle_at is not null`;

/**
 * Leaves a segment that has not left its folder to whoever tries next. No row: it is being removed, or is gone, and what
 * was brought to its place meanwhile is nobody's.
 */
export const settleLater = statement<[id: number], { id: number }>('settle-later')`
   update segment set settle_at = case when folder is not null then now() end
    where id = $1 and (folder is null or settle_at is not null) returning id`;

/** Before the bytes of a segment are removed: a process that is just bringing it to its place then takes them back. */
export const settleNoMore = statement<[id: number]>('settle-no-more')`
   update segment set settle_at = null where id = $1`;

/** Has these segments looked at soon, since something in them was freed. */
export const lookSoon = statement<[ids: readonly number[]]>('look-soon')`
   update segment set look_at = now() where id = any ($1::int[]) and state = 'sealed'`;

/** Forgets a segment that has gone. Nothing refers to it. */
export const forgetSegment = statement<[id: number]>('forget-segment')`
   delete from segment where id = $1 and state = 'sealed'`;

/**
 * Whether segments may be removed until the end of the transaction: nobody copies the archive, and whoever begins to waits
 * for its end (`holdArchive` in storage/backups/).
 */
export const mayRemoveSegments = statement<[], { may: boolean }>('may-remove-segments')`
   select pg_try_advisory_xact_lock_shared(hashtext('orbweaver-segments')) as may`;
