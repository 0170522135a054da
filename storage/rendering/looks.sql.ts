/** What pages look like: a screenshot and a PDF, bodies of their own in the archive. */
import { statement } from '../postgres/index.ts';

/** Hashes; null: there is none. No row: the page as it is now was not rendered. */
export const findLooks = statement<
  [origin: string, crawlId: string, key: Uint8Array],
  { readonly screenshot: Buffer | null; readonly pdf: Buffer | null }
>('find-looks')`
   select g.screenshot_hash as screenshot, g.pdf_hash as pdf
     from host h
     join url u on u.host_id = h.id
     join rendering g on g.host_id = u.host_id and g.crawl_id = u.crawl_id and g.key = u.key and g.answer_hash = u.answer_hash
    where h.origin = $1 and u.crawl_id = $2 and u.key = $3`;
