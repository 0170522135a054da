/** The fingerprint of a page's text as it is stored, for near-duplicates (F21). */
import { fingerprint } from '../../domain/alike/fingerprint.ts';
import type { PrintRow } from '../../storage/alike/index.ts';
import type { StagedBody } from '../../storage/pages/index.ts';

/** Null: the text is too short to be like another one. */
export function printRow(
  { crawl_id, content_id }: Pick<StagedBody, 'crawl_id' | 'content_id'>,
  text: string,
): PrintRow | null {
  const print = fingerprint(text);
  if (print === null) return null;
  const numbers = Buffer.alloc(print.numbers.length * 4);
  for (const [at, number] of print.numbers.entries()) numbers.writeUInt32BE(number, at * 4);
  return {
    crawl_id,
    content_id,
    words: print.words,
    simhash: String(print.simhash),
    bands: print.bands.map(String),
    sketch: Buffer.from(print.sketch).toString('hex'),
    numbers: numbers.toString('hex'),
  };
}
