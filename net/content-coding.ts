/**
 * Content-Encoding undone under a limit (RFC 9110 section 8.4).
 *
 * Small bodies, nearly all of them, are decoded by one synchronous call. Whatever that call cannot finish within its
 * bounds, and every long body, goes through a CodingStream, whose output is counted as it is produced: a bomb costs no
 * more than the limit. Neither loses what could be decoded before the end of a truncated body.
 */
import * as zlib from 'node:zlib';
import { codeOf } from './net-fault.ts';

export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

/** For the request: what is undone here, most welcome first where servers go by order. */
export const acceptEncoding = 'gzip, deflate, br, zstd';

export interface Decoded {
  readonly body: Uint8Array;
  readonly cut: false | 'too-large' | 'incomplete' | 'bad-encoding';
}

const maxCodings = 3;
/** Output of a synchronous decode at most: some 10 ms of the event loop. */
const maxSyncOutput = 4 * 1024 * 1024;
/** Bytes given to zlib at a time: one slice can yield a thousandfold before it is counted. */
const sliceBytes = 16 * 1024;

const codingNames: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);
/** Registered codings that nobody asked for: their bytes are no text. */
const foreignCodings: ReadonlySet<string> = new Set([
  'compress',
  'x-compress',
  'dcb',
  'dcz',
  'exi',
  'pack200-gzip',
  'aes128gcm',
]);

/**
 * The codings of a Content-Encoding field value in the order they were applied, or null where they cannot be undone:
 * foreign ones, or more than three. Words that are no coding (a charset, "none") change nothing, as in browsers.
 */
export function readContentEncoding(value: string | undefined): readonly Coding[] | null {
  if (value === undefined || value === '') return [];
  const words = value.split(',').map((word) => word.trim().toLowerCase());
  if (words.some((word) => foreignCodings.has(word))) return null;
  const codings = words.flatMap((word) => codingNames.get(word) ?? []);
  return codings.length > maxCodings ? null : codings;
}

/** Undoes `codings`, the last applied first. `maxBytes` bounds the body and each step on the way to it. */
export async function decode(
  codings: readonly Coding[],
  wire: Uint8Array,
  maxBytes: number,
): Promise<Decoded> {
  let body = wire;
  let cut: Decoded['cut'] = false;
  for (const coding of codings.toReversed()) {
    const step = decodeSync(coding, body, maxBytes) ?? (await decodeStreaming(coding, body, maxBytes));
    body = step.body;
    // The first cut explains those that follow from it.
    cut ||= step.cut;
  }
  return { body, cut };
}

/** Undone by synchronous calls alone, or null where a step is cut, broken or longer than `maxBytes`. */
export function decodeAtOnce(
  codings: readonly Coding[],
  wire: Uint8Array,
  maxBytes: number,
): Uint8Array | null {
  let body = wire;
  for (const coding of codings.toReversed()) {
    const step = decodeSync(coding, body, maxBytes);
    if (step === null) return null;
    body = step.body;
  }
  return body;
}

/** The whole body by one synchronous call, or null where that does not do: cut, broken or too long. */
function decodeSync(coding: Coding, wire: Uint8Array, maxBytes: number): Decoded | null {
  if (wire.length === 0) return { body: wire, cut: false };
  const options = { maxOutputLength: Math.max(1, Math.min(maxBytes, maxSyncOutput)) };
  try {
    return { body: syncDecoder(coding, wire)(wire, options), cut: false };
  } catch (error) {
    const body =
      coding === 'gzip' && codeOf(error) === 'Z_DATA_ERROR' ? gunzipBeforeJunk(wire, options) : null;
    return body === null ? null : { body, cut: false };
  }
}

/**
 * The member of a gzip body that ends in something else, which browsers leave alone and zlib takes for a broken second
 * member; null where it is anything else (RFC 1952 section 2.3).
 */
function gunzipBeforeJunk(wire: Uint8Array, options: { maxOutputLength: number }): Buffer | null {
  const start = gzipHeaderBytes(wire);
  if (start === null) return null;
  try {
    const { buffer, engine } = zlib.inflateRawSync(wire.subarray(start), {
      ...options,
      info: true,
    }) as unknown as Inflated;
    const tail = Buffer.from(wire.subarray(start + engine.bytesWritten));
    const isLast = tail.length > gzipTrailerBytes && !(tail[8] === 0x1f && tail[9] === 0x8b);
    return isLast && tail.readUInt32LE(0) === zlib.crc32(buffer) ? buffer : null;
  } catch {
    return null;
  }
}

