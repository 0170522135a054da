/** Paths that were made up to see how hosts answer them, and the pages that are held for it. */
import type { CrawlStands } from '../../domain/crawl-life.ts';
import type { Evidence } from '../../domain/traps/rules.ts';
import type { ErrorSign } from '../../domain/soft-404/judge.ts';
import type { AnswerPrint } from '../../domain/soft-404/print.ts';
import { statement } from '../postgres/index.ts';

/** Claims the day's made-up path of a host for a crawl. No row: the host was asked within a day, or for this shape. */
export const claimMadeUp = statement<
  [hostId: number, crawlId: number, key: string, shape: string, sibling: string],
  { readonly host_id: number }
>(
  'claim-made-up',
  `insert into made_up_path as m (host_id, crawl_id, key, shapes, sibling)
   values ($1, $2, decode($3, 'hex'), array[$4], $5)
   on conflict (host_id) do update
     set asked_at = now(), crawl_id = excluded.crawl_id, key = excluded.key, sibling = excluded.sibling, judged = false,
         shapes = case when m.crawl_id = excluded.crawl_id then m.shapes || excluded.shapes else excluded.shapes end
    where m.asked_at < now() - interval '1 day'
      and not coalesce(m.crawl_id = excluded.crawl_id and m.shapes @> excluded.shapes, false)
   returning host_id`,
);

export interface MadeUp {
  readonly host_id: number;
  readonly crawl_id: number;
  /** The folder for which it was asked. */
  readonly shape: string;
  readonly sibling: AnswerPrint;
}

/** What a crawl is asking a host for by this path (hex); no row: nothing any more, or the answer was judged. */
export const openMadeUp = statement<[hostId: number, crawlId: number, key: string], MadeUp>(
  'open-made-up',
  `select host_id, crawl_id, shapes[cardinality(shapes)] as shape, sibling
     from made_up_path where host_id = $1 and crawl_id = $2 and key = decode($3, 'hex') and not judged`,
);

/** Answers to made-up paths that nobody read, since they have no body: redirects, errors. */
export const bodilessAnswers = statement<
  [limit: number],
  MadeUp & { readonly status: number | null; readonly redirect_to: string | null; readonly url: string }
>(
  'bodiless-answers',
  `select m.host_id, m.crawl_id, m.shapes[cardinality(m.shapes)] as shape, m.sibling, u.status, u.redirect_to, u.url
     from made_up_path m
     join url u on u.host_id = m.host_id and u.crawl_id = m.crawl_id and u.key = m.key
    where not m.judged and u.state not in ('queued', 'leased') and u.stage = 0 limit $1`,
);

export const noteJudged = statement<[hostId: number], Record<string, never>>(
  'note-judged',
  `update made_up_path set judged = true where host_id = $1`,
);

/**
 * Puts a sign of missing pages into quarantine; pages are looked for by it at the next look. No row: somebody gave
 * another verdict on it, or the crawl was removed.
 */
export const holdSign = statement<
  [crawlId: number, hostId: number, shape: string, evidence: Evidence, sign: ErrorSign],
  { readonly id: string }
>(
  'hold-sign',
  `with raised as (
     update crawl set quarantine_revision = quarantine_revision + 1
      where id = $1 and removed_at is null returning quarantine_revision
   )
   insert into quarantine (crawl_id, host_id, shape, rule, evidence, sign, verdict, revision, sample_at)
   select $1, $2, $3, 'soft-404', $4, $5, 'held', quarantine_revision, now() from raised
   on conflict (crawl_id, host_id, shape) do update
     set sign = excluded.sign, revision = excluded.revision where quarantine.verdict = 'held'
   returning id::text`,
);

export interface ReadBefore {
  /** Hex. */
  readonly key: string;
  readonly url: string;
  readonly content_hash: Buffer;
  readonly content_type: string | null;
  readonly title: string | null;
}

/** Pages of a crawl at a host that were read, seeds aside. */
export const pagesReadBefore = statement<[hostId: number, crawlId: number, limit: number], ReadBefore>(
  'pages-read-before',
  `select encode(u.key, 'hex') as key, u.url, u.content_hash, u.content_type, p.title
     from url u join page p on p.host_id = u.host_id and p.crawl_id = u.crawl_id and p.key = u.key
    where u.host_id = $1 and u.crawl_id = $2 and u.state = 'done' and u.kind = 0 and not u.seed and u.stage = 0
      and u.content_hash is not null
    order by u.fetched_at desc limit $3`,
);

