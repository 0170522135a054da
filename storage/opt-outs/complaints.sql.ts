/** Complaints about the crawler (F15): stored, and counted by domain. No complaint opts a domain out by itself. */
import type { ComplaintView } from '../../contracts/opt-out.ts';
import { one, type Queryable, retrying, view } from '../postgres/index.ts';

/** Complaints, newest first. `domain`: only about this domain; `before`: only older than this id; null: any. */
export const complaintsBefore = view<
  [domain: string | null, before: string | null, limit: number],
  ComplaintView
>('complaints-before')`
   select p.id::text, p.domain, p.text, p.contact, p.created_at, c.complaints as complaints_of_domain
     from complaint p join complaint_count c on c.domain = p.domain
    where ($1::text is null or p.domain = $1) and ($2::bigint is null or p.id < $2)
    order by p.id desc limit $3`;

const insertComplaint = view<[domain: string, text: string, contact: string | null], ComplaintView>(
  'insert-complaint',
)`
   with counted as (
     insert into complaint_count as c (domain, complaints) values ($1, 1)
     on conflict (domain) do update set complaints = c.complaints + 1
     returning complaints
   ), stored as (
     insert into complaint (domain, text, contact) values ($1, $2, $3)
     returning id::text, domain, text, contact, created_at
   )
   select s.*, c.complaints as complaints_of_domain from stored s cross join counted c`;

/** Stores a complaint and counts it. @param domain as `readDomain` answers it */
export const storeComplaint = (
  db: Queryable,
  domain: string,
  text: string,
  contact: string | null,
): Promise<ComplaintView> => one(retrying(() => insertComplaint(db, domain, text, contact)));
