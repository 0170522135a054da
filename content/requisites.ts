/**
 * Finds the files that a browser fetches to show a page or to apply a style sheet: sheets, scripts, pictures, fonts,
 * sounds and films. One pass in time linear in the text; templates are inert, and frames are pages of their own.
 */
import type { TokenizerCallbacks } from 'htmlparser2';
import { cutBy, type Cut } from '../domain/limits.ts';
import { decodeBody } from './charset.ts';
import { relations } from './link-attributes.ts';
import { baseOf, createResolver, LinkCollector } from './links.ts';
import { bodyKind, parseContentType } from './media.ts';
import { maskInnerScripts } from './script-ends.ts';
import { skippingTokenizer } from './skipping-tokenizer.ts';
import { urlsInCss } from './css-urls.ts';

export interface Requisites {
  /** Absolute, without fragments and repeats, in the order of the text; at most as many as were asked for. */
  readonly urls: readonly string[];
  /** How many more there are (`requisites`), and `longUrls`. */
  readonly cut: Cut;
}

export const noRequisites: Requisites = { urls: [], cut: {} };

/** Attributes that hold one address; `data-` ones are read by scripts that wait until the picture is in sight. */
const addresses: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    img: ['src', 'data-src'],
    source: ['src', 'data-src'],
    script: ['src'],
    embed: ['src'],
    track: ['src'],
    audio: ['src'],
    video: ['src', 'poster'],
    object: ['data'],
    input: ['src'],
    body: ['background'],
    table: ['background'],
    td: ['background'],
    th: ['background'],
    image: ['href', 'xlink:href'],
    use: ['href', 'xlink:href'],
    feimage: ['href', 'xlink:href'],
  }),
);
/** Attributes that hold several (HTML standard, `srcset`). */
const sets: readonly string[] = ['srcset', 'data-srcset', 'imagesrcset'];
/** Relations of links that a browser fetches to show the page. */
const fetched: ReadonlySet<string> = new Set([
  'stylesheet',
  'icon',
  'apple-touch-icon',
  'apple-touch-icon-precomposed',
  'mask-icon',
  'manifest',
  'preload',
  'modulepreload',
]);

/** Of a page or a style sheet; anything else needs nothing. @param most URLs */
export function requisitesOf(
  body: Uint8Array,
  contentType: string | null,
  address: string,
  most: number,
): Requisites {
  const url = new URL(address);
  const type = parseContentType(contentType);
  if (type.essence === 'text/css')
    return resolved(collected(urlsInCss(decodeBody(body, type.charset).text)), url, url, most);
  const kind = bodyKind(type, body);
  if (kind !== 'html' && kind !== 'xhtml') return noRequisites;
  const { text, charset } = decodeBody(body, type.charset);
  const reader = new Reader(text, kind === 'xhtml');
  reader.read();
  return resolved(reader.found, url, baseOf(reader.base, url), most, charset);
}

/** What browsers do not fetch again, such as an empty address, which is that of the page itself, is left out. */
function collected(found: Iterable<string>, collector = new LinkCollector()): LinkCollector {
  for (const each of found) {
    const address = each.trim();
    if (address !== '') collector.add(address, true);
  }
  return collector;
}

/** @param self of which nothing needs itself */
function resolved(
  collector: LinkCollector,
  self: URL,
  base: URL,
  most: number,
  charset = 'utf-8',
): Requisites {
  const { urls, cut } = collector.resolve(createResolver(base, charset), self.href, most);
  const { links: requisites = 0, longUrls = 0 } = cut;
  return { urls, cut: cutBy({ requisites, longUrls }) };
}

class Reader implements TokenizerCallbacks {
  readonly found = new LinkCollector();
  base: string | null = null;
  readonly #source: string;
  readonly #xhtml: boolean;
  readonly #attributes = new Map<string, string>();
  #tag = '';
  #name = '';
  #value = '';
  #inert = 0;
  #inStyle = false;
  #css = '';

  constructor(source: string, xhtml: boolean) {
    this.#source = xhtml ? source : maskInnerScripts(source);
    this.#xhtml = xhtml;
  }

  read(): void {
    const tokenizer = skippingTokenizer(this.#xhtml, this);
    tokenizer.write(this.#source);
    tokenizer.end();
  }

  isInForeignContext(): boolean {
    return false;
  }

  ontext(start: number, end: number): void {
    if (this.#inStyle) this.#css += this.#source.slice(start, end);
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset);
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#source.slice(start, end).toLowerCase();
    this.#attributes.clear();
  }

  onattribname(start: number, end: number): void {
    this.#name = this.#source.slice(start, end).toLowerCase();
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#source.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (!this.#attributes.has(this.#name)) this.#attributes.set(this.#name, this.#value);
  }

  onopentagend(): void {
    if (this.#tag === 'template') this.#inert++;
    if (this.#inert > 0) return;
    this.#inStyle = this.#tag === 'style';
    this.#take(this.#attributes);
  }

  onselfclosingtag(): void {
    this.onopentagend();
    if (this.#tag === 'template' && this.#xhtml) this.#inert--;
    if (this.#xhtml) this.#inStyle = false;
  }

  onclosetag(start: number, end: number): void {
    const name = this.#source.slice(start, end).toLowerCase();
    if (name === 'template' && this.#inert > 0) this.#inert--;
    if (name !== 'style' || !this.#inStyle) return;
    this.#inStyle = false;
    this.#add(urlsInCss(this.#css));
    this.#css = '';
  }

  ontextentity(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #take(attributes: ReadonlyMap<string, string>): void {
    if (this.#tag === 'base') this.base ??= attributes.get('href') ?? null;
    const isFetched =
      this.#tag === 'link' && relations(attributes.get('rel')).some((each) => fetched.has(each));
    const names = isFetched ? ['href'] : (addresses.get(this.#tag) ?? []);
    for (const name of names) this.#add([attributes.get(name) ?? '']);
    for (const name of sets) this.#add(addressesOfSet(attributes.get(name) ?? ''));
    const style = attributes.get('style');
    if (style !== undefined) this.#add(urlsInCss(style));
  }

  #add(addresses: readonly string[]): void {
    collected(addresses, this.found);
  }
}

const isBlank = (sign: string | undefined): boolean => sign !== undefined && /[\t\n\f\r ]/.test(sign);

/** The addresses of a `srcset` (HTML standard, "parse a srcset attribute"); what stands beside them is skipped. */
export function addressesOfSet(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length;) {
    while (isBlank(text[at]) || text[at] === ',') at++;
    const from = at;
    while (at < text.length && !isBlank(text[at])) at++;
    let end = at;
    while (end > from && text[end - 1] === ',') end--;
    if (end > from) found.push(text.slice(from, end));
    if (end < at) continue;
    for (let depth = 0; at < text.length && (depth > 0 || text[at] !== ','); at++)
      depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
  }
  return found;
}
