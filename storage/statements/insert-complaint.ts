import { statement } from '../statement.ts';
import type { ComplaintRow } from './list-complaints.ts';

/** Stores a complaint and counts it. */
export const insertComplaint = statement<
  [domain: string, text: string, contact: string | null],
  ComplaintRow
>(
  'insert-complaint',
  `with counted as (
     insert into complaint_count as c (domain, complaints) values ($1, 1)
     on conflict (domain) do update set complaints = c.complaints + 1
     returning complaints
   ), stored as (
     insert into complaint (domain, text, contact) values ($1, $2, $3)
     returning id::text, domain, text, contact, created_at
   )
   select s.*, c.complaints from stored s cross join counted c`,
);
