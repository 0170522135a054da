/**
 * How relevant pages and links are to what a crawl is about (G12). A page is measured by BM25 over its text, a link by
 * its words, the words around it and its address, and by the page that it stands on.
 */
import { termsIn } from './terms.ts';

export interface Focus {
  /** Words that relevant pages have. */
  readonly words: readonly string[];
  /** Relevant pages, each as the words that tell most of it. */
  readonly examples: readonly string[];
}

/** What a process has read of a crawl so far: rare words say more than common ones. Changed by `Topic.read`. */
interface Corpus {
  documents: number;
  /** Terms of all texts together. */
  length: number;
  /** Texts that have the term, by the term's number. */
  readonly having: number[];
}

/** Where and how a link stands on its page. */
export interface LinkContext {
  /** The words of the link itself. */
  readonly anchor: string;
  /** Words shortly before and after the link. */
  readonly around: string;
}

/** As usual for BM25. */
const [k1, b] = [1.2, 0.75];
/** A text that has this many of the rarest terms, as often as may be, is wholly relevant; so is half of that. */
const telling = 8;
const enough = 0.5;
/** Before anything was read, texts count as having this many terms, and each term as rare as others. */
const usualLength = 300;
/** What one of the rarest terms says of a link: in its own words or address, and around it. */
const [byAnchor, byAround] = [0.7, 0.3];
/** How much of a link's promise is its words; the rest is the page that it stands on. */
const ownShare = 0.6;
/** What a page passes on of what it was expected to be, if its text is not relevant itself: little, and less each time. */
const passedOn = 0.3;

/** The terms of a crawl's focus. Holds counts that grow with what was read, in bounded memory. */
export class Topic {
  readonly #terms: ReadonlyMap<string, number>;
  readonly #corpus: Corpus;
  /** By the number of the term, and what follows from them for all terms. */
  #rarities: readonly number[] = [];
  #rarest = 0;
  #best = 0;

  constructor({ words, examples }: Focus) {
    const terms = new Set([...words, ...examples].flatMap(termsIn));
    this.#terms = new Map([...terms].map((term, at) => [term, at]));
    this.#corpus = { documents: 0, length: 0, having: new Array<number>(terms.size).fill(0) };
    this.#weigh();
  }

  /** The relevance of a page, from 0 to 1. Its text counts from now on as one of those that were read. */
  read(text: string): number {
    const corpus = this.#corpus;
    const counts = new Map<number, number>();
    const terms = termsIn(text);
    for (const term of terms) {
      const at = this.#terms.get(term);
      if (at !== undefined) counts.set(at, (counts.get(at) ?? 0) + 1);
    }
    corpus.documents += 1;
    corpus.length += terms.length;
    for (const at of counts.keys()) corpus.having[at] = (corpus.having[at] ?? 0) + 1;
    this.#weigh();
    const usual = (usualLength + corpus.length) / (1 + corpus.documents);
    const norm = k1 * (1 - b + (b * terms.length) / usual);
    let sum = 0;
    for (const [at, count] of counts) sum += ((this.#rarities[at] ?? 0) * count * (k1 + 1)) / (count + norm);
    return Math.min(1, sum / (enough * (k1 + 1) * this.#best));
  }

  /**
   * What a link promises, from 0 to 1.
   * @param page relevance of the page that it stands on
   * @param expected what that page was worth before it was read (its score)
   */
  promise(url: string, { anchor, around }: LinkContext, page: number, expected: number): number {
    const own = this.#said(`${anchor} ${url}`, byAnchor);
    const near = this.#said(around, byAround);
    const words = 1 - (1 - own) * (1 - near);
    return ownShare * words + (1 - ownShare) * Math.max(page, passedOn * expected);
  }

  /** 0 without any term, and nearer to 1 with each term, by how rare it is. */
  #said(text: string, share: number): number {
    const found = new Set<number>();
    for (const term of termsIn(text)) {
      const at = this.#terms.get(term);
      if (at !== undefined) found.add(at);
    }
    if (found.size === 0) return 0;
    let missed = 1;
    for (const at of found) missed *= 1 - (share * (this.#rarities[at] ?? 0)) / this.#rarest;
    return 1 - missed;
  }

  #weigh(): void {
    const { documents, having } = this.#corpus;
    this.#rarities = having.map((texts) => Math.log(1 + (documents - texts + 0.5) / (texts + 0.5)));
    const falling = this.#rarities.toSorted((one, other) => other - one);
    this.#rarest = falling[0] ?? 0;
    this.#best = falling.slice(0, telling).reduce((sum, rarity) => sum + rarity, 0);
  }
}
