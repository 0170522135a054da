/** The quality of hosts: samples of their URLs, and what was made of them. */
import { goodQuality, thinWords, type HostSample, type QualityParts } from '../../domain/host-quality.ts';
import { statement } from '../postgres/index.ts';

/** Crawls of a host that a sample looks at, the latest, and URLs of each: any, since keys are hashes. */
const crawls = 3;
const urlsOfCrawl = 200;

export interface SampledHost extends HostSample {
  readonly id: number;
  /** Null: the host was not looked at yet. */
  readonly quality: number | null;
  /** Nothing to look at: the last look is less than a day old, or the host has never answered. */
  readonly fresh: boolean;
}

/** Hosts after an id, with samples of those that are known and whose last look is a day old. */
export const sampleHosts = statement<[after: number, limit: number, daySeconds: number], SampledHost>(
  'sample-hosts',
  `with chosen as materialized (
     select h.id, q.quality, h.known_at is null or coalesce(q.looked_at > now() - $3 * interval '1 second', false) as fresh
       from host h left join host_quality q on q.host_id = h.id
      where h.id > $1 order by h.id limit $2
   )
   select c.id, c.quality, c.fresh, s.urls, s.pages, s.duplicates, s.thin, s.errors, s.traps, s.inbound
     from chosen c
    cross join lateral (
      select count(*)::int as urls,
             count(*) filter (where u.state = 'done' and u.status between 200 and 299)::int as pages,
             count(*) filter (where u.alias_key is not null)::int as duplicates,
             count(*) filter (where u.alias_key is null and p.words < ${String(thinWords)})::int as thin,
             count(*) filter (where u.state = 'failed' or u.status >= 500)::int as errors,
             count(*) filter (where u.state = 'excluded' and u.reason = 'trap')::int as traps,
             count(distinct u.parent_host) filter (where u.parent_host <> c.id)::int as inbound
        from (select q.crawl_id from host_queue q
               where q.host_id = c.id and not c.fresh order by q.crawl_id desc limit ${String(crawls)}) of
       cross join lateral (
         select * from url where host_id = c.id and crawl_id = of.crawl_id and kind = 0
          order by key limit ${String(urlsOfCrawl)}) u
        left join page p on p.host_id = u.host_id and p.crawl_id = u.crawl_id and p.key = u.key) s
    order by c.id`,
);

/** `rows`: [{host_id, quality, parts, urls}]. */
export const storeQualities = statement<[rows: string], Record<string, never>>(
  'store-qualities',
  `insert into host_quality (host_id, quality, parts, urls)
   select host_id, quality, parts, urls
     from json_to_recordset($1) as r(host_id bigint, quality real, parts jsonb, urls int) order by host_id
   on conflict (host_id) do update
     set quality = excluded.quality, parts = excluded.parts, urls = excluded.urls, looked_at = now()`,
);

/** Pins the quality of a host, or takes the pin back (null). No row: there is no such host. */
export const pinQuality = statement<[origin: string, quality: number | null], { host_id: number }>(
  'pin-quality',
  `insert into host_quality (host_id, quality, pinned, parts, urls, looked_at)
   select id, 1, $2, '{}', 0, '-infinity' from host where origin = $1
   on conflict (host_id) do update set pinned = excluded.pinned
   returning host_id`,
);

export interface QualityRow {
  readonly id: number;
  readonly origin: string;
  /** The one in force. */
  readonly quality: number;
  readonly pinned: boolean;
  readonly parts: Partial<QualityParts>;
  readonly urls: number;
  /** Null: never. */
  readonly looked_at: Date | null;
}

const columns = `h.id, h.origin, coalesce(q.pinned, q.quality, 1)::float8 as quality, q.pinned is not null as pinned,
          coalesce(q.parts, '{}') as parts, coalesce(q.urls, 0) as urls,
          nullif(q.looked_at, '-infinity') as looked_at`;

/** Hosts below a quality, the worst first, after one of them. */
export const poorHosts = statement<
  [below: number, afterQuality: number, afterId: number, limit: number],
  QualityRow
>(
  'poor-hosts',
  `select ${columns}
     from host_quality q join host h on h.id = q.host_id
    where coalesce(q.pinned, q.quality) < ${String(goodQuality)} and coalesce(q.pinned, q.quality) < $1::float8
      and (coalesce(q.pinned, q.quality)::float8 > $2 or (coalesce(q.pinned, q.quality)::float8 = $2 and q.host_id > $3))
    order by coalesce(q.pinned, q.quality), q.host_id limit $4`,
);

/** Qualities of hosts; 1 for those that were neither looked at nor pinned. */
export const qualitiesOf = statement<[origins: readonly string[]], QualityRow>(
  'qualities-of',
  `select ${columns} from host h left join host_quality q on q.host_id = h.id where h.origin = any ($1)`,
);

/** Is there any host for which something follows from its quality? */
export const hasPoorHosts = statement<[], { any: boolean }>(
  'has-poor-hosts',
  `select exists (select from host_quality where coalesce(pinned, quality) < ${String(goodQuality)}) as any`,
);
