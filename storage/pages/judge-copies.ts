/**
 * Judges which page stands for others while their crawl goes on (F20): among pages with the same body of which one has
 * left, and among pages with the same text. Both are noted in the transaction that brings them about: that a page leaves a
 * body (`content_due`), and that the reading of a body whose text another body has too is stored, replaced or removed
 * (`text_due`). So only these are judged, which takes milliseconds: most bodies and texts belong to one page. Two pages
 * that are committed at the same moment may miss each other; the ranking at the end of the crawl, or the daily one of a
 * standing crawl, finds them.
 *
 * One process at a time judges. What a process has not judged when it dies is judged by another one. A page that stands
 * for others loses them once it has another text: the note of its old text has them judged again.
 */
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import { claimRanking } from './ranking-lock.sql.ts';
import { dueTexts, judgeTexts } from './same-text.sql.ts';
import { dueContents, holdDue, settleContents } from './settle-contents.sql.ts';

/** Notes that are judged in one transaction. */
const batch = 500;
/** Copies of one body that are told of another page in one look, and pages of one text that are compared. */
const usual = { copies: 5_000, ofText: 1_000 };

/** Judges what there is to judge, of all crawls, until nothing is left or the time is up. */
export async function judgeCopies(pool: Pool, budgetMs: number, most = usual): Promise<void> {
  const until = performance.now() + budgetMs;
  const judge = async (
    due: (db: Queryable, limit: number) => Promise<readonly { readonly id: number }[]>,
    work: (db: Queryable, ids: readonly number[]) => Promise<unknown>,
  ): Promise<void> => {
    for (let notes = batch; notes === batch && performance.now() < until;)
      notes = await inTransaction(pool, async (db) => {
        if ((await claimRanking(db)).length === 0) return 0;
        const ids = (await due(db, batch)).map(({ id }) => id);
        if (ids.length > 0) await work(db, ids);
        return ids.length;
      });
  };
  await judge(dueContents, async (db, ids) => {
    await holdDue(db, ids);
    await settleContents(db, ids, most.copies);
  });
  await judge(dueTexts, (db, ids) => judgeTexts(db, ids, most.ofText));
}
