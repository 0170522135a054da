/**
 * Members: each record compressed by itself, so that it can be read alone and copied as it is, and a segment is an
 * archive that any WARC tool reads. A reader finds a flipped bit in a member by the checksum at its end (zstd: xxHash64,
 * gzip: CRC-32).
 */
import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzipSync, zstdDecompress } from 'node:zlib';
import { packZstd, unpackZstd } from './zstd.ts';

export const segmentFormats = ['zstd', 'gzip'] as const;
export type SegmentFormat = (typeof segmentFormats)[number];

/** Of a zstd frame: magic number, one segment, and a content size of four bytes (RFC 8878 §3.1.1). */
const frameStart = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0]);
const rawHeader = frameStart.length + 4 + 3;
/** Bytes that one block of a zstd frame holds at most. */
const longestBlock = 128 * 1024;
/**
 * A page is mostly so many times larger than its member. A page that fits into one piece takes half the time to unpack
 * (measured).
 */
const usualRatio = 4;
const smallestPiece = 16 * 1024;
const pieceOf = (packedBytes: number, maxBytes: number): number =>
  Math.max(smallestPiece, Math.min(packedBytes * usualRatio, maxBytes));

const extensions = { zstd: 'warc.zst', gzip: 'warc.gz' } as const;
export const segmentName = (id: string, format: SegmentFormat): string => `${id}.${extensions[format]}`;
export const formatOf = (name: string): SegmentFormat => (name.endsWith(extensions.gzip) ? 'gzip' : 'zstd');

export const pack = (record: Uint8Array, format: SegmentFormat): Buffer =>
  format === 'gzip' ? gzipSync(record) : packZstd(record);

/**
 * For a record of a few hundred bytes, of which zstd would save a third: a frame with one block that is not compressed
 * costs nothing, a context of zstd a quarter of that of a page (measured).
 */
export function packSmall(record: Uint8Array, format: SegmentFormat): Buffer {
  if (format === 'gzip' || record.length > longestBlock) return pack(record, format);
  const frame = Buffer.allocUnsafe(rawHeader + record.length);
  frame.set(frameStart);
  frame.writeUInt32LE(record.length, frameStart.length);
  frame.writeUIntLE((record.length << 3) | 1, frameStart.length + 4, 3);
  frame.set(record, rawHeader);
  return frame;
}

/** `unpack`, or `unpackAside`. */
export type Unpack = (
  packed: Buffer,
  format: SegmentFormat,
  maxBytes: number,
) => Buffer | null | Promise<Buffer | null>;

/** Unpacks a member of any size and the small one behind it. Null: as with `unpack`; the small one may be missing. */
export async function unpackBoth(
  packed: Buffer,
  format: SegmentFormat,
  maxBytes: number,
  by: Unpack = unpack,
): Promise<Buffer | null> {
  const first = await by(packed, format, maxBytes);
  // Gzip's library goes on with the next member by itself.
  if (first === null || format === 'gzip') return first;
  for (let at = packed.lastIndexOf(frameStart); at > 0; at = packed.lastIndexOf(frameStart, at - 1)) {
    const begin = at + rawHeader;
    if (begin <= packed.length && begin + packed.readUInt32LE(at + frameStart.length) === packed.length)
      return Buffer.concat([first, packed.subarray(begin)]);
  }
  return first;
}

/**
 * Unpacks the first member; those that follow may come with it or not, as the library has it. Null: it is damaged or
 * cut short, or larger than any of ours.
 */
export function unpack(packed: Buffer, format: SegmentFormat, maxBytes: number): Buffer | null {
  const limits = limitsOf(packed, maxBytes);
  try {
    return format === 'gzip' ? gunzipSync(packed, limits) : unpackZstd(packed, limits);
  } catch (error) {
    return orDamaged(error);
  }
}

const [gunzipAside, zstdAside] = [promisify(gunzip), promisify(zstdDecompress)];

/** As `unpack`, in another thread: for a process that has others to answer meanwhile. */
export async function unpackAside(
  packed: Buffer,
  format: SegmentFormat,
  maxBytes: number,
): Promise<Buffer | null> {
  const limits = limitsOf(packed, maxBytes);
  try {
    return await (format === 'gzip' ? gunzipAside(packed, limits) : zstdAside(packed, limits));
  } catch (error) {
    return orDamaged(error);
  }
}

const limitsOf = (packed: Buffer, maxBytes: number) => ({
  maxOutputLength: maxBytes,
  chunkSize: pieceOf(packed.length, maxBytes),
});

/** Errors of zlib have a code. */
function orDamaged(error: unknown): null {
  if (error instanceof Error && 'code' in error) return null;
  throw error;
}
