/** The fingerprint of a page's text as it is stored, for near-duplicates (F21). */
import { fingerprint } from '../../domain/alike/fingerprint.ts';
import type { PrintRow } from '../../storage/alike/index.ts';
import type { StagedBody } from '../../storage/pages/index.ts';

/** A page that was read before may have a fingerprint that no longer fits: an empty one takes its place. */
export function printRow({ host_id, crawl_id, key, fetches }: StagedBody, text: string): PrintRow | null {
  const place = { host_id, crawl_id, key };
  const print = fingerprint(text);
  if (print === null) {
    return fetches > 1 ? { ...place, words: 0, simhash: '0', sketch: '', numbers: '', bands: [] } : null;
  }
  const numbers = Buffer.alloc(print.numbers.length * 4);
  for (const [at, number] of print.numbers.entries()) numbers.writeUInt32BE(number, at * 4);
  return {
    ...place,
    words: print.words,
    simhash: String(print.simhash),
    bands: print.bands.map(String),
    sketch: Buffer.from(print.sketch).toString('hex'),
    numbers: numbers.toString('hex'),
  };
}
