/**
 * Makes undici read HTTP/1.1 answers that it refuses and every other client reads. All that arrives passes here once and
 * in order, with or without TLS, before undici sees it:
 *
 *   body ──(bytes of a request were written)──> head ──(an interim head ends)──> head
 *   head ──(a final head ends)──> chunks, if the body has them, else body
 *
 * head:   held back until it is whole, or longer than a head may be, or the connection ends. Its faults are mended
 *         (domain/answer-head.ts). The status of a 100 Continue that nobody asked for becomes 102, which undici passes
 *         over as a client must (RFC 9110 §15.2); it takes a 100 for the answer of a broken server.
 * chunks: blanks after a chunk's size are left out: load balancers pad sizes (RFC 9112 §7.1.1 has them before an
 *         extension only).
 * body:   passes as it is.
 */
import type { Socket } from 'node:net';
import { mendedHead } from '../domain/answer-head.ts';

const [tab, lf, cr, space, semicolon] = [9, 10, 13, 32, 59];
const interim = /^HTTP\/1\.1 1(?!01)\d\d/;
const chunkedHead = /\r\ntransfer-encoding:[^\r\n]*chunked[ \t]*\r\n/i;
const begin = Buffer.from('HTTP/1.');

/**
 * For a connection that speaks HTTP/1.1 and on which each request is written whole before its answer is read.
 *
 * @param maxHeadBytes a longer head goes on to undici, which refuses it
 * @param onMended an answer had a fault: the connection must carry no further request
 */
export function repairAnswers(socket: Socket, maxHeadBytes: number, onMended: () => void): void {
  const answers = new Answers(maxHeadBytes, onMended);
  let written = socket.bytesWritten;
  const push = socket.push.bind(socket);
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      answers.isDue();
    }
    if (chunk === null) {
      const held = answers.takeHeld();
      if (held.length > 0) push(held);
      return push(null);
    }
    if (!(chunk instanceof Uint8Array)) return push(chunk, encoding);
    const passed = answers.pass(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    return passed.length === 0 || push(passed);
  };
}

const nothing = Buffer.alloc(0);
const blank = Buffer.of(space);

class Answers {
  readonly #maxHeadBytes: number;
  readonly #onMended: () => void;
  #state: 'head' | 'chunks' | 'body' = 'body';
  /** Of a head that is not whole yet. */
  #held: Buffer = nothing;
  /** Bytes of it in which no empty line ends. */
  #searched = 0;
  #chunks = new ChunkSizes();

  constructor(maxHeadBytes: number, onMended: () => void) {
    this.#maxHeadBytes = maxHeadBytes;
    this.#onMended = onMended;
  }

  isDue(): void {
    this.#state = 'head';
  }

  takeHeld(): Buffer {
    const held = this.#held;
    this.#held = nothing;
    return held;
  }

  pass(bytes: Buffer): Buffer {
    if (this.#state === 'body') return bytes;
    if (this.#state === 'head')
      return this.#head(this.#held.length === 0 ? bytes : Buffer.concat([this.takeHeld(), bytes]));
    return this.#sized(bytes);
  }

  /** Interim heads come in a row as long as a server likes, and a head byte by byte: neither costs more than its length. */
  #head(given: Buffer): Buffer {
    const passed: Buffer[] = [];
    let bytes = given;
    while (bytes.length > 0 && this.#state === 'head') {
      let start = 0;
      // Empty lines before a head are passed over, as undici does.
      while (bytes[start] === cr || bytes[start] === lf) start++;
      const known = bytes.subarray(start, start + begin.length);
      const end = endOfHead(bytes, Math.max(start, this.#searched));
      this.#searched = 0;
      if (!begin.subarray(0, known.length).equals(known)) this.#state = 'body';
      else if (end !== -1) {
        const head = this.#mended(bytes.toString('latin1', start, end));
        passed.push(head === null ? bytes.subarray(start, end) : Buffer.from(head, 'latin1'));
        bytes = bytes.subarray(end);
      } else if (bytes.length > this.#maxHeadBytes) this.#state = 'body';
      else {
        this.#held = bytes;
        // The empty line may be cut in its middle.
        this.#searched = Math.max(0, bytes.length - 2);
        bytes = nothing;
      }
    }
    if (bytes.length > 0) passed.push(this.#state === 'chunks' ? this.#sized(bytes) : bytes);
    return passed.length === 1 ? (passed[0] ?? nothing) : Buffer.concat(passed);
  }

  /** The head as it is to pass, and what comes after it; null: as it is. */
  #mended(head: string): string | null {
    const mended = mendedHead(head);
    if (mended !== null) this.#onMended();
    const whole = mended ?? head;
    if (interim.test(whole)) return whole.replace(/^(HTTP\/1\.1 1)00/, '$102');
    this.#state = chunkedHead.test(whole) ? 'chunks' : 'body';
    this.#chunks = new ChunkSizes();
    return mended;
  }

  #sized(bytes: Buffer): Buffer {
    const sized = this.#chunks.pass(bytes);
    if (sized.length < bytes.length) this.#onMended();
    return sized;
  }
}

/** Where the empty line ends, or -1. Line feeds alone end lines too (RFC 9112 §2.2). */
function endOfHead(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(lf, start); at !== -1; at = bytes.indexOf(lf, at + 1)) {
    if (bytes[at + 1] === lf) return at + 2;
    if (bytes[at + 1] === cr && bytes[at + 2] === lf) return at + 3;
  }
  return -1;
}

/** Follows the framing of chunks, and leaves out the blanks between a size and the end of its line or its extension. */
class ChunkSizes {
  #state: 'size' | 'blank' | 'extension' | 'data' | 'over' = 'size';
  #size = 0;
  /** Bytes of the chunk and its line end that are still to come. */
  #left = 0;

  /** The same buffer if nothing is left out. */
  pass(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    let from = 0;
    for (let at = 0; at < bytes.length && this.#state !== 'over'; at++) {
      if (this.#state === 'data') {
        const step = Math.min(this.#left, bytes.length - at);
        this.#left -= step;
        at += step - 1;
        if (this.#left === 0) this.#state = 'size';
        continue;
      }
      const byte = bytes[at] ?? 0;
      if (byte === lf) this.#lineEnds();
      else if (this.#state === 'extension' || byte === cr) continue;
      else if (byte === semicolon) this.#state = 'extension';
      else if (byte === space || byte === tab) {
        this.#state = 'blank';
        kept.push(bytes.subarray(from, at));
        from = at + 1;
      } else if (this.#state === 'blank') {
        // A size in two parts could be read in two ways: undici, which sees the blank, refuses it.
        kept.push(blank);
        this.#state = 'over';
      } else this.#digit(byte);
    }
    return kept.length === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
  }

  #lineEnds(): void {
    this.#left = this.#size + 2;
    // After the last chunk come trailers, which have no sizes.
    this.#state = this.#size === 0 ? 'over' : 'data';
    this.#size = 0;
  }

  /** What is no size is left to undici, which refuses it. */
  #digit(byte: number): void {
    const value = Number.parseInt(String.fromCharCode(byte), 16);
    this.#size = this.#size * 16 + value;
    if (!Number.isSafeInteger(this.#size)) this.#state = 'over';
  }
}
