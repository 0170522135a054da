/**
 * Bodies by the SHA-256 of their bytes (content-addressed), each in the record of the answer that brought it. A body
 * that is answered is whole. For a body that is missing or torn `get` answers null and forgets where it was, so that the
 * next `put` stores it anew.
 */
import type { FoundRecord } from './records.sql.ts';
import type { Capture } from './warc.ts';

/** Where a record lies. */
export interface Place {
  readonly segment: number;
  readonly at: number;
  readonly length: number;
}

/** What a result says of its record. Only the commit of the result makes the record a part of the archive. */
export interface Kept extends Place {
  /**
   * The body was stored before: the record holds the head of the answer alone. Null: the record holds an answer whose body
   * is nobody else's (`Capture.alone`).
   */
  readonly known: boolean | null;
}

export interface BodyStore {
  /** Resolves once the record is durable. @param patienceMs as in `Gathering` */
  put(capture: Capture, patienceMs?: number): Promise<Kept>;
  /** @param at where its record lies, if the caller knows; the store finds it all the same if it was moved since */
  get(hash: Uint8Array, at?: FoundRecord | null): Promise<Uint8Array | null>;
}
