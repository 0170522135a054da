/**
 * Makes undici ignore a 100 Continue that nobody asked for, as a client must (RFC 9110 section 15.2).
 *
 * undici reads every interim response but this one: it takes a 100 for the answer of a broken server and destroys the
 * connection. So the status of such a head becomes 102 on its way in: one byte, changed in place, before undici sees
 * it. Nothing is held back, added or removed, and the limits on interim responses, heads and time stay as they are.
 *
 * Only heads are looked at. A head is expected when bytes of a request were written since the last one, and after an
 * interim head.
 */
import type { Socket } from 'node:net';

const interimStart = /^HTTP\/1\.1 1\d\d$/;
const startLength = 'HTTP/1.1 100'.length;
const [cr = 0, lf = 0, two = 0] = Buffer.from('\r\n2');

/** For a connection that speaks HTTP/1.1 and on which each request is written whole before its answer is read. */
export function passOverContinue(socket: Socket): void {
  const heads = new InterimHeads();
  let written = socket.bytesWritten;
  const push = socket.push.bind(socket);
  // All that arrives passes here once and in order, with or without TLS.
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      heads.due = true;
    }
    if (heads.due && chunk instanceof Uint8Array) heads.pass(chunk);
    return push(chunk, encoding);
  };
}

class InterimHeads {
  /** The next bytes belong to a head that may be an interim one. */
  due = false;
  /** The beginning of the head, as far as it has come. */
  #start = '';
  /** Bytes that have come of the empty line that ends an interim head, and of the line end before it. */
  #ended = 0;

  pass(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && this.due; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#start.length === startLength) this.#toEnd(byte);
      else if (this.#begins(byte) && this.#start.endsWith('100')) bytes[at] = two;
    }
  }

  /** True: this byte completes an interim status. */
  #begins(byte: number): boolean {
    // Empty lines before a head are skipped, as undici skips them.
    if (this.#start === '' && (byte === cr || byte === lf)) return false;
    this.#start += String.fromCharCode(byte);
    if (this.#start.length < startLength) return false;
    if (interimStart.test(this.#start)) return true;
    this.#start = '';
    this.due = false;
    return false;
  }

  #toEnd(byte: number): void {
    if (byte === (this.#ended % 2 === 0 ? cr : lf)) this.#ended++;
    else this.#ended = byte === cr ? 1 : 0;
    if (this.#ended < 4) return;
    this.#start = '';
    this.#ended = 0;
  }
}
