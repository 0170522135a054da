/** The machine's own list of names (hosts(5)), which is asked before DNS. */
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { ResolvedAddress } from './resolver.ts';

type Names = ReadonlyMap<string, readonly ResolvedAddress[]>;
interface Reading {
  readonly names: Names;
  /** What the file looked like; null: there was none. */
  readonly version: string | null;
}

/** Milliseconds until a change of the file is seen. */
const recheckMs = 5_000;

export class HostsFile {
  readonly #file: string;
  #reading: Promise<Reading> = Promise.resolve({ names: new Map(), version: null });
  /** On the clock of `performance.now()`. */
  #checkAt = -Infinity;

  constructor(file: string) {
    this.#file = file;
  }

  /** @param hostname in lower case, without the root's dot. Null: the file does not name it, or cannot be read. */
  async lookup(hostname: string): Promise<readonly ResolvedAddress[] | null> {
    const now = performance.now();
    if (now >= this.#checkAt) {
      this.#checkAt = now + recheckMs;
      this.#reading = this.#reading.then((last) => this.#readAgain(last));
    }
    const { names } = await this.#reading;
    return names.get(hostname) ?? null;
  }

  async #readAgain(last: Reading): Promise<Reading> {
    try {
      const { mtimeMs, size, ino } = await stat(this.#file);
      const version = [mtimeMs, size, ino].join();
      if (version === last.version) return last;
      return { names: parseHosts(await readFile(this.#file, 'utf8')), version };
    } catch {
      return { names: new Map(), version: null };
    }
  }
}

/** Reads hosts(5): an address and its names a line, `#` to the end of a line a comment; other lines are passed over. */
export function parseHosts(text: string): Names {
  const names = new Map<string, ResolvedAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...ofLine] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family !== 4 && family !== 6) continue;
    for (const name of ofLine) {
      const key = name.toLowerCase().replace(/\.$/, '');
      const known = names.get(key);
      if (known === undefined) names.set(key, [{ address, family }]);
      else if (!known.some((each) => each.address === address)) known.push({ address, family });
    }
  }
  return names;
}
