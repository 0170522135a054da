/**
 * Side work of a process that has the bodies: deletes crawls that were marked, forgets URLs that were gone for long, and
 * keeps the archive in order.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { OwnSegment, SegmentUpkeep } from '../storage/archive/index.ts';
import { freeBodies, removeBatch, markExpired } from '../storage/crawls/index.ts';
import { forgetDead } from '../storage/frontier/index.ts';
import { dropRemoved, type SearchIndex } from '../storage/search/index.ts';
import { retrying, type Pool } from '../storage/postgres/index.ts';

const lookMs = 2_000;
/** After so long a URL that is gone leaves the frontier (F10), so many at a time. */
const [deadDays, forgottenAtOnce] = [30, 500];
/** URLs that are looked at for it at once: well below a second, though all of them stay. */
const deadLooks = 5_000;
/** Looks at marked crawls between two looks at crawls whose retention is over, and at bodies. */
const looksBetween = 15;

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

/**
 * Goes on until the returned function is called.
 * @param days retention of crawls that have none of their own; null: for ever
 */
export function removeCrawls(
  pool: Pool,
  {
    own,
    upkeep,
    index,
  }: { readonly own: OwnSegment; readonly upkeep: SegmentUpkeep; readonly index: SearchIndex },
  days: number | null,
  log: Logger,
): () => Promise<void> {
  const ended = new AbortController();
  const { signal } = ended;
  const goesOn = (): boolean => !signal.aborted;
  const forgetSome = forgetter(pool);
  const forget = async (): Promise<void> => {
    try {
      while (goesOn() && (await forgetSome()));
    } catch (error) {
      // The archive is tidied all the same.
      log.warn({ err: error }, 'URLs that were gone for long could not be forgotten; this is tried again');
    }
  };
  const tidy = async (): Promise<void> => {
    const expired = await markExpired(pool, days);
    if (expired.length > 0) log.info({ crawls: expired.map(({ id }) => id) }, 'retention is over');
    while (goesOn() && (await freeBodies(pool)));
    await forget();
    await own.turn();
    await upkeep.closeLeft();
    while (goesOn() && (await upkeep.look(goesOn)));
    while (goesOn() && (await upkeep.merge(goesOn)));
  };
  const remove = async (): Promise<void> => {
    for (let look = 0; goesOn(); look++) {
      try {
        if (look % looksBetween === 0) await tidy();
        while (goesOn() && (await removeBatch(pool)));
      } catch (error) {
        log.warn({ err: error }, 'crawls could not be deleted, or the archive tidied; this is tried again');
      }
      // Crawls are deleted also while the index of their pages is down.
      await dropRemoved(pool, index).catch((error: unknown) => {
        log.warn(
          { err: error },
          'pages of deleted crawls are still in the index for searches; this is tried again',
        );
      });
      await sleep(lookMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const done = remove();
  return () => {
    ended.abort();
    return done;
  };
}
