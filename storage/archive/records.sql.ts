/** Where the records of bodies and of revisits lie. The commit of results (storage/frontier/results.sql.ts) writes it. */
import { statement } from '../postgres/index.ts';

/** The file of a record, and where in it. */
export interface FoundRecord {
  readonly segment: number;
  readonly name: string;
  /** The folder that holds the segment; null: it lies where every process reads it. */
  readonly folder: string | null;
  readonly at: number;
  readonly length: number;
}

/** Which of these bodies are stored. */
export const knownBodies = statement<[hashes: readonly Uint8Array[]], { hash: Buffer }>('known-bodies')`
   select hash from body where hash = any ($1::bytea[])`;

export const findBody = statement<[hash: Uint8Array], FoundRecord>('find-body')`
   select b.segment, s.name, s.folder, b.at, b.length from body b join segment s on s.id = b.segment where b.hash = $1`;

export const findRevisit = statement<[hostId: number, crawlId: string, key: Uint8Array], FoundRecord>(
  'find-revisit',
)`
   select r.segment, s.name, s.folder, r.at, r.length
     from revisit r join segment s on s.id = r.segment
    where r.host_id = $1 and r.crawl_id = $2 and r.key = $3`;

/** Forgets a body that does not lie where it should. */
export const forgetBody = statement<[hash: Uint8Array, segment: number, at: number]>('forget-body')`
   delete from body where hash = $1 and segment = $2 and at = $3`;

/** Whether a segment takes commits; holds it so until the end of the transaction. */
export const holdOpen = statement<[segment: number], { id: number }>('hold-open')`
   select id from segment where id = $1 and state = 'open' for share`;

/** Keeps other processes from moving the records of a segment until the end of the transaction. No row: one does. */
export const holdForMove = statement<[segment: number], { id: number }>('hold-for-move')`
   select id from segment where id = $1 and state = 'sealed' for update skip locked`;

export interface LiveRecord {
  readonly at: number;
  readonly length: number;
}

export interface LiveBody extends LiveRecord {
  readonly hash: Buffer;
}

export interface LiveRevisit extends LiveRecord {
  readonly host_id: number;
  readonly crawl_id: number;
  readonly key: Buffer;
}

/** Some of the bodies in a segment. */
export const liveBodies = statement<[segment: number, limit: number], LiveBody>('live-bodies')`
   select hash, at, length from body where segment = $1 limit $2`;

/** Some of the revisits in a segment. */
export const liveRevisits = statement<[segment: number, limit: number], LiveRevisit>('live-revisits')`
   select host_id, crawl_id, key, at, length from revisit where segment = $1 limit $2`;

/**
 * Notes that bodies lie in another segment now. Bodies that were freed or forgotten meanwhile are left alone: their
 * bytes in the new segment are free.
 */
export const moveBodies = statement<
  [from: number, to: number, hashes: readonly Buffer[], ats: readonly number[], newAts: readonly number[]]
>('move-bodies')`
   update body b set segment = $2, at = m.new_at
     from unnest($3::bytea[], $4::bigint[], $5::bigint[]) m (hash, at, new_at)
    where b.hash = m.hash and b.segment = $1 and b.at = m.at`;

/** The same for revisits. `rows`: [{host_id, crawl_id, key, at, new_at}]. */
export const moveRevisits = statement<[from: number, to: number, rows: string]>('move-revisits')`
   update revisit r set segment = $2, at = m.new_at
     from json_to_recordset($3) m (host_id bigint, crawl_id bigint, key text, at bigint, new_at bigint)
    where r.host_id = m.host_id and r.crawl_id = m.crawl_id and r.key = decode(m.key, 'hex')
      and r.segment = $1 and r.at = m.at`;

/** Forgets revisits that do not lie where they should. `rows`: [{host_id, crawl_id, key}]. */
export const forgetRevisits = statement<[segment: number, rows: string]>('forget-revisits')`
   delete from revisit r
    using json_to_recordset($2) m (host_id bigint, crawl_id bigint, key text)
    where r.host_id = m.host_id and r.crawl_id = m.crawl_id and r.key = decode(m.key, 'hex') and r.segment = $1`;
