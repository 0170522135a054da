/**
 * The SQL that the statements of the pages feed share: which rows are in the feed, which of them fit the filters, and
 * which columns of the chosen rows are read. Their values are `FeedParams`.
 */
import type { PageFilter } from '../../contracts/http/page-filter.ts';
import { listedFields, listedNames, type MadeField, type PageField } from '../../contracts/page-fields.ts';
import type { StoredKind } from '../../domain/url-kind.ts';
import { readingOf } from './copy-ranking.ts';

/** What rows must fit; null: any. */
export interface FilterParams {
  readonly leastStatus: number | null;
  readonly mostStatus: number | null;
  /** `type/subtype` or `type/*`, lower case. */
  readonly mediaType: string | null;
  /** What the URLs are fetched for, as `url.kind` has it. */
  readonly kinds: readonly StoredKind[];
}

export const filterParams = (
  { status, contentType }: PageFilter,
  kinds: readonly StoredKind[],
): FilterParams => ({
  leastStatus: status?.least ?? null,
  mostStatus: status?.most ?? null,
  mediaType: contentType ?? null,
  kinds,
});

export interface FeedParams extends FilterParams {
  readonly crawlId: string;
  /** The place after which rows come. */
  readonly micros: number;
  readonly hostId: string;
  readonly key: string;
  /** Microseconds since 1970, before which rows come; null: all. */
  readonly horizon: number | null;
  readonly limit: number;
  /** Which of the large values are read: `links`, `meta`, `fields`. */
  readonly fields: readonly string[];
  readonly mostBytes: number;
}

/**
 * The page that the page in the row is nearly a duplicate of, as a JSON object in `of`; no row: it is of none. Where that
 * page has turned out to be a copy, it is the page that stands for it: of the two that one alone is in exports of texts.
 */
export const nearDuplicateOf = (row: string): string =>
  `select json_build_object('url', coalesce(first.url, ou.url), 'likeness', t.likeness, 'distance', t.distance) as of
         from text_print t
         join content own on own.crawl_id = t.crawl_id and own.id = t.content_id
         join text_print o on o.id = t.original and o.id <> t.id
         join content oc on oc.crawl_id = o.crawl_id and oc.id = o.content_id
         join url ou on ou.host_id = oc.host_id and ou.crawl_id = oc.crawl_id and ou.key = oc.key
         left join url first on first.host_id = ou.alias_host and first.crawl_id = ou.crawl_id and first.key = ou.alias_key
        where t.crawl_id = ${row}.crawl_id and t.content_id = ${row}.content_id
          and (own.host_id, own.key) = (${row}.host_id, ${row}.key)
          and (first.host_id, first.key) is distinct from (own.host_id, own.key)`;

/**
 * Where the body of the row was stored first, if that was in another crawl of the same tenant, as a JSON object in `of`: in
 * that crawl the page with the same URL if it has this body, else the page that stands for the body. No row: the crawl of
 * the row had the body first. Looks at one crawl, however many have the body.
 */
export const revisitOf = (row: string): string =>
  `select json_build_object('crawlId', f.crawl_id::text, 'url', coalesce(s.url, o.url), 'storedAt', to_char(f.first_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as of
         from (select c.crawl_id, c.host_id, c.key, c.first_at
                 from content c join crawl k on k.id = c.crawl_id and k.removed_at is null
                where c.hash = ${row}.content_hash
                  and c.tenant_id = (select tenant_id from crawl own where own.id = ${row}.crawl_id)
                order by c.first_at, c.crawl_id limit 1) f
         join url o on o.host_id = f.host_id and o.crawl_id = f.crawl_id and o.key = f.key
         left join url s on s.host_id = ${row}.host_id and s.crawl_id = f.crawl_id and s.key = ${row}.key
          and s.content_hash = ${row}.content_hash
        where f.crawl_id <> ${row}.crawl_id`;

/** The row `u` comes after the place and before the horizon. */
export const withinFeed = `(u.fetched_at, u.host_id, u.key) >
            (timestamptz 'epoch' + $micros::bigint * interval '1 microsecond', $hostId::bigint, decode($key, 'hex'))
        and ($horizon::bigint is null or u.fetched_at < timestamptz 'epoch' + $horizon::bigint * interval '1 microsecond')`;

