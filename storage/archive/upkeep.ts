/**
 * Upkeep of segments: closes segments to which nobody will commit any more, brings closed ones to where they stay,
 * removes those without a live record, merges small ones, and rewrites those that are mostly free. Any process with the
 * folder of the segments may do each of these at any time, and may be killed in the middle.
 */
import { allowStoreCalls, inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import { OwnSegment, type SegmentRules } from './own-segment.ts';
import { formatOf } from './member.ts';
import {
  forgetBody,
  forgetRevisits,
  holdForMove,
  holdOpen,
  liveBodies,
  liveRevisits,
  moveBodies,
  moveRevisits,
  type LiveRecord,
  type LiveRevisit,
} from './records.sql.ts';
import type { SegmentStore } from './segment-store.ts';
import {
  closeSegment,
  forgetSegment,
  lookSoon,
  mayRemoveSegments,
  measureSegment,
  noteSettled,
  sealSegment,
  segmentsToClose,
  segmentsToMerge,
  segmentToLookAt,
  segmentToSettle,
  settleLater,
  settleNoMore,
  stillSettling,
  type SegmentName,
} from './segments.sql.ts';

/**
 * Seconds after which a process that says nothing counts as dead, and what a living one has appended is committed or
 * has failed. Should the process live all the same, its commits are refused, and its pages are fetched again.
 */
const graceSeconds = 60;
/** Share of a segment that must be live, or it is rewritten. */
const liveShare = 0.5;
/** Milliseconds after which what a process has begun at the place of settled segments counts as given up. */
const abandonedMs = 24 * 3_600_000;
/** Records moved in one transaction. */
const moveBatch = 200;

export class SegmentUpkeep {
  readonly #pool: Pool;
  readonly #store: SegmentStore;
  readonly #rules: SegmentRules;

  constructor(pool: Pool, store: SegmentStore, rules: SegmentRules) {
    this.#pool = pool;
    this.#store = store;
    this.#rules = rules;
  }

  /** Closes the segments that nobody will commit to any more. Answers how many. */
  async closeLeft(seconds = graceSeconds): Promise<number> {
    const left = await segmentsToClose(this.#pool, seconds, this.#only);
    for (const segment of left) await this.close(segment);
    return left.length;
  }

  /** Ends the commits to a segment, and cuts off what was never committed. */
  async close({ id, name }: SegmentName): Promise<void> {
    await closeSegment(this.#pool, id);
    const [measured] = await measureSegment(this.#pool, id);
    // Another process has sealed it meanwhile.
    if (measured === undefined) return;
    await this.#store.cut(name, measured.length);
    await sealSegment(this.#pool, id);
  }

  /** Removes or rewrites a segment, if one is due, and nobody copies the archive. Answers whether one was. */
  async look(goesOn: () => boolean = () => true): Promise<boolean> {
    if (!(await mayRemove(this.#pool))) return false;
    const [segment] = await segmentToLookAt(this.#pool, this.#only);
    if (segment === undefined) return false;
    const { id, live, length } = segment;
    try {
      const isKept =
        live > 0 && (live >= length * liveShare || (await this.#move([segment], goesOn)).length === 0);
      if (isKept) return true;
      // Nothing can refer to a sealed segment anew.
      await this.#remove(segment);
    } catch (error) {
      await lookSoon(this.#pool, [id]);
      throw error;
    }
    return true;
  }

  /**
   * Makes one segment of some small ones. Answers whether it did. Segments are merged with others of about their size, so
   * that a record is moved a few times in all, however many segments come after its own.
   */
  async merge(goesOn: () => boolean = () => true): Promise<boolean> {
    if (!(await mayRemove(this.#pool))) return false;
    const small = await segmentsToMerge(this.#pool, this.#only, this.#rules.maxBytes);
    const moved = await this.#move(small, goesOn);
    for (const segment of moved) await this.#remove(segment);
    return moved.length > 0;
  }

  /**
   * Brings a closed segment of this process's folder to where it stays. Answers whether there was one. If that fails, the
   * segment stays where it is, and is read there.
   */
  async settle(goesOn: () => boolean = () => true): Promise<boolean> {
    const { folder } = this.#store;
    const [segment] = await segmentToSettle(this.#pool, folder);
    if (segment === undefined) return false;
    const { id, name, length } = segment;
    const isOurs = async (): Promise<boolean> =>
      goesOn() && (await stillSettling(this.#pool, id, folder)).length > 0;
    try {
      if (await this.#store.settle(name, length, isOurs)) await noteSettled(this.#pool, id);
      return true;
    } finally {
      // Whoever removes it did not see what was brought since.
      if ((await settleLater(this.#pool, id)).length === 0) await this.#store.remove(name);
    }
  }

  /** Gives back what processes that have died long ago began. */
  tidy(): Promise<void> {
    return this.#store.tidy(new Date(Date.now() - abandonedMs));
  }

  /**
   * Removes a segment to which nothing refers, even if a process is about to bring it to where it stays. A backup that has
   * just begun to copy the archive still needs it: then a later look removes it.
   */
  #remove({ id, name }: SegmentName): Promise<void> {
    return inTransaction(this.#pool, async (db) => {
      await allowStoreCalls(db);
      if (!(await mayRemove(db))) {
        await lookSoon(db, [id]);
        return;
      }
      // Seen by others before the bytes go.
      await settleNoMore(this.#pool, id);
      await this.#store.remove(name);
      await forgetSegment(db, id);
    });
  }

  /** The folder to whose segments the work is bound; null: all are in the one folder. */
  get #only(): string | null {
    return this.#store.settles ? this.#store.folder : null;
  }

  /**
   * Moves the live records of segments of one format to a new one, as they are. Answers from which all were moved: of the
   * others some may be left.
   */
  async #move(segments: readonly SegmentName[], goesOn: () => boolean): Promise<SegmentName[]> {
    const format = formatOf(segments[0]?.name ?? '');
    const target = new OwnSegment(this.#pool, this.#store, { ...this.#rules, format });
    const moved: SegmentName[] = [];
    try {
      for (const segment of segments) if (await this.#moveAll(segment, target, goesOn)) moved.push(segment);
    } finally {
      const ended = await target.end();
      if (ended !== null) await this.close(ended);
    }
    return moved;
  }

  async #moveAll(segment: SegmentName, target: OwnSegment, goesOn: () => boolean): Promise<boolean> {
    for (;;) {
      if (!goesOn()) return false;
      const moved = await inTransaction(this.#pool, (db) => this.#moveSome(db, segment, target));
      if (moved !== 'some') return moved === 'all';
    }
  }

  /**
   * Moves a few records. The transaction holds the new segment open: if this process was frozen for so long that another
   * one closed the new segment, nothing is moved.
   */
  async #moveSome(
    db: Queryable,
    { id, name }: SegmentName,
    target: OwnSegment,
  ): Promise<'some' | 'all' | 'none'> {
    await allowStoreCalls(db);
    if ((await holdForMove(db, id)).length === 0) return 'none';
    const bodies = await this.#packed(name, await liveBodies(db, id, moveBatch));
    const revisits = await this.#packed(name, await liveRevisits(db, id, moveBatch));
    if (bodies.length + revisits.length === 0) return 'all';
    // What is not there any more would be found missing for ever.
    for (const { hash, at } of bodies.filter(isLost)) await forgetBody(db, hash, id, at);
    await forgetRevisits(db, id, JSON.stringify(revisits.filter(isLost).map(withHexKey)));
    const found = [...bodies, ...revisits].flatMap(({ packed }) => packed ?? []);
    if (found.length === 0) return 'some';
    const places = await target.append(found);
    const to = places[0]?.segment ?? 0;
    if ((await holdOpen(db, to)).length === 0) return 'none';
    const kept = bodies.filter((body) => !isLost(body));
    const newAts = places.map(({ at }) => at);
    await moveBodies(
      db,
      ...([id, to] as const),
      kept.map(({ hash }) => hash),
      kept.map(({ at }) => at),
      newAts.slice(0, kept.length),
    );
    const rest = revisits.filter((revisit) => !isLost(revisit)).map(withHexKey);
    const rows = rest.map((row, n) => ({ ...row, new_at: newAts[kept.length + n] }));
    await moveRevisits(db, id, to, JSON.stringify(rows));
    return 'some';
  }

  #packed<R extends LiveRecord>(name: string, records: readonly R[]): Promise<Packed<R>[]> {
    return Promise.all(
      records.map(async (record) => ({
        ...record,
        packed: await this.#store.read(name, record.at, record.length),
      })),
    );
  }
}

const mayRemove = async (db: Queryable): Promise<boolean> => (await mayRemoveSegments(db))[0]?.may === true;

type Packed<R> = R & { readonly packed: Buffer | null };

const isLost = ({ packed }: Packed<LiveRecord>): boolean => packed === null;
const withHexKey = ({ host_id, crawl_id, key, at }: LiveRevisit) => ({
  host_id,
  crawl_id,
  key: key.toString('hex'),
  at,
});