/** What zlib's synchronous calls give with `info: true`, which their types leave out. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

const gzipTrailerBytes = 8;

/** Length of a gzip member's header, or null where there is none. */
function gzipHeaderBytes(wire: Uint8Array): number | null {
  if (wire[0] !== 0x1f || wire[1] !== 0x8b || wire[2] !== 8) return null;
  const flags = wire[3] ?? 0;
  let at = 10;
  if ((flags & 4) !== 0) at += 2 + (wire[at] ?? 0) + ((wire[at + 1] ?? 0) << 8);
  // The file's name and a comment, each ended by a zero.
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const end = wire.indexOf(0, at);
    if (end === -1) return null;
    at = end + 1;
  }
  return (flags & 2) === 0 ? at : at + 2;
}

function syncDecoder(
  coding: Coding,
  wire: Uint8Array,
): (wire: Uint8Array, options: { maxOutputLength: number }) => Buffer {
  switch (coding) {
    case 'gzip':
      return zlib.gunzipSync;
    case 'deflate':
      return hasZlibHeader(wire) ? zlib.inflateSync : zlib.inflateRawSync;
    case 'br':
      return zlib.brotliDecompressSync;
    case 'zstd':
      return (bytes, options) => zlib.zstdDecompressSync(bytes, { ...options, params: zstdParams });
  }
}

/** Windows of 8 MiB at most, as the coding is registered (RFC 9659); a frame may ask for gigabytes. */
const zstdParams = { [zlib.constants.ZSTD_d_windowLogMax]: 23 };

/**
 * "deflate" means the zlib format, yet some servers send raw deflate and browsers read both. The test is sure: a raw
 * stream with the low bits of a zlib header would start with a stored block whose padding is not zero.
 */
const hasZlibHeader = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;

async function decodeStreaming(coding: Coding, wire: Uint8Array, maxBytes: number): Promise<Decoded> {
  const stream = new CodingStream(coding, wire, maxBytes);
  for (let at = 0; at < wire.length && !stream.over; at += sliceBytes) {
    if (!stream.write(wire.subarray(at, at + sliceBytes))) await stream.drained();
  }
  return stream.end();
}

/** One coding undone piece by piece. Between write and output lies zlib's thread; order is kept. */
export class CodingStream {
  readonly #engine: Engine;
  readonly #chunks: Buffer[] = [];
  readonly #done: Promise<Decoded['cut']>;
  readonly #maxBytes: number;
  #size = 0;
  #over = false;

  /** `head`: the first bytes of the coded body, two at least where there are so many. */
  constructor(coding: Coding, head: Uint8Array, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#engine = engineFor(coding, head);
    this.#done = new Promise((resolve) => {
      const finish = (cut: Decoded['cut']): void => {
        this.#over = true;
        resolve(cut);
        this.#engine.destroy();
      };
      this.#engine.on('data', (chunk: Buffer) => {
        if (this.#over) return;
        const room = this.#maxBytes - this.#size;
        this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
        this.#size += chunk.length;
        if (chunk.length > room) finish('too-large');
      });
      this.#engine.on('end', () => {
        finish(false);
      });
      this.#engine.on('error', (error: NodeJS.ErrnoException) => {
        if (this.#over) return;
        finish(error.code === 'Z_BUF_ERROR' ? 'incomplete' : 'bad-encoding');
      });
    });
  }

  /** Nothing written from now on changes the outcome: the limit is passed or the bytes are broken. */
  get over(): boolean {
    return this.#over;
  }

  /** False: wait for `drained` before the next write. */
  write(chunk: Uint8Array): boolean {
    return this.#over || this.#engine.write(chunk);
  }

  /** Resolves when more may be written, or when nothing more is needed. */
  drained(): Promise<unknown> {
    return Promise.race([new Promise((resolve) => this.#engine.once('drain', resolve)), this.#done]);
  }

  /** Call once, when all was written. */
  async end(): Promise<Decoded> {
    // The flush makes zlib give out all it holds before it may find that the end is missing.
    if (!this.#over) this.#engine.flush(() => this.#engine.end());
    const cut = await this.#done;
    return { body: Buffer.concat(this.#chunks), cut };
  }
}

type Engine = zlib.Gunzip | zlib.Inflate | zlib.InflateRaw | zlib.BrotliDecompress | zlib.ZstdDecompress;

function engineFor(coding: Coding, head: Uint8Array): Engine {
  switch (coding) {
    case 'gzip':
      return zlib.createGunzip();
    case 'deflate':
      return hasZlibHeader(head) ? zlib.createInflate() : zlib.createInflateRaw();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'zstd':
      return zlib.createZstdDecompress({ params: zstdParams });
  }
}
