/**
 * The links of a page with their words and where they stand, its images and its versions in other languages: gathered only when somebody looks at a page,
 * since no crawl needs them and they are read from the body again.
 */
import type { LinkCollector } from './links.ts';
import type { PageAnchor, PageImage } from '../contracts/http/page-details.ts';
import type { Formula } from './formula.ts';
import { foldLine } from './folded-text.ts';

/** Links and images kept of a page, and characters of the words of one. */
const mostLinks = 20_000;
const mostImages = 5_000;
const mostVersions = 200;
const longestWords = 300;
const longestHref = 8_192;

type Position = PageAnchor['position'];

/** What a reader gathers only if it is asked for. */
export interface Asked {
  /** Elements whose attributes are read, besides those that say something to the reader itself. */
  readonly attributed?: ReadonlySet<string>;
  /** What links say, for crawls with a focus. */
  readonly contexts?: boolean | undefined;
  /** Its links with their words, and its images. */
  readonly details?: boolean;
  /** Links with these relations are followed, whatever the page asks. */
  readonly followed?: readonly string[] | undefined;
  /** Takes the links of a page that stands in an attribute of another. */
  readonly links?: LinkCollector;
  /** Is told of each formula, when the text has it. */
  readonly onFormula?: ((formula: Formula) => void) | undefined;
  /** Which parts of the page are read: absent, those that people see. */
  readonly shows?: 'seen' | 'hidden' | 'hidden-and-noscript' | undefined;
}

export interface PageVersion {
  /** As the page writes it: a BCP 47 tag, or `x-default`. */
  readonly language: string;
  readonly url: string;
}

interface FoundLink {
  readonly href: string;
  readonly rel: string;
  words: string;
  /** Told by the elements around it; null: by the text around it. */
  readonly position: Position | null;
  /** Place in the page's text: of a link without text, that of the text before it. */
  at: number;
}

const positions: ReadonlyMap<string, Position> = new Map([
  ['nav', 'navigation'],
  ['aside', 'aside'],
  ['footer', 'footer'],
  ['hidden', 'hidden'],
]);

export class PageDetails {
  readonly #links: FoundLink[] = [];
  readonly #images: { readonly src: string; readonly alt: string }[] = [];
  readonly #versions: { readonly language: string; readonly href: string }[] = [];
  #open: FoundLink | null = null;

  /** @param quiet the element around it whose text is left out of the page's, or `hidden` */
  link(attributes: ReadonlyMap<string, string>, quiet: string | null, at: number): void {
    const href = attributes.get('href');
    this.#open = null;
    if (href === undefined || href.length > longestHref || this.#links.length >= mostLinks) return;
    const position = quiet === null ? null : (positions.get(quiet) ?? 'other');
    this.#open = { href, rel: attributes.get('rel') ?? '', words: '', position, at };
    this.#links.push(this.#open);
  }

  endLink(at: number): void {
    if (this.#open?.at === at) this.#open.at = Math.max(0, at - 1);
    this.#open = null;
  }

  text(piece: string): void {
    if (this.#open !== null && this.#open.words.length < longestWords) this.#open.words += piece;
  }

  image(attributes: ReadonlyMap<string, string>): void {
    const alt = foldLine(attributes.get('alt') ?? '', longestWords)?.text ?? '';
    // An image stands for words of the link that it is in.
    if (alt !== '') this.text(` ${alt} `);
    const src = attributes.get('src') ?? attributes.get('data-src');
    if (src !== undefined && src.length <= longestHref && this.#images.length < mostImages) {
      this.#images.push({ src, alt });
    }
  }

  /** A `<link>` to the same page in another language. */
  version(attributes: ReadonlyMap<string, string>): void {
    const href = attributes.get('href');
    const language = foldLine(attributes.get('hreflang') ?? '', 35)?.text;
    if (href === undefined || href.length > longestHref || language === undefined) return;
    if (this.#versions.length < mostVersions) this.#versions.push({ language, href });
  }

  versions(resolve: (href: string) => string | null): PageVersion[] {
    return this.#versions.flatMap(({ language, href }) => {
      const url = resolve(href);
      return url === null ? [] : [{ language, url }];
    });
  }

  /** @param isMain does a place in the text belong to the main text? */
  anchors(resolve: (href: string) => string | null, isMain: (at: number) => boolean): PageAnchor[] {
    return this.#links.flatMap(({ href, rel, words, position, at }) => {
      const url = resolve(href);
      if (url === null) return [];
      const text = foldLine(words, longestWords)?.text ?? '';
      return [
        {
          url,
          text,
          rel: foldLine(rel, longestWords)?.text ?? '',
          position: position ?? (isMain(at) ? 'main' : 'other'),
        },
      ];
    });
  }

  images(resolve: (href: string) => string | null): PageImage[] {
    return this.#images.flatMap(({ src, alt }) => {
      const url = resolve(src);
      return url === null ? [] : [{ url, alt }];
    });
  }
}
