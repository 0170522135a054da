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
/** Looks at marked crawls between two looks at crawls whose retention is over, and at bodies. */
const looksBetween = 15;

/** Answers whether there may be more. */
async function forgetSome(pool: Pool): Promise<boolean> {
  const [gone] = await retrying(() => forgetDead(pool, deadDays, forgottenAtOnce));
  return gone?.urls === forgottenAtOnce;
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
  const tidy = async (): Promise<void> => {
    const expired = await markExpired(pool, days);
    if (expired.length > 0) log.info({ crawls: expired.map(({ id }) => id) }, 'retention is over');
    while (goesOn() && (await freeBodies(pool)));
    while (goesOn() && (await forgetSome(pool)));
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
