/**
 * Links that are certainly in the frontier of their crawl (`OpenCrawl.seenAs`), by their spelling. Most links of a page
 * stand on other pages of its site too: they need no canonical form, no key and no look at the seen-set, which decides
 * about links that are not known here.
 */

/** Characters of the links of one generation, about 4 MB. */
const mostCharacters = 4_000_000;

/** URLs by crawl. When the young generation is full it becomes the old one; a URL that is asked for moves to the young. */
type Generation = Map<string, Set<string>>;

export class KnownLinks {
  readonly #mostCharacters: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #characters = 0;

  constructor(most = mostCharacters) {
    this.#mostCharacters = most;
  }

  has(crawl: string, url: string): boolean {
    if (this.#young.get(crawl)?.has(url) === true) return true;
    if (this.#old.get(crawl)?.has(url) !== true) return false;
    this.add(crawl, url);
    return true;
  }

  /** The URL must be committed. */
  add(crawl: string, url: string): void {
    let links = this.#young.get(crawl);
    if (links === undefined) this.#young.set(crawl, (links = new Set()));
    if (links.has(url)) return;
    links.add(url);
    this.#characters += url.length;
    if (this.#characters < this.#mostCharacters) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#characters = 0;
  }
}
