/** Dead letters as people read them: a page at a time, in a fixed order, so that a cursor never skips one or shows it twice. */
import type { DeadLetterView } from '../../contracts/dead-letters.ts';
import { redriveNotBefore } from '../../domain/dead-letter.ts';
import type { Queryable } from '../postgres/index.ts';
import {
  chooseLetters,
  decodeCursor,
  encodeCursor,
  type LetterCursor,
  type LetterFilter,
} from './redrive.ts';
import { describeDeadLetters, type DeadLetterRow } from './choose.sql.ts';

/** Most attempts of one URL whose times are shown: the latest. */
const attemptsShown = 20;

export interface DeadLetterPage {
  readonly items: readonly DeadLetterView[];
  /** Null: nothing follows. */
  readonly next: string | null;
}

/**
 * Returns 'bad-cursor' if the cursor is not one of ours.
 * @param cursor `next` of the page before; null: from the start
 */
export async function readDeadLetters(
  db: Queryable,
  filter: LetterFilter,
  cursor: string | null,
  limit: number,
): Promise<DeadLetterPage | 'bad-cursor'> {
  const after = cursor === null ? null : decodeCursor(cursor);
  if (after === null && cursor !== null) return 'bad-cursor';
  const places = await chooseLetters(db, filter, after, limit);
  const rows = new Map(
    (await describeDeadLetters(db, JSON.stringify(places), attemptsShown)).map((row) => [nameOf(row), row]),
  );
  const last = places.at(-1);
  return {
    // A letter that was redriven between the two statements is no longer there.
    items: places.flatMap((place) => {
      const row = rows.get(nameOf(place));
      return row === undefined ? [] : [viewOf(row)];
    }),
    next: last === undefined || places.length < limit ? null : encodeCursor(last),
  };
}

const nameOf = ({ crawl_id, host_id, key }: LetterCursor): string =>
  `${String(crawl_id)} ${String(host_id)} ${key}`;

function viewOf(row: DeadLetterRow): DeadLetterView {
  const notBefore = redriveNotBefore(row.class, row.created_at.getTime());
  return {
    crawlId: String(row.crawl_id),
    url: row.url,
    host: row.origin,
    hostParked: row.parked,
    class: row.class,
    status: row.status,
    message: row.message,
    headers: row.headers,
    attemptedAt: row.attempted_at.map((at) => at.toISOString()),
    failedAt: row.created_at.toISOString(),
    notBefore: notBefore === null ? null : new Date(notBefore).toISOString(),
  };
}
