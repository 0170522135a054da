/** Complaints about the crawler. */
import { statement } from '../postgres/index.ts';

export interface ComplaintRow {
  readonly id: string;
  readonly domain: string;
  readonly text: string;
  readonly contact: string | null;
  readonly created_at: Date;
  /** Number of complaints about this domain so far. */
  readonly complaints: number;
}

/** Complaints, newest first. `domain`: only about this domain; `before`: only older than this id; null: any. */
export const listComplaints = statement<
  [domain: string | null, before: string | null, limit: number],
  ComplaintRow
>('list-complaints')`
   select p.id::text, p.domain, p.text, p.contact, p.created_at, c.complaints
     from complaint p join complaint_count c on c.domain = p.domain
    where ($1::text is null or p.domain = $1) and ($2::bigint is null or p.id < $2)
    order by p.id desc limit $3`;

/** Stores a complaint and counts it. */
export const insertComplaint = statement<
  [domain: string, text: string, contact: string | null],
  ComplaintRow
>('insert-complaint')`
   with counted as (
     insert into complaint_count as c (domain, complaints) values ($1, 1)
     on conflict (domain) do update set complaints = c.complaints + 1
     returning complaints
   ), stored as (
     insert into complaint (domain, text, contact) values ($1, $2, $3)
     returning id::text, domain, text, contact, created_at
   )
   select s.*, c.complaints from stored s cross join counted c`;
