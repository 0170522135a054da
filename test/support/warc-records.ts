/** The records of an archive, read by their lengths, without any code of ours. */
import { expect } from 'vitest';

export interface WrittenRecord {
  readonly type: string;
  /** The fields of the record. */
  readonly fields: string;
  /** Of the HTTP message; empty where the record holds none. */
  readonly head: string;
  readonly body: Buffer;
  /** Its WARC-Target-URI; empty where it has none. */
  readonly uri: string;
  /** Of the answer. */
  readonly status: string | undefined;
  readonly field: (name: string) => string | undefined;
}

export function readRecords(bytes: Buffer): WrittenRecord[] {
  const found: WrittenRecord[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n\r\n', at) + 4;
    const fields = bytes.toString('latin1', at, end);
    const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)\r`, 'm').exec(fields)?.[1];
    const length = Number(field('Content-Length'));
    const block = bytes.subarray(end, end + length);
    const split =
      field('Content-Type')?.startsWith('application/http') === true ? block.indexOf('\r\n\r\n') : -1;
    const [head, body] =
      split < 0 ? ['', block] : [block.toString('latin1', 0, split), block.subarray(split + 4)];
    found.push({
      ...{ type: field('WARC-Type') ?? '', fields, head, body, uri: field('WARC-Target-URI') ?? '', field },
      status: /^HTTP\/\S+ (\d{3})/.exec(head)?.[1],
    });
    expect(bytes.toString('latin1', end + length, end + length + 4)).toBe('\r\n\r\n');
    at = end + length + 4;
  }
  return found;
}
