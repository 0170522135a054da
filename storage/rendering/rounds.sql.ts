/** What became of pages in a round of the browser. */
import type { RenderOutcome } from '../../domain/rendering/outcome.ts';
import { storedStages } from '../../domain/stage.ts';
import type { Place } from '../archive/index.ts';
import { isOurs } from '../pages/index.ts';
import { statement } from '../postgres/index.ts';
import { countKept, cutOfKept } from './kept.ts';

const render = String(storedStages.render);

/** Notes that pages of a crawl are rendered from now on, before the first of them is given to the browser. */
export const beginRendering = statement<[crawlId: number]>('begin-rendering')`
   update crawl set renders_since = now() where id = $1 and renders_since is null`;

/** What is known of a page that waits for a round. */
export interface RenderingFacts {
  readonly host_id: number;
  readonly crawl_id: number;
  /** Hex. */
  readonly key: string;
  /** Why it needs a browser. */
  readonly reason: string;
  /** Rounds and crashes so far. */
  readonly rounds: number;
  readonly crashes: number;
  /** Rounds since the last that ended: their processes ended in them. */
  readonly unended: number;
  /** It waits for nothing any more. */
  readonly is_late: boolean;
  /** Of the page as the server sent it; null: nothing was read. */
  readonly words: number | null;
  readonly links: number | null;
  /** URLs that its rounds have brought into the frontier. */
  readonly admitted: number;
  /** The answer that first brought its body came to a crawl of the same tenant. */
  readonly is_ours: boolean;
}

/** The rendering `g` goes on, and is of the answer that the page `u` has. */
const goesOn = 'g.answer_hash = u.content_hash and g.outcome is null';

/** `rows`: [{host_id, crawl_id, key}]. */
export const renderingFacts = statement<[rows: string], RenderingFacts>('rendering-facts')`
   select u.host_id, u.crawl_id, encode(u.key, 'hex') as key, coalesce(g.reason, c.shell, '') as reason,
          coalesce(g.rounds, 0)::int as rounds, coalesce(g.crashes, 0)::int as crashes,
          coalesce(n.unended, 0)::int as unended,
          coalesce(g.until <= now(), false) as is_late, p.words, p.links,
          coalesce(g.admitted, 0)::int as admitted, ${isOurs} as is_ours
     from json_to_recordset($1) as r(host_id bigint, crawl_id bigint, key text)
     join url u on u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = decode(r.key, 'hex') and u.stage = ${render}
     join crawl k on k.id = u.crawl_id
     left join body b on b.hash = u.content_hash
     left join content c on c.crawl_id = u.crawl_id and c.id = u.content_id
     left join reading p on p.crawl_id = u.crawl_id and p.content_id = u.content_id and p.job_id = 0
     left join rendering n on n.host_id = u.host_id and n.crawl_id = u.crawl_id and n.key = u.key
     left join rendering g on g.host_id = u.host_id and g.crawl_id = u.crawl_id and g.key = u.key and ${goesOn}`;

/** Notes that a round of a page begins. */
export const beginRound = statement<[hostId: number, crawlId: number, key: string, reason: string]>(
  'begin-round',
)`
   insert into rendering as g (host_id, crawl_id, key, answer_hash, reason, rounds, crashes, unended)
   select u.host_id, u.crawl_id, u.key, u.content_hash, $4, 0, 0, 1
     from url u
    where u.host_id = $1 and u.crawl_id = $2 and u.key = decode($3, 'hex') and u.stage = ${render}
   on conflict (host_id, crawl_id, key) do update set unended = g.unended + 1`;

/** Notes that it has ended, however it did. */
export const endRound = statement<[hostId: number, crawlId: number, key: string]>('end-round')`
   update rendering set unended = 0 where host_id = $1 and crawl_id = $2 and key = decode($3, 'hex')`;

/** What follows a round for one page, as JSON. Bytes are hex strings. */
export interface RoundRow {
  readonly host_id: number;
  readonly crawl_id: number;
  readonly key: string;
  /** Of the answer's body, from which the page was rendered. A page that has another one by now stays as it is. */
  readonly answer: string;
  /**
   * `resources`: it waits. `dedup`: the browser's body is judged and read. `none`: the page keeps what was read of it, as a
   * copy where another page stands for that.
   */
  readonly to: typeof storedStages.resources | typeof storedStages.dedup | typeof storedStages.none;
  readonly reason: string;
  /** This one included: a page that has had another number of them stays as it is. */
  readonly rounds: number;
  readonly crashes: number;
  /** How the rendering ended; null: it goes on. */
  readonly outcome: RenderOutcome | null;
  readonly words_before: number | null;
  readonly links_before: number | null;
  /** Milliseconds until what the page waits for is looked at, and for which it waits at most. */
  readonly due_in_ms?: number;
  readonly until_ms?: number;
  readonly waits: readonly { readonly origin: string; readonly key: string }[];
  readonly admitted: number;
  /** Files did not come since their hosts have logged the crawl out. */
  readonly lacks_login: boolean;
  /** What limits have kept from the page: files, frames, the rest of its text. */
  readonly lacks: number;
  readonly resources: readonly { readonly url: string; readonly type: string; readonly outcome: string }[];
  readonly refused: Readonly<Record<string, number>>;
  readonly console: readonly string[];
  readonly navigation: string | null;
  /** Hashes of what the browser made of the page: its HTML, which becomes the page's body, and what it looks like. */
  readonly body?: string;
  readonly screenshot?: string;
  readonly pdf?: string;
  /** Where the records of these lie. */
  readonly made?: readonly ({ readonly hash: string } & Place)[];
  /** Bytes of what the page looks like, kept or not; absent: the browser made none. */
  readonly screenshot_bytes?: number;
  readonly pdf_bytes?: number;
}

