/**
 * Group commit: every write of a process to the frontier goes through here. Writes are gathered for a few milliseconds
 * and committed in one transaction. Rows that belong together (a result and the redirect target it found; a page, its
 * links and the end of its stage) are one `FrontierWrite` and are committed whole or not at all, so that no crawl ever
 * looks finished between the two.
 *
 * Lock order within a transaction: the host_queue rows it will touch by host (queue-locks.ts), then new url rows by
 * key, then the contents that results claim, then result rows, then those that are led to, then pages, their fingerprints, then
 * stages, then those that were rendered; the triggers lock
 * the session's own ledger shard last. Each statement sorts its rows. A transaction that other processes still bring
 * into a deadlock is tried again (retry.ts).
 */
import { fading } from '../../domain/pressure.ts';
import { Gathering } from '../gathering.ts';
import { type Admitted, type AdmissionRow, holdConfigs, type JudgedBy } from './admission.sql.ts';
import { admitUrls, nameOf, turning } from './admit.ts';
import { asJson } from './as-json.ts';
import { notePromises } from './links.sql.ts';
import { storePrints, type PrintRow } from '../alike/index.ts';
import {
  advanceStages,
  claimNewContents,
  type ContentClaim,
  type StageRow,
  upsertPages,
  type PageRow,
} from '../pages/index.ts';
import { commitResults, type ResultRow } from './results.sql.ts';
import { leadTo, type LedToRow, lockHostQueues } from './urls.sql.ts';
import { noteRounds, type RoundRow } from '../rendering/index.ts';
import { inTransaction, type Pool, type Queryable, isStorageOutage, retrying } from '../postgres/index.ts';

export interface FrontierWrite {
  readonly admissions?: readonly AdmissionRow[];
  readonly results?: readonly ResultRow[];
  /** Bodies of `results` for which their pages are to stand. If one does not, nothing is written: `ClaimLost`. */
  readonly claims?: readonly ContentClaim[];
  /** Where the results lead to, if that may be known. */
  readonly ledTo?: readonly LedToRow[];
  readonly pages?: readonly PageRow[];
  /** Of pages of crawls that look for near-duplicates. */
  readonly prints?: readonly PrintRow[];
  readonly stages?: readonly StageRow[];
  /** What became of pages in rounds of the browser. */
  readonly rounds?: readonly RoundRow[];
  /** Settings that must still be in force; otherwise nothing of the write is stored. */
  readonly judged?: readonly JudgedBy[];
}

export interface Written {
  /** Admissions that were new to their crawl. */
  readonly admitted: number;
  /** How many of these were queued; the others are recorded as excluded. */
  readonly queued: number;
  /** The rows of `admitted`. */
  readonly fresh: readonly AdmissionRow[];
  /** Admissions that were leased at once, under the lease that they name. */
  readonly leased: readonly AdmissionRow[];
}

/** Another page stands for a body, or the result that brought it was not stored. */
export class ClaimLost extends Error {
  constructor() {
    super('another page stands for the body, or its result was not stored');
    this.name = 'ClaimLost';
  }
}

interface Waiting {
  readonly write: FrontierWrite;
  readonly settle: (result: Written) => void;
  readonly fail: (error: unknown) => void;
}

export interface FrontierWriterOptions {
  /** Milliseconds that each write waits for others to join it. */
  readonly gatherMs: number;
  /** Most rows in one transaction; a single write may have more. */
  readonly maxRows: number;
  /** Told of archive segments that take no more commits (`commitResults`). */
  readonly onClosed?: (segment: number) => void;
  /** Told of each commit, when it is over. */
  readonly onCommit?: (rows: number, ms: number) => void;
}

/** What the last commit counts in the mean of commits. */
const newestShare = 0.2;

const usual = { gatherMs: 8, maxRows: 4_000 } as const;

