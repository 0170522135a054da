/** Where hosts are fetched from, and what lives. */
import { homeOf, servedBy, type HostRegion, type Regions } from '../../domain/regions.ts';
import { retrying, type Queryable } from '../postgres/index.ts';
import { hostPlaces, silentRegions } from './regions.sql.ts';

/** Milliseconds since a worker of each known region gave a sign of life. */
export async function silentTimes(db: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows = await retrying(() => silentRegions(db));
  return new Map(rows.map(({ name, silent_ms: ms }) => [name, ms ?? Infinity]));
}

/** By origin. @param regions undefined: the instance has none, and nothing is asked */
export async function homesOf(
  db: Queryable,
  regions: Regions | undefined,
  hosts: readonly { readonly origin: string }[],
): Promise<ReadonlyMap<string, HostRegion>> {
  if (regions === undefined) return new Map();
  const silentMs = await silentTimes(db);
  const places = await retrying(() =>
    hostPlaces(
      db,
      hosts.map(({ origin }) => origin),
    ),
  );
  return new Map(
    places.map((place) => {
      const { region: name, by, of } = homeOf(regions, place);
      return [place.origin, { name, by, of, fetchedFrom: servedBy(regions, name, silentMs) }];
    }),
  );
}
