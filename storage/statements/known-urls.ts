import { statement } from '../statement.ts';

/** Which of `places`, [{origin, key}] with keys in hex, the frontier of a crawl has. */
export const knownUrls = statement<[crawlId: string, places: string], { key: string }>(
  'known-urls',
  `select p.key
     from json_to_recordset($2) as p(origin text, key text)
     join host h on h.origin = p.origin
     join url u on u.host_id = h.id and u.crawl_id = $1 and u.key = decode(p.key, 'hex')`,
);
