/** Soft 404: what follows from answers to made-up paths that nobody reads, and from signs by which pages are held. */
import { isOver } from '../../domain/crawl-life.ts';
import { folderOf, isHome, judgeProbe, type ErrorSign } from '../../domain/soft-404/judge.ts';
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
  noteJudged,
  redirectingTo,
  type DueSign,
} from './soft-404.sql.ts';

/** Seconds between two looks for pages by a sign, while the crawl runs. */
const lookSeconds = 60;
/** Pages in one transaction. */
const batch = 1_000;

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

/** Holds pages that were read, with their aliases. Answers how many. */
export async function holdMissing(
  pool: Pool,
  { crawl_id, host_id }: Place,
  keys: readonly string[],
  { id, shape }: { readonly id: string; readonly shape: string },
): Promise<number> {
  let held = 0;
  for (let at = 0; at < keys.length; at += batch) {
    const some = keys.slice(at, at + batch);
    const rows = await retrying(() =>
      inTransaction(pool, (db) => holdPages(db, host_id, crawl_id, some, quarantineDetail(id, shape))),
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
      folderOf(pathOf(url)) === folder && !isHome(pathOf(url)) ? [key] : [],
    );
    await holdMissing(pool, due, keys, due);
    pages = found.length;
    after = found.at(-1)?.key ?? after;
  }
}

/** Dedup runs ahead of reading: copies may have been judged before the page that they are copies of was held. */
async function holdCopies(pool: Pool, due: DueSign): Promise<void> {
  const detail = quarantineDetail(due.id, due.shape);
  for (let found = batch; found === batch;) {
    const copies = await copiesOfHeld(pool, due.host_id, due.crawl_id, detail, batch);
    const keys = copies.map(({ key }) => key);
    await holdMissing(pool, due, keys, due);
    found = keys.length;
  }
}

/**
 * What is left to do in the background, a little at a look: answers without a body, pages that redirect, and copies of
 * held pages.
 */
export async function tendSoft404(pool: Pool, most: number): Promise<void> {
  for (const answer of await bodilessAnswers(pool, most)) {
    const { status, redirect_to: redirectTo, url, sibling, shape: folder } = answer;
    const probe = { status: status ?? 0, redirectTo, path: pathOf(url), title: null, text: null };
    const verdict = judgeProbe(probe, sibling);
    if (verdict.kind === 'soft') await holdBySign(pool, answer, folder, verdict.sign, { redirects: 1 });
    await noteJudged(pool, answer.host_id);
  }
  for (const due of await dueSigns(pool, most)) {
    const { sign, state } = due;
    if (sign.kind === 'redirect') await holdRedirecting(pool, due, sign.to);
    await holdCopies(pool, due);
    await lookAgain(pool, due.id, isOver(state) ? null : lookSeconds);
  }
}