/** The media type as domain/media-filter.ts reads it: the first if the field has several, without parameters. */
const mediaTypeOf = (row: string): string =>
  `lower(btrim(split_part(split_part(${row}.content_type, ';', 1), ',', 1), E' \\t'))`;

/** The row is an answer of a chosen kind that has its outcome and fits the filters. Never null. */
export const fits = (row: string): string =>
  `(${row}.kind = any ($kinds::smallint[]) and ${row}.state not in ('queued', 'leased')
              and ($leastStatus::int is null
                   or coalesce(${row}.status between $leastStatus and $mostStatus::int, false))
              and ($mediaType::text is null
                   or coalesce($mediaType in (${mediaTypeOf(row)}, split_part(${mediaTypeOf(row)}, '/', 1) || '/*'), false)))`;

/** Of what the page looks like; a row that no browser has rendered costs no look. */
const lookOf = (column: 'screenshot_hash' | 'pdf_hash'): string =>
  `case when r.answer_hash is not null then (
               select encode(g.${column}, 'hex') from rendering g
                where g.host_id = r.host_id and g.crawl_id = r.crawl_id and g.key = r.key and g.answer_hash = r.answer_hash) end`;

/** Fields that are made here, beside the columns that rows have. */
const made: Readonly<Record<MadeField, string>> = {
  duplicateOf: 'original.url',
  duplicateBy: `case when original.url is null then null
               when original.content_hash = r.content_hash or original.reported_hash = r.reported_hash then 'body'
               else 'text' end`,
  nearDuplicateOf: 'near.of',
  revisitOf: 'revisit.of',
  screenshot: lookOf('screenshot_hash'),
  pdf: lookOf('pdf_hash'),
  cut: `coalesce(case when p.is_reextracted then p.cut else coalesce(r.cut, original.cut) end, '{}')`,
};

const listed = listedNames
  .map((name) => {
    const { from, column } = listedFields[name];
    return `${from === 'feed' ? made[name as MadeField] : `${from === 'url' ? 'r' : 'p'}.${column}`} as "${name}"`;
  })
  .join(', ');

/** The large values that are stored, by the fields that ask for them: their columns, and what tells their bytes. */
const large = { links: 'outlinks', meta: 'meta', fields: 'fields' } as const satisfies {
  [F in PageField]?: string;
};
const largeFields = Object.entries(large);

const bytesOf = (row: string, column: string): string =>
  `${column === 'outlinks' ? 'octet_length' : 'pg_column_size'}(${row}.${column})`;

/**
 * Goes behind `feed`, rows of `url` with `fits` and `looked`. What extraction found comes from the content at which the
 * row points. Links, metadata and fields are read only as far as `mostBytes` allow, and rows behind that point
 * not at all; one row always comes.
 */
export const readFeed = `read as (
     select f.*,
            sum(case when not f.fits then 0 else ${largeFields
              .map(
                ([field, column]) =>
                  `case when '${field}' = any ($fields::text[])
                        then coalesce(${bytesOf('p', column)}, 0) else 0 end`,
              )
              .join(' + ')} end)
              over (order by f.fetched_at, f.host_id, f.key) as weight,
            row_number() over (order by f.fetched_at, f.host_id, f.key) as place
       from feed f
       left join ${readingOf('f')}
   )
   select (extract(epoch from r.fetched_at) * 1000000)::bigint as micros, r.host_id, encode(r.key, 'hex') as key,
          ${listed}, ${largeFields
            .map(
              ([field, column]) => `case when '${field}' = any ($fields) then p.${column} end as ${column}`,
            )
            .join(', ')}, h.origin, r.kind, r.fits, r.looked
     from read r
     left join ${readingOf('r')}
     left join host h on h.id = p.host_id
     left join url original
       on original.host_id = r.alias_host and original.crawl_id = r.crawl_id and original.key = r.alias_key
     left join lateral (
       ${nearDuplicateOf('r')}
     ) near on true
     left join lateral (
       ${revisitOf('r')}
     ) revisit on true
    where r.place = 1 or r.weight <= $mostBytes
    order by r.fetched_at, r.host_id, r.key`;
