import { statement } from '../statement.ts';

/** Which of `places` hold a seed of a crawl; each reaches from its lowest to its highest code, all in hex. */
export const seededPlaces = statement<
  [crawlId: number, places: readonly string[], lowest: readonly string[], highest: readonly string[]],
  { place: string }
>(
  'seeded-places',
  `select a.place from unnest($2::text[], $3::text[], $4::text[]) as a(place, lowest, highest)
    where exists (select from seed_place p
                   where p.crawl_id = $1 and p.place between decode(a.lowest, 'hex') and decode(a.highest, 'hex'))`,
);
