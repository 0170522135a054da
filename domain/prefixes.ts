/**
 * Many words, asked together: which of them does a text start with? Words are kept sorted, each linked to the longest
 * other word it starts with: one binary search and a walk along those links gives them all.
 */
export class Prefixes {
  readonly #words: readonly string[];
  /** Of each word: the index of the longest other word it starts with; -1: none. */
  readonly #parents: Int32Array;

  /** @param words in any order; repeats count once */
  constructor(words: Iterable<string>) {
    this.#words = [...new Set(words)].sort();
    this.#parents = new Int32Array(this.#words.length);
    for (const [at, word] of this.#words.entries()) {
      // In sorted order, whatever this word starts with is among the ancestors of the one before it, or is that one.
      let parent = at - 1;
      while (parent >= 0 && !word.startsWith(this.#words[parent] ?? '')) parent = this.#parents[parent] ?? -1;
      this.#parents[at] = parent;
    }
  }

  /** In the order of their indexes. */
  get words(): readonly string[] {
    return this.#words;
  }

  /** Index of the longest word that `text` starts with; -1: none. The others are its `parent`, that one's, and so on. */
  longest(text: string): number {
    let low = 0;
    let high = this.#words.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#words[middle] ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    // Words of the text are the last one that sorts at or before it, or that one's ancestors: those that are no longer
    // than what the two have in common.
    let at = low - 1;
    const common = commonLength(this.#words[at] ?? '', text);
    while (at >= 0 && this.length(at) > common) at = this.parent(at);
    return at;
  }

  /** The word at this index, and all others it starts with. */
  upFrom(index: number): string[] {
    const found: string[] = [];
    for (let at = index; at >= 0; at = this.parent(at)) found.push(this.#words[at] ?? '');
    return found;
  }

  /** Length of the word at this index. */
  length(index: number): number {
    return this.#words[index]?.length ?? 0;
  }

  /** Index of the longest other word that the word at this index starts with; -1: none. */
  parent(index: number): number {
    return this.#parents[index] ?? -1;
  }
}

function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}
