/** Reads a page for its Markdown: what is visible is as PageReader judges it. */
import type { TokenizerCallbacks } from 'htmlparser2';
import type { Repeated } from '../../contracts/extraction.ts';
import { blockElements } from '../elements.ts';
import { baseOf } from '../links.ts';
import { splitText, within } from '../main-text.ts';
import type { Asked } from '../page-details.ts';
import { PageReader, readVisible } from '../page-reader.ts';
import { findRepeated } from '../repeated.ts';
import { maskInnerScripts } from '../script-ends.ts';
import { skippingTokenizer } from '../skipping-tokenizer.ts';
import { MarkdownWriter } from './writer.ts';

/** Longest address of a link or an image, in characters. */
const longestTarget = 8_192;
/** Characters of text read. */
const longestText = 1_000_000;

/** Elements whose attributes the writer reads. */
const attributed: ReadonlySet<string> = new Set([
  'a',
  'img',
  'input',
  'ol',
  'pre',
  'code',
  'div',
  'figure',
  'td',
  'th',
]);

export interface Markdown {
  /** Ends with a line break, unless it is empty. */
  readonly text: string;
  /** Characters left out, for a page that is too long. */
  readonly leftOut: number;
}

/** Elements that show something without text. */
const bare: ReadonlySet<string> = new Set(['img', 'hr', 'input', 'q']);

/** The whole page, or its main text as extraction judges it: that takes a second pass. */
export type MarkdownPart = 'page' | 'main';

/** @param repeated blocks to be left out, which takes a second pass too, unless there are none */
export function readMarkdown(
  given: string,
  xhtml: boolean,
  url: URL,
  part: MarkdownPart,
  repeated: Repeated,
): Markdown {
  const source = xhtml ? given : maskInnerScripts(given);
  let isShown: (at: number) => boolean = () => true;
  if (part === 'main' || repeated.size > 0) {
    const page = readVisible(source, xhtml);
    const found = findRepeated(page.text.raw, page.blocks.all, repeated);
    if (part === 'main') {
      const evidence = page.evidence(page.head.meta.schema(page.items, baseOf(page.head.baseHref, url)));
      isShown = splitText(page.text.raw, page.blocks, found?.is, evidence).isMain;
    } else if (found !== null) {
      const leftOut = within(page.blocks.all, found.is);
      isShown = (at) => !leftOut(at);
    }
  }
  const reader = new MarkdownReader(source, xhtml, url, isShown);
  reader.read();
  const shows = reader.hidesItsText;
  if (shows === null) return reader.finish();
  const whole = new MarkdownReader(source, xhtml, url, isShown, { shows });
  whole.read();
  return whole.finish();
}

/** A button that is shown is a heading. */
const isBlock = (name: string, isSilent: boolean): boolean =>
  blockElements.has(name) || (name === 'button' && !isSilent);

/** Kinds of addresses that are shown; what follows another one, such as a script, is shown as text. */
const shown: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:', 'ftp:']);

class MarkdownReader implements TokenizerCallbacks {
  readonly #page: PageReader;
  readonly #writer: MarkdownWriter;
  readonly #source: string;
  readonly #xhtml: boolean;
  readonly #url: URL;
  /** Is a place in the page's text shown? */
  readonly #isShown: (at: number) => boolean;
  #base: URL;
  #baseHref: string | null = null;
  /** Formulas so far: an image that is one is not shown as well. */
  #formulas = 0;
  #room = longestText;
  #leftOut = 0;

