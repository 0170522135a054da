/** Text that repeats over the pages of a host: counted as pages are read, and looked up when texts are shown. */
import type { StoredCounts } from '../../domain/boilerplate/block-counts.ts';
import { statement } from '../postgres/index.ts';

/** A block that many pages of a host have. */
export interface RepeatedBlock {
  /** Hash of its words. */
  readonly mark: number;
  /** Its beginning. */
  readonly text: string;
  /** Pages that have it for certain, among those that were counted. */
  readonly pages: number;
}

interface RepeatedRow {
  readonly pages: number;
  readonly repeated: readonly RepeatedBlock[];
}

/** Of a host in a crawl, by origin, if the crawl leaves repeated text out. */
export const repeatedBlocks = statement<[crawlId: string, origin: string], RepeatedRow>('repeated-blocks')`
   select b.pages, b.repeated
     from host h join host_blocks b on b.host_id = h.id join crawl c on c.id = b.crawl_id
    where h.origin = $2 and b.crawl_id = $1 and c.config ->> 'boilerplate' = 'leave-out'`;

/** Makes the row of a host, so that it can be locked. No answer. */
export const beginCounts = statement<[hostId: number, crawlId: number]>('begin-block-counts')`
   insert into host_blocks (host_id, crawl_id, pages, counts, repeated)
   values ($1, $2, 0, '{"pages": 0, "blocks": []}', '[]') on conflict do nothing`;

export const lockCounts = statement<
  [hostId: number, crawlId: number],
  { counts: StoredCounts; repeated: readonly RepeatedBlock[] }
>('lock-block-counts')`
   select counts, repeated from host_blocks where host_id = $1 and crawl_id = $2 for update`;

/** `counts` and `repeated` as JSON. No answer. */
export const putCounts = statement<
  [hostId: number, crawlId: number, pages: number, counts: string, repeated: string]
>('put-block-counts')`
   update host_blocks set pages = $3, counts = $4, repeated = $5 where host_id = $1 and crawl_id = $2`;
