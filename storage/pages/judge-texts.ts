/**
 * Judges pages with the same text while their crawl goes on (F20). Whoever stores, replaces or removes what was read from
 * a page notes its text (`text_due`) in the same transaction, if another page has it: judging takes milliseconds, and
 * most texts are of one page. Two pages that are committed at the same moment may miss each other; the ranking at the end
 * of the crawl, or the daily one of a standing crawl, finds them.
 *
 * One process at a time judges. What a process has not judged when it dies is judged by another one. A page that stands
 * for others loses them once it has another text: the note of its old text has them judged again.
 */
import { inTransaction, type Pool } from '../postgres/index.ts';
import { claimRanking } from './ranking-lock.sql.ts';
import { dueTexts, judgeTexts } from './same-text.sql.ts';

const batch = 500;
/** Pages of one text that are compared with one another. */
const mostOfText = 1_000;

/** Judges what there is to judge, of all crawls, until nothing is left or the time is up. */
export async function judgeSameTexts(pool: Pool, budgetMs: number, most = mostOfText): Promise<void> {
  const until = performance.now() + budgetMs;
  for (let notes = batch; notes === batch && performance.now() < until;)
    notes = await inTransaction(pool, async (db) => {
      if ((await claimRanking(db)).length === 0) return 0;
      const due = await dueTexts(db, batch);
      if (due.length > 0)
        await judgeTexts(
          db,
          due.map(({ id }) => id),
          most,
        );
      return due.length;
    });
}
