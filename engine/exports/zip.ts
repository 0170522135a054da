/**
 * The bytes of zip archives (APPNOTE 6.3.10) that can be written on from any place: the libraries keep the directory of
 * all files in memory, and cannot go on with an archive after a crash. Sizes over 4 GB and over 65,535 files are zip64.
 */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  /** Path within the archive. */
  readonly name: string;
  /** 0: stored as it is. 8: deflated. */
  readonly method: 0 | 8;
  readonly crc: number;
  /** Bytes in the archive, and of the file. */
  readonly packed: number;
  readonly size: number;
  /** Where its local header lies. */
  readonly at: number;
}

const most32 = 0xffffffff;
const most16 = 0xffff;
const utf8Names = 0x800;
/** Every file was made on 1 January 1980 (§4.4.6): an archive of the same pages has the same bytes. */
const [time, date] = [0, 0x21];

const numbers = (...fields: readonly (readonly [bytes: 2 | 4 | 8, value: number])[]): Buffer => {
  const buffer = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at);
    else buffer.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return buffer;
};

/**
 * The header before the bytes of a file. Below 4 GB its length depends on the name alone, so that it can be overwritten
 * once the size is known. It has no extra field then: wabac expects none where the directory has none.
 */
export function localHeader({ name, method, crc, packed, size }: ZipFile): Buffer {
  const called = Buffer.from(name);
  const isLarge = Math.max(size, packed) >= most32;
  const [shortPacked, shortSize] = isLarge ? [most32, most32] : [packed, size];
  return Buffer.concat([
    numbers(
      ...([[4, 0x04034b50], [2, 45], [2, utf8Names], [2, method], [2, time], [2, date], [4, crc]] as const),
      ...([[4, shortPacked], [4, shortSize], [2, called.length], [2, isLarge ? 20 : 0]] as const),
    ),
    called,
    ...(isLarge ? [numbers([2, 1], [2, 16], [8, size], [8, packed])] : []),
  ]); // prettier-ignore
}

/** The entry of a file in the directory at the end. */
export function directoryEntry({ name, method, crc, packed, size, at }: ZipFile): Buffer {
  const called = Buffer.from(name);
  const large = [size, packed, at].filter((value) => value >= most32);
  const extra = large.length === 0 ? 0 : 4 + 8 * large.length;
  const short = (value: number): number => Math.min(value, most32);
  return Buffer.concat([
    numbers(
      ...([[4, 0x02014b50], [2, 45], [2, 45], [2, utf8Names], [2, method], [2, time], [2, date]] as const),
      ...([[4, crc], [4, short(packed)], [4, short(size)], [2, called.length], [2, extra], [2, 0]] as const),
      ...([[2, 0], [2, 0], [4, 0], [4, short(at)]] as const),
    ),
    called,
    ...(extra === 0
      ? []
      : [numbers([2, 1], [2, extra - 4], ...large.map((value) => [8, value] as const))]),
  ]); // prettier-ignore
}

/** Stands behind the directory, which has so many files and bytes and lies at that place. */
export function archiveEnd(files: number, at: number, bytes: number): Buffer {
  const isLarge = files >= most16 || at >= most32 || bytes >= most32;
  const end = numbers(
    ...([[4, 0x06054b50], [2, 0], [2, 0], [2, Math.min(files, most16)], [2, Math.min(files, most16)]] as const),
    ...([[4, Math.min(bytes, most32)], [4, Math.min(at, most32)], [2, 0]] as const),
  ); // prettier-ignore
  if (!isLarge) return end;
  const large = numbers(
    ...([[4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, files], [8, files]] as const),
    ...([[8, bytes], [8, at]] as const),
  ); // prettier-ignore
  const locator = numbers([4, 0x07064b50], [4, 0], [8, at + bytes], [4, 1]);
  return Buffer.concat([large, locator, end]);
}

/** A small file, deflated: its local header with its bytes, and its entry in the directory. */
export function smallFile(
  name: string,
  bytes: Uint8Array,
  at: number,
): { readonly stored: Buffer; readonly entry: Buffer } {
  const packed = deflateRawSync(bytes);
  const file: ZipFile = {
    name,
    method: 8,
    at,
    crc: crc32(bytes),
    packed: packed.length,
    size: bytes.length,
  };
  return { stored: Buffer.concat([localHeader(file), packed]), entry: directoryEntry(file) };
}
