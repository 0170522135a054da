/**
 * What was met before, in bounded memory: a bit for each key. A key that shares its bit with another counts as met. Two
 * generations: when the younger has many bits set, the older is forgotten, so what was met lately is always known.
 */

/** Share of its bits at which a generation is full: so often a key is taken for one that was met, at most. */
const full = 0.3;

export class Met {
  readonly #bits: number;
  #young: Uint8Array;
  #old: Uint8Array;
  #set: number;

  /** @param bits of a generation, a power of two @param written as `written` gives it; '': nothing was met */
  constructor(bits: number, written: string) {
    this.#bits = bits;
    const bytes = bits / 8;
    const both = written === '' ? new Uint8Array(2 * bytes) : fromBase64(written);
    this.#young = both.slice(0, bytes);
    this.#old = both.slice(bytes);
    this.#set = this.#young.reduce((all, byte) => all + bitsOf(byte), 0);
  }

  has(key: number): boolean {
    const [at, bit] = this.#place(key);
    return (((this.#young[at] ?? 0) | (this.#old[at] ?? 0)) & bit) !== 0;
  }

  /** True: it was not met before. */
  add(key: number): boolean {
    const isNew = !this.has(key);
    const [at, bit] = this.#place(key);
    const before = this.#young[at] ?? 0;
    if ((before & bit) !== 0) return isNew;
    this.#young[at] = before | bit;
    if (++this.#set > full * this.#bits) {
      this.#old = this.#young;
      this.#young = new Uint8Array(this.#old.length);
      this.#set = 0;
    }
    return isNew;
  }

  written(): string {
    const both = new Uint8Array(2 * this.#young.length);
    both.set(this.#young);
    both.set(this.#old, this.#young.length);
    return toBase64(both);
  }

  #place(key: number): readonly [at: number, bit: number] {
    // The lowest bits of a key choose samples (text.ts).
    const bit = (key >>> 3) & (this.#bits - 1);
    return [bit >> 3, 1 << (bit & 7)];
  }
}

function bitsOf(byte: number): number {
  let bits = 0;
  for (let rest = byte; rest > 0; rest &= rest - 1) bits++;
  return bits;
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function fromBase64(written: string): Uint8Array {
  const text = atob(written);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
