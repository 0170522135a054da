/** Soft 404: what follows from answers to made-up paths that nobody reads, and from signs by which pages are held. */
import { isOver } from '../../domain/crawl-life.ts';
import { folderOf, isAbove, isRepeated, judgeProbe, type ErrorSign } from '../../domain/soft-404/judge.ts';
import { quarantineDetail } from '../../domain/traps/verdict.ts';
import type { Evidence } from '../../domain/traps/rules.ts';
import { inTransaction, type Pool, retrying } from '../postgres/index.ts';
import {
  bodilessAnswers,
  copiesOfHeld,
  dueSigns,
  holdPages,
  holdSign,
  lookAgain,
  closeUnasked,
  mostRepeated,
  noteJudged,
  pagesWithText,
  redirectingTo,
  type DueSign,
  type Walked,
  type WalkedText,
} from './soft-404.sql.ts';

/** Seconds between two looks for pages by a sign, while the crawl runs. */
const lookSeconds = 60;
/** A look takes no more than one part in so many of the time. */
const lookShare = 20;
/** Pages in one transaction. */
const batch = 1_000;
/** Pages among which a repeated text is looked for. */
const sampled = 2_000;

/** How a sign is called in the quarantine. */
const signShape = (folder: string, sign: ErrorSign): string =>
  sign.kind === 'repeated'
    ? `repeated text ${sign.text.slice(0, 16)}`
    : `${sign.kind} of made-up paths in ${folder}`;

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

interface Place {
  readonly crawl_id: number;
  readonly host_id: number;
}

/** Puts a sign into quarantine. Null: a person has given another verdict on it. */
export async function holdBySign(
  pool: Pool,
  { crawl_id, host_id }: Place,
  folder: string,
  sign: ErrorSign,
  evidence: Evidence,
): Promise<{ readonly id: string; readonly shape: string } | null> {
  const shape = signShape(folder, sign);
  const [row] = await retrying(() => holdSign(pool, crawl_id, host_id, shape, evidence, sign));
  return row === undefined ? null : { id: row.id, shape };
}

/** Holds pages that were read. Their copies follow in the background (`tendSoft404`). Answers how many. */
export async function holdMissing(
  pool: Pool,
  { crawl_id, host_id }: Place,
  keys: readonly string[],
  { id, shape }: { readonly id: string; readonly shape: string },
): Promise<number> {
  let held = 0;
  for (let at = 0; at < keys.length; at += batch) {
    const some = keys.slice(at, at + batch);
    const rows = await inTransaction(pool, (db) =>
      holdPages(db, host_id, crawl_id, some, quarantineDetail(id, shape)),
    );
    held += rows.length;
  }
  return held;
}

/** Pages of the folder that redirect where a made-up path does. */
async function holdRedirecting(pool: Pool, due: DueSign, target: string): Promise<void> {
  const folder = due.shape.slice(due.shape.indexOf('/'));
  for (let [after, pages] = ['', batch]; pages === batch;) {
    const found = await redirectingTo(pool, due.host_id, due.crawl_id, target, after, batch);
    const keys = found.flatMap(({ key, url }) =>
      folderOf(pathOf(url)) === folder && !isAbove(pathOf(url)) ? [key] : [],
    );
    await holdMissing(pool, due, keys, due);
    pages = found.length;
    after = found.at(-1)?.key ?? after;
  }
}

async function holdCopies(pool: Pool, due: DueSign): Promise<void> {
  const detail = quarantineDetail(due.id, due.shape);
  for (let after: string | null = ''; after !== null;) {
    const [walked]: readonly Walked[] = await copiesOfHeld(
      pool,
      due.host_id,
      due.crawl_id,
      detail,
      after,
      batch,
    );
    await holdMissing(pool, due, walked?.keys ?? [], due);
    after = walked?.last ?? null;
  }
}

/**
 * A text that a large share of the pages of a host have, as the pages of an error page: it goes into quarantine, and all
 * pages with it. Answers how many were held; null: there is no such text, or a seed or the home page has it.
 */
export async function holdRepeated(pool: Pool, place: Place): Promise<number | null> {
  const { host_id, crawl_id } = place;
  const [most] = await mostRepeated(pool, host_id, crawl_id, sampled);
  if (most === undefined || !isRepeated(most.pages, most.of)) return null;
  const { text, pages, of } = most;
  /** False: `visit` said that it has seen enough. */
  const walk = async (visit: (walked: WalkedText) => Promise<boolean>): Promise<boolean> => {
    for (let after: string | null = ''; after !== null;) {
      const [walked]: readonly WalkedText[] = await pagesWithText(
        pool,
        host_id,
        crawl_id,
        text,
        after,
        batch,
      );
      if (walked === undefined) return true;
      if (!(await visit(walked))) return false;
      after = walked.last;
    }
    return true;
  };
  const mayHold = await walk(({ wanted }) => Promise.resolve(!wanted));
  if (!mayHold) return null;
  const row = await holdBySign(pool, place, '/', { kind: 'repeated', text }, { pages, of });
  if (row === null) return null;
  let held = 0;
  await walk(async ({ keys }) => {
    held += await holdMissing(pool, place, keys, row);
    return true;
  });
  return held;
}

/**
 * What is left to do in the background, a little at a look: answers without a body, pages that redirect, and copies of
 * held pages.
 */
export async function tendSoft404(pool: Pool, most: number): Promise<void> {
  await closeUnasked(pool, most);
  for (const answer of await bodilessAnswers(pool, most)) {
    const { status, redirect_to: redirectTo, url, shape: folder } = answer;
    const probe = {
      status: status ?? 0,
      redirectTo,
      path: pathOf(url),
      title: null,
      text: null,
      needs: null,
    };
    const verdict = judgeProbe(probe, answer);
    if (verdict.kind === 'soft') await holdBySign(pool, answer, folder, verdict.sign, { redirects: 1 });
    await noteJudged(pool, answer.host_id, answer.crawl_id);
  }
  for (const due of await dueSigns(pool, most)) {
    const { sign, state } = due;
    const began = performance.now();
    if (sign.kind === 'redirect') await holdRedirecting(pool, due, sign.to);
    await holdCopies(pool, due);
    const took = (performance.now() - began) / 1_000;
    await lookAgain(pool, due.id, isOver(state) ? null : Math.max(lookSeconds, took * lookShare));
  }
}
