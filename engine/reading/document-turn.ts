/** Documents that one call reads. They may take half a minute each, and share a thread with those of other lanes. */
import type { ReadDocument } from '../../contracts/extraction.ts';
import { isDocument, readDocument } from '../../content/documents.ts';

/** Milliseconds from the first document of a call, after which further ones are left to a later call. */
const usualMs = 20_000;
const noBody = new Uint8Array();

export class DocumentTurn {
  readonly #longestMs: number;
  /** On the clock of `performance.now()`. */
  #until = Infinity;

  constructor(longestMs = usualMs) {
    this.#longestMs = longestMs;
  }

  /** Is it a document whose turn comes later? Neither pages nor their commit should wait for hundreds of documents. */
  isLater(contentType: string | null, body: Uint8Array = noBody): boolean {
    return performance.now() > this.#until && isDocument(contentType, body);
  }

  /** Null: the body is no document. */
  async read(contentType: string | null, body: Uint8Array): Promise<ReadDocument | null> {
    if (!isDocument(contentType, body)) return null;
    this.#until = Math.min(this.#until, performance.now() + this.#longestMs);
    return readDocument(body);
  }
}
