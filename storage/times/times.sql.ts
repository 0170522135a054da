/** The account of where time goes, by crawl and host. */
import { timeCauseNames, type TimeCause } from '../../domain/time-lost.ts';
import { mayKnow } from '../may-know.ts';
import { statement } from '../postgres/index.ts';
import { openWaits } from './open-waits.ts';

/** Time that a visit has counted for one crawl: seconds by cause. Instants by the clock of the database. */
export type NotedTime = {
  readonly host_id: number;
  readonly crawl_id: number;
  /** Milliseconds since 1970. */
  readonly from_ms: number;
  readonly until_ms: number;
  /** The crawl had work at the host in this time; false: only if it still has. */
  readonly sure: boolean;
} & Readonly<Partial<Record<TimeCause, number>>>;

/**
 * Common table expression that adds time to the account. Time that was counted already is not counted again, whoever
 * comes with it: of a row that begins before its account ends, only the part after that counts.
 * @param rows a parameter: `NotedTime`s as JSON @param onlyIf a condition on the queue `q` of each row
 */
export const notingTimes = (rows: string, onlyIf = 'true'): string => `came as (
     select r.*, to_timestamp(r.until_ms / 1000) as until,
            case when t.until > to_timestamp(r.from_ms / 1000)
                 then greatest(0, extract(epoch from to_timestamp(r.until_ms / 1000) - t.until)::float8) * 1000
                        / greatest(r.until_ms - r.from_ms, 1)
                 else 1 end as share
       from json_to_recordset(${rows}::json) as r(host_id bigint, crawl_id bigint, from_ms float8, until_ms float8, sure boolean,
              ${timeCauseNames.map((cause) => `${cause} float8`).join(', ')})
       join host_queue q on q.host_id = r.host_id and q.crawl_id = r.crawl_id
       left join host_time t on t.crawl_id = r.crawl_id and t.host_id = r.host_id
      where (r.sure or q.has_queued or q.leased > 0) and ${onlyIf}
   ), noted as (
     insert into host_time as t (crawl_id, host_id, until, ${timeCauseNames.join(', ')})
     select crawl_id, host_id, until, ${timeCauseNames.map((cause) => `coalesce(${cause} * share, 0)`).join(', ')}
       from came order by crawl_id, host_id
     on conflict (crawl_id, host_id) do update
       set until = greatest(t.until, excluded.until),
           ${timeCauseNames.map((cause) => `${cause} = t.${cause} + excluded.${cause}`).join(', ')}
   )`;

/** Adds the time of visits under way. @param rows `NotedTime`s as JSON, at most one for a crawl and host */
export const noteTimes = statement<[rows: string]>('note-times')`
   with ${notingTimes('$1')} select from came where false`;

const columns = (of: (cause: TimeCause) => string): string => timeCauseNames.map(of).join(', ');

/** A host where somebody holds the lease is visited: the visit counts its time itself. */
const unvisited = 'not coalesce(h.lease_token is not null and h.lease_until > now(), false)';
const rowsOfHost = `join host h on h.id = q.host_id
       join crawl c on c.id = q.crawl_id
       left join host_time t on t.crawl_id = q.crawl_id and t.host_id = q.host_id`;

/**
 * Adds to the account what a crawl that has just stopped running has waited for, at the next so many hosts with work:
 * what it waits from now on, nobody counts. Answers the last of these hosts; no row: there was none.
 */
export const closeTimes = statement<
  [crawlId: string, after: number, limit: number],
  { host_id: number | null }
>('close-times')`
   with batch as materialized (
     select host_id from host_queue
      where crawl_id = $1 and host_id > $2 and (has_queued or leased > 0) order by host_id limit $3
   ), waited as materialized (
     select q.host_id, ${columns((cause) => `open.${cause}`)}
       from batch join host_queue q on q.host_id = batch.host_id and q.crawl_id = $1
       ${rowsOfHost}
       ${openWaits}
      where ${unvisited} and c.started_at is not null
   ), noted as (
     insert into host_time as t (crawl_id, host_id, until, ${columns((cause) => cause)})
     select $1, host_id, now(), ${columns((cause) => cause)} from waited order by host_id
     on conflict (crawl_id, host_id) do update
       set until = greatest(t.until, excluded.until), ${columns((cause) => `${cause} = t.${cause} + excluded.${cause}`)}
   )
   select max(host_id) as host_id from batch`;

/** Seconds by cause, and at how many hosts with work it was looked what they wait for now, of how many. */
type TimeSums = Readonly<Record<TimeCause, number>> & {
  readonly looked_at: number;
  readonly hosts_with_work: number;
};

/** SQL: the time of a cause; at a host that the tenant may not know all its time is that of our own work. @param known SQL */
const asKnown = (of: (cause: TimeCause) => string, cause: TimeCause, known: string): string => {
  const unknown = cause === 'own_work' ? timeCauseNames.map(of).join(' + ') : '0';
  return `case when coalesce(${known}, false) then ${of(cause)} else ${unknown} end`;
};

/**
 * The time of a crawl by cause, in seconds: what is counted, and, while it runs, what its hosts wait for now. A look at
 * a host takes some 0.25 ms. If more than `most` hosts have work, it is taken at so many of them, chosen by hashes of
 * their ids, and stands for all.
 */
export const timesOfCrawl = statement<[crawlId: string, most: number], TimeSums>('times-of-crawl')`
   with working as materialized (
     select q.host_id from host_queue q join crawl c on c.id = q.crawl_id
      where q.crawl_id = $1 and (q.has_queued or q.leased > 0) and c.state = 'running'
   ), looked as materialized (
     select host_id from working order by hashint8(host_id), host_id limit $2
   ), extent as materialized (
     select (select count(*) from working) as hosts, (select count(*) from looked) as looked
   ), waits as (
     select ${columns((cause) => `${asKnown((name) => `open.${name}`, cause, mayKnow('c'))} * extent.hosts / extent.looked as ${cause}`)}
       from looked join host_queue q on q.host_id = looked.host_id and q.crawl_id = $1 ${rowsOfHost}
       ${openWaits}
       cross join extent
      where ${unvisited} or not ${mayKnow('c')}
     union all
     select ${columns((cause) => `${asKnown((name) => `t.${name}`, cause, mayKnow('c'))}::float8`)}
       from host_time t
       join crawl c on c.id = t.crawl_id
       left join host_queue q on q.host_id = t.host_id and q.crawl_id = t.crawl_id
      where t.crawl_id = $1
   )
   select ${columns((cause) => `coalesce(sum(${cause}), 0) as ${cause}`)},
          (select looked from extent)::int as looked_at, (select hosts from extent)::int as hosts_with_work from waits`;
