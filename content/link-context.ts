/**
 * What links say, for crawls with a focus: the words of each link and those shortly around it, text of navigation
 * included. Kept as one text with the places of the links, so that a page costs one more copy of its text.
 */
import type { LinkContext } from '../domain/relevance/focus.ts';

/** Characters of text kept. Links further on have no words. */
const longestText = 1_000_000;
const longestAnchor = 300;
/** Characters before and after a link: some twelve words each. */
const reach = 80;

interface Place {
  readonly from: number;
  readonly to: number;
}

export class LinkContexts {
  #text = '';
  #open: { readonly href: string; readonly from: number } | null = null;
  /** By href, the place where the link says most. */
  readonly #places = new Map<string, Place>();

  add(piece: string): void {
    if (this.#text.length < longestText) this.#text += piece;
  }

  begin(href: string): void {
    this.end();
    this.add(' ');
    this.#open = { href, from: this.#text.length };
  }

  end(): void {
    if (this.#open === null) return;
    const { href, from } = this.#open;
    this.#open = null;
    const place = { from, to: Math.min(this.#text.length, from + longestAnchor) };
    const known = this.#places.get(href);
    if (known === undefined || known.to - known.from < place.to - place.from) this.#places.set(href, place);
  }

  /** By URL, for those of `urls` that have words. */
  resolve(
    resolve: (href: string) => string | null,
    urls: readonly string[],
  ): ReadonlyMap<string, LinkContext> {
    this.end();
    const wanted = new Set(urls);
    const contexts = new Map<string, LinkContext>();
    for (const [href, { from, to }] of this.#places) {
      const url = resolve(href);
      if (url === null || !wanted.has(url)) continue;
      const anchor = this.#text.slice(from, to);
      if ((contexts.get(url)?.anchor.length ?? -1) >= anchor.length) continue;
      const around = `${this.#text.slice(Math.max(0, from - reach), from)} ${this.#text.slice(to, to + reach)}`;
      contexts.set(url, { anchor, around });
    }
    return contexts;
  }
}
