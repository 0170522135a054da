/**
 * Answers for many words together: which of them does a text start with? Words are sorted, and each is linked to its
 * parent, the longest other word that it starts with. One binary search and a walk along these links finds them all.
 */
export class Prefixes {
  readonly #words: readonly string[];
  /** By word: the index of its parent; -1: none. */
  readonly #parents: Int32Array;

  /** @param words in any order; repeats count once */
  constructor(words: Iterable<string>) {
    this.#words = [...new Set(words)].sort();
    this.#parents = new Int32Array(this.#words.length);
    for (const [at, word] of this.#words.entries()) {
      // In sorted order, every word that this word starts with is the word before it, or an ancestor of that word.
      let parent = at - 1;
      while (parent >= 0 && !word.startsWith(this.#words[parent] ?? '')) parent = this.#parents[parent] ?? -1;
      this.#parents[at] = parent;
    }
  }

  /** All words, in the order of their indexes. */
  get words(): readonly string[] {
    return this.#words;
  }

  /** Index of the longest word that `text` starts with; -1: none. Its ancestors are the other such words. */
  longest(text: string): number {
    let low = 0;
    let high = this.#words.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#words[middle] ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    // Every word that the text starts with is the last word that sorts at or before the text, or an ancestor of that
    // word: those that are no longer than the beginning that this word and the text share.
    let at = low - 1;
    const common = commonLength(this.#words[at] ?? '', text);
    while (at >= 0 && this.length(at) > common) at = this.parent(at);
    return at;
  }

  /** The word at this index, and all other words that it starts with. */
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
