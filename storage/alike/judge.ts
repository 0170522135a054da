/**
 * Judges fingerprints: is a page like an original of its crawl, or an original itself? One process at a time judges a
 * crawl, in batches, after its pages were stored: so of two pages that come at once, the second that is judged finds the
 * first. What a process has not judged when it dies is judged by another one.
 *
 * The work for a page is bounded: a band finds `mostOfBand` originals at most. Further originals with the same band are
 * not put under it (pages of one template share most of their text), and are found by their other bands.
 */
import type { Fingerprint } from '../../domain/alike/fingerprint.ts';
import { areAlike, likenessOf, type Likeness } from '../../domain/alike/likeness.ts';
import { inTransaction, type Pool } from '../postgres/index.ts';
import {
  claimJudging,
  judgePrints,
  nextUnjudged,
  printsLike,
  unjudgedPrints,
  type JudgedPrint,
  type StoredPrint,
} from './prints.sql.ts';

const batch = 200;
const mostOfBand = 8;

type Print = Pick<Fingerprint, 'words' | 'simhash' | 'sketch' | 'numbers'> &
  Pick<StoredPrint, 'id' | 'bands'>;

/** The crawl whose turn was last. Kept from look to look, so that no crawl waits until another one has no backlog. */
interface JudgingTurn {
  crawl: number;
}

/**
 * Judges what there is to judge, a batch of each crawl in turn, until none is left or the time is up. Answers how many it
 * judged.
 */
export async function judgeAlike(
  pool: Pool,
  budgetMs: number,
  turn: JudgingTurn = { crawl: 0 },
): Promise<number> {
  const until = performance.now() + budgetMs;
  let judged = 0;
  // Judging an original may leave others to be judged again, so only a whole round of empty batches is the end.
  for (let [ofRound, isWhole] = [0, turn.crawl === 0]; performance.now() < until;) {
    const [next] = await nextUnjudged(pool, turn.crawl);
    if (next === undefined) {
      turn.crawl = 0;
      if (isWhole && ofRound === 0) break;
      [ofRound, isWhole] = [0, true];
      continue;
    }
    turn.crawl = next.crawl_id;
    const prints = await judgeBatch(pool, next.crawl_id);
    ofRound += prints;
    judged += prints;
  }
  return judged;
}

function judgeBatch(pool: Pool, crawlId: number): Promise<number> {
  return inTransaction(pool, async (db) => {
    if ((await claimJudging(db, crawlId)).length === 0) return 0;
    const prints = (await unjudgedPrints(db, crawlId, batch)).map(printOf);
    if (prints.length === 0) return 0;
    const found = await printsLike(
      db,
      crawlId,
      prints.map(({ id }) => id),
    );
    const known = Map.groupBy(found, ({ like }) => like);
    const fresh: Print[] = [];
    const judged = prints.map((print) => {
      const mine = new Set(print.bands);
      const near = [
        ...(known.get(print.id) ?? []).map(printOf),
        ...fresh.filter(({ bands }) => bands.some((band) => mine.has(band))),
      ];
      const best = bestOf(print, near);
      if (best !== null) return aliasOf(print, best);
      const bands = print.bands.filter(
        (band) => near.filter((other) => other.bands.includes(band)).length < mostOfBand,
      );
      fresh.push({ ...print, bands });
      const crowded = print.bands.length - bands.length;
      return { id: print.id, original: print.id, likeness: null, distance: null, bands, crowded };
    });
    await judgePrints(db, JSON.stringify(judged));
    return prints.length;
  });
}

interface Near {
  readonly id: number;
  readonly likeness: Likeness;
}

/** The original that the text is most like; null: none is near enough. */
function bestOf(print: Print, near: readonly Print[]): Near | null {
  let best: Near | null = null;
  for (const other of near) {
    const likeness = likenessOf(print, other);
    if (areAlike(likeness) && (best === null || likeness.shingles > best.likeness.shingles))
      best = { id: other.id, likeness };
  }
  return best;
}

const aliasOf = ({ id, bands }: Print, { id: original, likeness }: Near): JudgedPrint => ({
  id,
  original,
  bands,
  crowded: 0,
  likeness: Math.round(likeness.shingles * 1_000) / 1_000,
  distance: likeness.distance,
});

const printOf = ({ id, words, simhash, sketch, numbers, bands }: StoredPrint): Print => ({
  id,
  words,
  sketch,
  bands,
  simhash: BigInt(simhash),
  numbers: Array.from({ length: numbers.length / 4 }, (_, at) => numbers.readUInt32BE(at * 4)),
});
