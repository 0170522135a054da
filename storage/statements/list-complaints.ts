import { statement } from '../statement.ts';

export interface ComplaintRow {
  readonly id: string;
  readonly domain: string;
  readonly text: string;
  readonly contact: string | null;
  readonly created_at: Date;
  /** About this domain so far. */
  readonly complaints: number;
}

/** Newest first. `domain`: about this one only; `before`: older than this id; null: any. */
export const listComplaints = statement<
  [domain: string | null, before: string | null, limit: number],
  ComplaintRow
>(
  'list-complaints',
  `select p.id::text, p.domain, p.text, p.contact, p.created_at, c.complaints
     from complaint p join complaint_count c on c.domain = p.domain
    where ($1::text is null or p.domain = $1) and ($2::bigint is null or p.id < $2)
    order by p.id desc limit $3`,
);