export class FrontierWriter {
  readonly #pool: Pool;
  readonly #options: FrontierWriterOptions;
  readonly #gathering: Gathering<Waiting>;
  #rows = 0;
  /** Milliseconds of a commit, of late; `performance.now()` at the end of the last, and at the start of the present one. */
  #commitMs = 0;
  #committedAt = -Infinity;
  #committingSince: number | null = null;

  constructor(pool: Pool, options: Partial<FrontierWriterOptions> = {}) {
    this.#pool = pool;
    this.#options = { ...usual, ...options };
    this.#gathering = new Gathering(
      (waiting) => this.#take(waiting),
      (batch) => this.#flush(batch),
      this.#options.gatherMs,
    );
  }

  /**
   * Resolves once the write is durable. Rejects when nothing of it was written.
   * @param patienceMs as in `Gathering`
   */
  async write(write: FrontierWrite, patienceMs = 0): Promise<Written> {
    const rows = size(write);
    this.#rows += rows;
    try {
      return await new Promise<Written>((settle, fail) => {
        this.#gathering.add({ write, settle, fail }, patienceMs);
      });
    } finally {
      this.#rows -= rows;
    }
  }

  /** Rows that wait for their commit, and the milliseconds that commits take now. */
  get load(): { readonly rows: number; readonly commitMs: number } {
    const now = performance.now();
    const since = this.#committingSince;
    const lasts = since === null ? 0 : now - since;
    return { rows: this.#rows, commitMs: Math.max(lasts, fading(this.#commitMs, now - this.#committedAt)) };
  }

  /** How many of the first writes make a transaction. */
  #take(waiting: readonly Waiting[]): number {
    let [rows, count] = [0, 0];
    for (const { write } of waiting) {
      rows += size(write);
      if (count > 0 && rows > this.#options.maxRows) break;
      count++;
    }
    return count;
  }

  async #flush(batch: readonly Waiting[]): Promise<void> {
    const since = performance.now();
    this.#committingSince = since;
    try {
      await this.#settle(batch);
    } finally {
      this.#committingSince = null;
      this.#committedAt = performance.now();
      const tookMs = this.#committedAt - since;
      this.#commitMs += (tookMs - this.#commitMs) * newestShare;
      this.#options.onCommit?.(
        batch.reduce((rows, { write }) => rows + size(write), 0),
        tookMs,
      );
    }
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    try {
      settleAll(batch, await this.#commit(batch));
    } catch (error) {
      if (batch.length === 1 || isStorageOutage(error)) {
        for (const { fail } of batch) fail(error);
        return;
      }
      // A bad row must not make the other writes fail: each write is tried on its own.
      for (const one of batch) {
        try {
          settleAll([one], await this.#commit([one]));
        } catch (itsOwn) {
          one.fail(itsOwn);
        }
      }
    }
  }

  /** Returns the admissions that were new. */
  async #commit(batch: readonly Waiting[]): Promise<readonly Admitted[]> {
    const admissions = batch.flatMap(({ write }) => write.admissions ?? []);
    const results = batch.flatMap(({ write }) => write.results ?? []);
    const ledTo = batch.flatMap(({ write }) => write.ledTo ?? []);
    const claims = batch.flatMap(({ write }) => write.claims ?? []);
    const pages = batch.flatMap(({ write }) => write.pages ?? []);
    const prints = batch.flatMap(({ write }) => write.prints ?? []);
    const stages = batch.flatMap(({ write }) => write.stages ?? []);
    const rounds = batch.flatMap(({ write }) => write.rounds ?? []);
    const judged = batch.flatMap(({ write }) => write.judged ?? []);
    const promised = admissions.flatMap(({ host_id, crawl_id, key, relevance, lastmod }) =>
      relevance === undefined && lastmod === undefined
        ? []
        : [{ host_id, crawl_id, key, relevance, lastmod }],
    );
    const run = async (db: Queryable): Promise<readonly Admitted[]> => {
      if (judged.length > 0) await holdConfigs(db, asJson(judged));
      const admitted = admissions.length === 0 ? [] : await admitUrls(db, admissions);
      if (promised.length > 0) await notePromises(db, asJson(promised));
      const given = await claimed(db, claims);
      const answers = results.length === 0 ? [] : await commitResults(db, asJson(results.map(given)));
      if (answers.filter(({ content_id: id }) => id !== null).length < claims.length) throw new ClaimLost();
      if (ledTo.length > 0) await leadTo(db, asJson(ledTo));
      if (pages.length > 0) await upsertPages(db, asJson(pages.map(given)));
      if (prints.length > 0) await storePrints(db, asJson(prints.map(given)));
      if (stages.length > 0) await advanceStages(db, asJson(stages));
      const untaken = rounds.length === 0 ? [] : await noteRounds(db, asJson(rounds));
      for (const { closed } of [...answers, ...untaken])
        if (closed !== null) this.#options.onClosed?.(closed);
      return admitted;
    };
    const touched = [...admissions, ...results, ...ledTo];
    const ordered = async (db: Queryable): Promise<readonly Admitted[]> => {
      if (touched.length > 0) await lockHostQueues(db, asJson(hostsOf(touched)));
      return run(db);
    };
    const kinds = [judged, admissions, results, claims, ledTo, pages, prints, stages, rounds].filter(
      (rows) => rows.length > 0,
    ).length;
    const isOne = kinds <= 1 && turning(admissions).length === 0 && !admissions.some(({ lease }) => lease);
    return retrying(() => (isOne ? run(this.#pool) : inTransaction(this.#pool, ordered)));
  }
}

const claimantOf = ({ host_id, crawl_id, key }: Pick<ContentClaim, 'host_id' | 'crawl_id' | 'key'>): string =>
  `${String(host_id)} ${String(crawl_id)} ${key}`;

/** Claims bodies. @returns gives rows the ids of contents that the write had named @throws ClaimLost */
async function claimed(
  db: Queryable,
  claims: readonly ContentClaim[],
): Promise<<R extends { readonly content_id?: number | null }>(row: R) => R> {
  if (claims.length === 0) return (row) => row;
  const held = new Map((await claimNewContents(db, asJson(claims))).map((row) => [claimantOf(row), row.id]));
  if (held.size < claims.length) throw new ClaimLost();
  const ids = new Map(claims.map((claim) => [claim.content_id, held.get(claimantOf(claim))]));
  return (row) => {
    const id = ids.get(row.content_id ?? null);
    return id === undefined ? row : { ...row, content_id: id };
  };
}

type Place = Pick<AdmissionRow, 'host_id' | 'crawl_id'>;

/** Each pair of host and crawl once. */
const hostsOf = (rows: readonly Place[]): Place[] => [
  ...new Map(
    rows.map(({ host_id, crawl_id }) => [`${String(host_id)} ${String(crawl_id)}`, { host_id, crawl_id }]),
  ).values(),
];
const size = (write: FrontierWrite): number =>
  (write.admissions?.length ?? 0) + (write.results?.length ?? 0) + (write.pages?.length ?? 0);

function settleAll(batch: readonly Waiting[], admitted: readonly Admitted[]): void {
  const fresh = new Map(admitted.map((row) => [nameOf(row), row]));
  const leases = new Map(admitted.map((row) => [nameOf(row), row.leased]));
  for (const { write, settle } of batch) {
    const own = (write.admissions ?? []).flatMap((row) => {
      const stored = fresh.get(nameOf(row));
      // If two writes of the batch found the same URL, it counts for the first that found it as what it is.
      fresh.delete(nameOf(row));
      return stored === undefined ? [] : [{ row, stored }];
    });
    settle({
      admitted: own.length,
      queued: own.filter(({ stored }) => stored.queued).length,
      fresh: own.map(({ row }) => row),
      // Whichever write counts it as new: a page of another host may have had the same link.
      leased: (write.admissions ?? []).filter((row) => {
        const name = nameOf(row);
        return row.lease !== undefined && leases.get(name) === row.lease.token && leases.delete(name);
      }),
    });
  }
}
