/**
 * The segment to which this process writes. The first record opens it. A new segment replaces it when it is large or
 * old enough, when it is broken, or when another process has closed it because this process seemed dead.
 */
import { randomUUID } from 'node:crypto';
import type { Pool } from '../postgres/index.ts';
import type { Place } from './body-store.ts';
import { packSmall, segmentName, type SegmentFormat } from './member.ts';
import type { SegmentStore, SegmentWriter } from './segment-store.ts';
import { dropSegment, openSegment, releaseSegment, type SegmentName } from './segments.sql.ts';
import { infoRecord } from './warc.ts';

export interface SegmentRules {
  /** This process, as `worker_process` has it. */
  readonly owner: string;
  readonly format: SegmentFormat;
  /** Bytes and milliseconds after which a segment takes no more. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** Name and version of the program, for the first record of each segment. */
  readonly software: string;
}

interface Own extends SegmentName {
  readonly writer: SegmentWriter;
  readonly since: number;
}

export class OwnSegment {
  readonly #pool: Pool;
  readonly #store: SegmentStore;
  readonly #rules: SegmentRules;
  #own: Own | null = null;
  /** The end of the last work on the segment: one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(pool: Pool, store: SegmentStore, rules: SegmentRules) {
    this.#pool = pool;
    this.#store = store;
    this.#rules = rules;
  }

  /** Appends members, one after another; resolves once they are durable. */
  append(members: readonly Uint8Array[]): Promise<Place[]> {
    return this.#inTurn(async () => {
      const { id, writer } = (this.#own ??= await this.#open());
      let at = writer.length;
      try {
        await writer.append(members);
      } catch (error) {
        if (writer.broken) await this.#release();
        throw error;
      }
      const places = members.map(({ length }) => {
        const place = { segment: id, at, length };
        at += length;
        return place;
      });
      if (at >= this.#rules.maxBytes) await this.#release();
      return places;
    });
  }

  /** Gives up the segment if it is old enough. */
  turn(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#own !== null && performance.now() - this.#own.since >= this.#rules.maxAgeMs)
        await this.#release();
    });
  }

  /** Writes to this segment no more, if it is the own one. */
  giveUp(id: number): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#own?.id === id) await this.#release();
    });
  }

  /** Gives up the segment; answers which. */
  end(): Promise<SegmentName | null> {
    return this.#inTurn(async () => {
      const own = this.#own;
      await this.#release();
      return own;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Should Postgres not hear of it, the segment is closed once this process has gone. */
  async #release(): Promise<void> {
    if (this.#own === null) return;
    const { id, writer } = this.#own;
    this.#own = null;
    await writer.close();
    await releaseSegment(this.#pool, id);
  }

  async #open(): Promise<Own> {
    const { owner, format, software } = this.#rules;
    const name = segmentName(randomUUID(), format);
    const [row] = await openSegment(this.#pool, name, owner, this.#store.folder);
    if (row === undefined) throw new Error('a segment without a row');
    let writer: SegmentWriter | null = null;
    try {
      writer = await this.#store.create(name);
      await writer.append([packSmall(infoRecord(software, new Date()), format)]);
      return { id: row.id, name, writer, since: performance.now() };
    } catch (error) {
      await writer?.close();
      await this.#store.remove(name);
      await dropSegment(this.#pool, row.id);
      throw error;
    }
  }
}
