/**
 * What is common to those that open pages in a browser: the first page of each kind, then, once that is told, the others;
 * each page's DOM is kept in a file for whoever judges. `node PROGRAM FILE FOLDER LANES`; FILE has the two lists of URLs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Passes {
  readonly first: readonly string[];
  readonly others: readonly string[];
}

/** Written when the first pages are there, and at the end. */
export interface Told {
  readonly seconds: number;
  /** Of all pages of the pass; 0: it knows none. */
  readonly rounds: number;
}

/** @param open answers the DOM and, if it knows rounds, how many there were */
export async function runPasses(
  open: (url: string) => Promise<{ readonly dom: string | Uint8Array; readonly rounds: number }>,
): Promise<void> {
  const [file = '', folder = '', lanes = '1'] = process.argv.slice(2);
  const passes = JSON.parse(readFileSync(file, 'utf8')) as Passes;
  for (const urls of [passes.first, passes.others]) {
    const start = performance.now();
    const waiting = [...urls];
    let rounds = 0;
    const lane = async (): Promise<void> => {
      for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
        const page = await open(url);
        rounds += page.rounds;
        writeFileSync(path.join(folder, encodeURIComponent(url)), page.dom);
      }
    };
    await Promise.all(Array.from({ length: Number(lanes) }, lane));
    const told: Told = { seconds: (performance.now() - start) / 1_000, rounds };
    process.stdout.write(`${JSON.stringify(told)}\n`);
  }
}