/** Pages of a crawl at a host that redirect to a URL, seeds aside: those after a key (hex), in the order of keys. */
export const redirectingTo = statement<
  [hostId: number, crawlId: number, target: string, after: string, limit: number],
  { readonly key: string; readonly url: string }
>(
  'redirecting-to',
  `select encode(key, 'hex') as key, url from url
    where host_id = $1 and crawl_id = $2 and state = 'done' and kind = 0 and not seed and redirect_to = $3
      and key > decode($4, 'hex')
    order by key limit $5`,
);

/** Copies at the same host of pages that are held with this detail, which were judged before these were read. */
export const copiesOfHeld = statement<
  [hostId: number, crawlId: number, detail: string, limit: number],
  { readonly key: string }
>(
  'copies-of-held',
  `select encode(a.key, 'hex') as key
     from url o
     join url a on a.host_id = o.host_id and a.crawl_id = o.crawl_id and a.alias_host = o.host_id and a.alias_key = o.key
    where o.host_id = $1 and o.crawl_id = $2 and o.state = 'excluded' and o.reason in ('trap', 'soft-404') and o.detail = $3
      and a.state = 'done' and a.kind = 0 and not a.seed and a.stage = 0
    limit $4`,
);

/**
 * Holds pages that were read, and their aliases, for a quarantine: their detail names it, as `quarantineDetail` says.
 * Answers a row for each.
 */
export const holdPages = statement<
  [hostId: number, crawlId: number, keys: readonly string[], detail: string],
  { readonly key: string }
>(
  'hold-pages',
  `with named as materialized (select decode(key, 'hex') as key from unnest($3::text[]) key),
   held as materialized (select from host_queue where host_id = $1 and crawl_id = $2 for update)
   update url u set state = 'excluded', reason = 'soft-404', detail = $4
    where u.host_id = $1 and u.crawl_id = $2 and u.state = 'done' and u.kind = 0 and not u.seed and u.stage = 0
      and (select count(*) from held) >= 0
      and (u.key in (select key from named)
           or (u.alias_host = $1 and u.alias_key in (select key from named)))
   returning encode(u.key, 'hex') as key`,
);

export interface RepeatedText {
  /** Hex: of the text, or of the body where the text is too short to tell. */
  readonly text: string;
  /** Hex: some of the pages that were read with this text. */
  readonly keys: readonly string[];
  readonly pages: number;
  /** A seed or the home page has it. */
  readonly wanted: boolean;
  /** Pages of the host. */
  readonly of: number;
}

/** The text that most pages of a crawl at a host have. */
export const mostRepeated = statement<[hostId: number, crawlId: number], RepeatedText>(
  'most-repeated',
  `select encode(text, 'hex') as text, keys, pages::int as pages, wanted, (sum(pages) over ())::int as of
     from (select coalesce(p.text_hash, u.content_hash) as text, count(*) as pages,
                  bool_or(u.seed or u.url ~ '^https?://[^/]+/?$') as wanted,
                  coalesce(array_agg(encode(u.key, 'hex')) filter (where u.alias_key is null), '{}') as keys
             from url u
             left join page p on p.host_id = u.host_id and p.crawl_id = u.crawl_id
              and p.key = case when u.alias_host = u.host_id then u.alias_key else u.key end
            where u.host_id = $1 and u.crawl_id = $2 and u.state = 'done' and u.kind = 0 and u.status between 200 and 299
              and u.content_hash is not null
            group by 1) texts
    order by pages desc limit 1`,
);

export interface DueSign extends CrawlStands {
  readonly id: string;
  readonly crawl_id: number;
  readonly host_id: number;
  readonly shape: string;
  readonly sign: ErrorSign;
}

/** Signs by which pages are to be looked for again. */
export const dueSigns = statement<[limit: number], DueSign>(
  'due-signs',
  `select q.id::text, q.crawl_id, q.host_id, q.shape, q.sign, c.state, c.cause, c.reason
     from quarantine q join crawl c on c.id = q.crawl_id
    where q.verdict = 'held' and q.rule = 'soft-404' and q.sample_at <= now() order by q.sample_at limit $1`,
);

/** When pages are looked for by a sign again; null: never. */
export const lookAgain = statement<[id: string, seconds: number | null], Record<string, never>>(
  'look-again',
  `update quarantine set sample_at = now() + $2::float8 * interval '1 second' where id = $1`,
);