/**
 * Moves pages on after a round, with what it has shown. A page that stands for nothing and points at a content of another
 * page is that page's copy again, until its body is judged: so it is found when that page leaves. Answers segments that
 * were closed before the records in them could be committed: their pages stay where they are, for another round.
 */
export const noteRounds = statement<[rows: string], { closed: number }>('note-rounds')`
   with r as materialized (
     select *, decode(key, 'hex') as place
       from json_to_recordset($1) as r(
         host_id bigint, crawl_id bigint, key text, answer text, "to" smallint, reason text, rounds smallint,
         crashes smallint, outcome text, words_before int, links_before int, due_in_ms float8, until_ms float8, waits jsonb, admitted int, lacks_login boolean, lacks int,
         resources jsonb, refused jsonb, console jsonb, navigation text, body text,
         screenshot text, pdf text, made jsonb, screenshot_bytes int, pdf_bytes int)
      order by host_id, crawl_id, key
   ), made as materialized (
     select r.host_id, r.crawl_id, r.place, decode(m.hash, 'hex') as hash, m.segment, m.at, m.length
       from r cross join jsonb_to_recordset(r.made) as m(hash text, segment int, at bigint, length int)
   ), taking as materialized (
     select id from segment where id in (select segment from made) and state = 'open' order by id for share
   ), moved as (
     update url u
        set stage = r."to",
            content_hash = coalesce(decode(r.body, 'hex'), u.content_hash),
            answer_hash = case when r.body is not null then u.content_hash end,
            -- What the plain reading left out says nothing of what the browser made, which may be read as a copy only.
            cut = case when r.body is not null then null when r."to" > 0 then u.cut else ${cutOfKept('o.key is not null')} end,
            alias_host = case when r."to" < ${render} then o.host_id end, alias_key = case when r."to" < ${render} then o.key end
       from r
       left join lateral (
         select c.host_id, c.key
           from url p join content c on c.crawl_id = p.crawl_id and c.id = p.content_id
          where p.host_id = r.host_id and p.crawl_id = r.crawl_id and p.key = r.place
            and (c.host_id, c.key) <> (p.host_id, p.key)) o on true
      where u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = r.place and u.stage = ${render}
        and u.content_hash = decode(r.answer, 'hex')
        and coalesce((select g.rounds + g.crashes from rendering g
                       where g.host_id = u.host_id and g.crawl_id = u.crawl_id and g.key = u.key and ${goesOn}), 0)
            = r.rounds + r.crashes - 1
        and not exists (select from made m
                         where m.host_id = r.host_id and m.crawl_id = r.crawl_id and m.place = r.place
                           and m.segment not in (select id from taking))
     returning u.content_id, r.*
   ), stored as (
     insert into body (hash, segment, at, length, tenant_id)
     select distinct on (d.hash) d.hash, d.segment, d.at, d.length,
            (select tenant_id from crawl c where c.id = m.crawl_id)
       from moved m join made d on d.host_id = m.host_id and d.crawl_id = m.crawl_id and d.place = m.place
      order by d.hash
     -- Whoever frees the body just now is waited for.
     on conflict (hash) do update set hash = excluded.hash
   ), due as (
     insert into content_due (crawl_id, content_id)
     select crawl_id, content_id from moved where "to" = 0 and content_id is not null
   ), ${countKept('(select * from moved where "to" = 0)')}, noted as (
     insert into rendering as g (host_id, crawl_id, key, answer_hash, reason, rounds, crashes, outcome, due_at, until, waits, admitted, lacks_login, lacks,
                                 words_before, links_before, resources, refused, console, navigation,
                                 screenshot_hash, pdf_hash, screenshot_bytes, pdf_bytes, ended_at)
     select host_id, crawl_id, place, decode(answer, 'hex'), reason, rounds, crashes, outcome,
            now() + due_in_ms * interval '1 millisecond', now() + until_ms * interval '1 millisecond', waits, admitted, lacks_login, lacks,
            words_before, links_before, resources, refused, console, navigation,
            decode(screenshot, 'hex'), decode(pdf, 'hex'), screenshot_bytes, pdf_bytes,
            case when outcome is not null then now() end
       from moved order by host_id, crawl_id, key
     on conflict (host_id, crawl_id, key) do update
       set answer_hash = excluded.answer_hash, reason = excluded.reason, rounds = excluded.rounds,
           crashes = excluded.crashes, outcome = excluded.outcome, due_at = excluded.due_at, looks = 0, unended = 0,
           until = case when g.answer_hash = excluded.answer_hash and g.outcome is null
                        then coalesce(g.until, excluded.until) else excluded.until end,
           waits = excluded.waits, admitted = excluded.admitted, lacks_login = excluded.lacks_login, lacks = excluded.lacks, words_before = excluded.words_before, links_before = excluded.links_before,
           resources = excluded.resources, refused = excluded.refused, console = excluded.console,
           navigation = excluded.navigation,
           screenshot_hash = excluded.screenshot_hash, pdf_hash = excluded.pdf_hash,
           screenshot_bytes = excluded.screenshot_bytes, pdf_bytes = excluded.pdf_bytes, ended_at = excluded.ended_at
   )
   select distinct segment as closed from made where segment not in (select id from taking)`;
