/**
 * Chores of a process that has the bodies: it deletes crawls that were marked, forgets URLs that were gone for long, and
 * keeps the archive in order.
 */
import type { Logger } from 'pino';
import type { OwnSegment, SegmentUpkeep } from '../storage/archive/index.ts';
import { freeBodies, removeBatch, markExpired } from '../storage/crawls/index.ts';
import { forgetDead } from '../storage/frontier/index.ts';
import type { Chore } from '../engine/chores.ts';
import { dropRemoved, type SearchIndex } from '../storage/search/index.ts';
import { retrying, type Pool } from '../storage/postgres/index.ts';

/** After so long a URL that is gone leaves the frontier (F10), so many at a time. */
const [deadDays, forgottenAtOnce] = [30, 500];
/** URLs that are looked at for it at once: well below a second, though all of them stay. */
const deadLooks = 5_000;

/**
 * Each call forgets some URLs, going on where the one before it ended, and answers whether it found any. A call that
 * finds none ends the turn, so a crawl that keeps very many costs one look a turn.
 */
function forgetter(pool: Pool): () => Promise<boolean> {
  const start = [0, '-infinity', 0, Buffer.alloc(0)] as const;
  let place: readonly [number, string, number, Buffer] = start;
  return async () => {
    const [gone] = await retrying(() => forgetDead(pool, deadDays, forgottenAtOnce, deadLooks, ...place));
    if (gone === undefined) throw new Error('Postgres returned no row for what was forgotten');
    // A full batch may have left some of what was looked at.
    if (gone.urls < forgottenAtOnce)
      place = gone.crawl_id === null ? start : [gone.crawl_id, gone.fetched_at, gone.host_id, gone.key];
    return gone.urls > 0;
  };
}

/** @param days retention of crawls that have none of their own; null: for ever */
export function removal(
  pool: Pool,
  {
    own,
    upkeep,
    index,
  }: { readonly own: OwnSegment; readonly upkeep: SegmentUpkeep; readonly index: SearchIndex },
  days: number | null,
  log: Pick<Logger, 'info'>,
): readonly Chore[] {
  const expire = async (): Promise<void> => {
    const expired = await markExpired(pool, days);
    if (expired.length > 0) log.info({ crawls: expired.map(({ id }) => id) }, 'retention is over');
  };
  const tidy = async (goesOn: () => boolean): Promise<void> => {
    await own.turn();
    await upkeep.closeLeft();
    while (goesOn() && (await upkeep.look(goesOn)));
    while (goesOn() && (await upkeep.merge(goesOn)));
  };
  return [
    {
      everyMs: 30_000,
      looks: [
        { run: expire, fault: 'crawls whose retention is over could not be marked', warns: true },
        {
          run: () => freeBodies(pool),
          fault: 'bodies that nobody has any more could not be freed',
          warns: true,
        },
        { run: forgetter(pool), fault: 'URLs that were gone for long could not be forgotten', warns: true },
        { run: tidy, fault: 'the archive could not be tidied', warns: true },
      ],
    },
    {
      everyMs: 2_000,
      looks: [
        { run: () => removeBatch(pool), fault: 'crawls could not be deleted', warns: true },
        {
          run: () => dropRemoved(pool, index),
          fault: 'pages of deleted crawls are still in the index for searches',
          warns: true,
        },
      ],
    },
  ];
}
