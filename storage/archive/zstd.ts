/**
 * Packs and unpacks by contexts of zstd that are kept from one record to the next. Each synchronous call of Node makes a
 * context, a stream and a buffer of its own, and their memory outlives the collections of young garbage: a process that
 * fetches or reads then collects all its garbage twice as often. A kept context saves a third of the time of packing
 * and unpacking a page, with the garbage half (measured, docs/decisions/0012-what-a-page-costs.md).
 */
import { constants, ZstdCompress, zstdCompressSync, ZstdDecompress, zstdDecompressSync } from 'node:zlib';

/** Level 1: 6 % larger than level 3 on HTML, in two thirds of the time (measured). */
const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
/** Bytes; longer records, and longer packed ones, take a context of their own. */
const longestRecord = 256 * 1024;
const longestPacked = 64 * 1024;
/** Room for the longest record, however badly it packs. */
const outputBytes = 2 * longestRecord;

/** What is used of the inside of Node's streams; where a version lacks it, each record takes a context of its own. */
interface Inside {
  readonly _handle?: { readonly writeSync?: WriteSync } | null;
  /** Room that the last call left in the output, and bytes of the input that it did not take. */
  readonly _writeState?: Uint32Array;
}
type WriteSync = (
  flush: number,
  ...rest: [from: Uint8Array, at: number, length: number, to: Uint8Array, toAt: number, room: number]
) => void;

interface Run {
  /** Valid until the next run. */
  readonly output: Buffer;
  /** Bytes of the input that were not taken. */
  readonly left: number;
}

class KeptContext {
  readonly #make: () => ZstdCompress | ZstdDecompress;
  readonly #output = Buffer.allocUnsafeSlow(outputBytes);
  #stream: ZstdCompress | ZstdDecompress | null = null;

  constructor(make: () => ZstdCompress | ZstdDecompress) {
    this.#make = make;
  }

  /** Null: this fails, or the output has no room; the next run begins with a new context. */
  run(flush: number, input: Uint8Array): Run | null {
    const stream = (this.#stream ??= this.#begin());
    const { _handle: handle, _writeState: state } = stream as unknown as Inside;
    if (typeof handle?.writeSync !== 'function' || state === undefined) return null;
    handle.writeSync(flush, input, 0, input.length, this.#output, 0, this.#output.length);
    const [room = 0, left = 0] = state;
    if (!stream.destroyed && room > 0)
      return { output: this.#output.subarray(0, this.#output.length - room), left };
    this.giveUp();
    return null;
  }

  giveUp(): void {
    this.#stream?.destroy();
    this.#stream = null;
  }

  #begin(): ZstdCompress | ZstdDecompress {
    // What fails is tried again by a context of its own, which tells the error.
    return this.#make().on('error', () => undefined);
  }
}

const packing = new KeptContext(() => new ZstdCompress({ params }));
const unpacking = new KeptContext(() => new ZstdDecompress());

export function packZstd(record: Uint8Array): Buffer {
  const run = record.length > longestRecord ? null : packing.run(constants.ZSTD_e_end, record);
  if (run?.left === 0) return Buffer.from(run.output);
  // If zstd knows the size, it takes tables of that size: a third less time for a page (measured).
  return zstdCompressSync(record, { params, pledgedSrcSize: record.length });
}

/**
 * Unpacks the first frame. A kept context is trusted only if bytes follow the frame: otherwise nobody knows whether it was whole.
 * @throws what zstd says of a frame that is damaged, cut short or longer than `limits` allow
 */
export function unpackZstd(
  packed: Uint8Array,
  limits: { readonly maxOutputLength: number; readonly chunkSize: number },
): Buffer {
  if (packed.length <= longestPacked) {
    const run = unpacking.run(constants.ZSTD_e_continue, packed);
    if (run !== null && run.left > 0 && run.output.length <= limits.maxOutputLength)
      return Buffer.from(run.output);
    unpacking.giveUp();
  }
  return zstdDecompressSync(packed, limits);
}