  constructor(source: string, xhtml: boolean, url: URL, isShown: (at: number) => boolean, asked: Asked = {}) {
    this.#isShown = isShown;
    this.#source = source;
    this.#xhtml = xhtml;
    this.#url = url;
    this.#base = url;
    this.#page = new PageReader(source, xhtml, [], {
      ...asked,
      attributed,
      onFormula: (formula) => {
        this.#formulas++;
        if (this.#isHere()) this.#writer.formula(formula);
      },
    });
    this.#writer = new MarkdownWriter((reference) => this.#resolve(reference));
  }

  read(): void {
    const tokenizer = skippingTokenizer(this.#xhtml, this);
    tokenizer.write(this.#source);
    tokenizer.end();
  }

  get hidesItsText(): PageReader['hidesItsText'] {
    return this.#page.hidesItsText;
  }

  finish(): Markdown {
    const { text, leftOut } = this.#writer.finish();
    return { text, leftOut: leftOut + this.#leftOut };
  }

  /** Absolute, with its fragment; null: no address that can be shown. */
  #resolve(reference: string): string | null {
    if (reference.length > longestTarget) return null;
    const { baseHref } = this.#page.head;
    if (baseHref !== this.#baseHref) {
      this.#baseHref = baseHref;
      this.#base = baseOf(baseHref, this.#url);
    }
    const url = URL.parse(reference, this.#base.href);
    return url !== null && shown.has(url.protocol) ? url.href : null;
  }

  isInForeignContext(): boolean {
    return this.#page.isInForeignContext();
  }

  ontext(start: number, end: number): void {
    this.#page.ontext(start, end);
    this.#text(this.#source.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#page.ontextentity(codePoint);
    this.#text(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.#page.oncdata(start, end, endOffset);
    if (this.#xhtml) this.#text(this.#source.slice(start, end - endOffset));
  }

  #text(piece: string): void {
    if (this.#page.isSilent || !this.#isHere()) return;
    const kept = piece.length > this.#room ? piece.slice(0, this.#room).toWellFormed() : piece;
    this.#room -= kept.length;
    this.#leftOut += piece.length - kept.length;
    if (kept !== '') this.#writer.text(kept);
  }

  onopentagname(start: number, end: number): void {
    this.#page.onopentagname(start, end);
  }

  onattribname(start: number, end: number): void {
    this.#page.onattribname(start, end);
  }

  onattribdata(start: number, end: number): void {
    this.#page.onattribdata(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#page.onattribentity(codePoint);
  }

  onattribend(): void {
    this.#page.onattribend();
  }

  onopentagend(): void {
    this.#opened(() => this.#page.onopentagend());
  }

  onselfclosingtag(): void {
    this.#opened(() => this.#page.onselfclosingtag());
    const { name } = this.#page.tag;
    if (this.#xhtml && !this.#page.isSilent) this.#writer.closed(name, blockElements.has(name));
  }

  /** Of the text that was read last; an image is shown where the text before it is. */
  #isHere(): boolean {
    return this.#isShown(Math.max(0, this.#page.text.length - 1));
  }

  #isSilent(): boolean {
    return this.#page.isSilent;
  }

  /** What begins or ends what is not visible still parts blocks. */
  #opened(read: () => void): void {
    const wasSilent = this.#isSilent();
    const formulas = this.#formulas;
    read();
    if ((wasSilent && this.#isSilent()) || this.#formulas > formulas) return;
    const { name, attributes } = this.#page.tag;
    if (bare.has(name) && (this.#page.hidesElement || !this.#isHere())) return;
    if (!this.#page.isInForeignContext())
      this.#writer.opened(name, attributes, isBlock(name, this.#isSilent()));
    else if (name === 'text') this.#writer.beginLine();
    else if (name === 'tspan') this.#writer.text(' ');
    else if (name === 'a') this.#writer.opened(name, attributes, false);
  }

  onclosetag(start: number, end: number): void {
    const wasSilent = this.#isSilent();
    const isForeign = this.#page.isInForeignContext();
    this.#page.onclosetag(start, end);
    if (wasSilent && this.#isSilent()) return;
    const name = this.#source.slice(start, end).toLowerCase();
    if (bare.has(name) && !this.#isHere()) return;
    if (isForeign && name === 'text') this.#writer.beginLine();
    else if (!isForeign || name === 'a') this.#writer.closed(name, isBlock(name, wasSilent));
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}
