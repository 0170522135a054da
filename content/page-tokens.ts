/** The tokens of a page as tags with their attributes and as pieces of text. */
import type { TokenizerCallbacks } from 'htmlparser2';
import { HiddenParts } from './hidden-parts.ts';
import { ReadTag } from './read-tag.ts';
import { maskInnerScripts } from './script-ends.ts';
import { skippingTokenizer } from './skipping-tokenizer.ts';

export abstract class PageTokens implements TokenizerCallbacks {
  /** The tag that is being read, or was read last. */
  readonly tag: ReadTag;
  protected readonly hidden = new HiddenParts();
  readonly #source: string;
  readonly #xhtml: boolean;

  /** @param xhtml self-closing tags close and CDATA is text */
  constructor(source: string, xhtml: boolean) {
    this.#source = xhtml ? source : maskInnerScripts(source);
    this.#xhtml = xhtml;
    this.tag = new ReadTag(this.#source, this.hidden);
  }

  /** Are the attributes of such an element asked for, whose name alone does not say so? */
  protected abstract asksFor(name: string): boolean;
  protected abstract addText(piece: string): void;
  protected abstract opened(name: string): void;
  protected abstract closed(name: string): void;
  /** The page ends. */
  protected abstract ended(): void;
  abstract isInForeignContext(): boolean;

  /** Reads the whole source. */
  read(): void {
    const tokenizer = skippingTokenizer(this.#xhtml, this);
    tokenizer.write(this.#source);
    tokenizer.end();
  }

  ontext(start: number, end: number): void {
    this.addText(this.#source.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.addText(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, endOffset: number): void {
    if (this.#xhtml) this.ontext(start, end - endOffset);
  }

  onopentagname(start: number, end: number): void {
    const name = this.#source.slice(start, end).toLowerCase();
    this.tag.begin(name, this.asksFor(name));
  }

  onattribname(start: number, end: number): void {
    this.tag.beginAttribute(start, end);
  }

  onattribdata(start: number, end: number): void {
    this.tag.addValue(start, end);
  }

  onattribentity(codePoint: number): void {
    this.tag.addEntity(codePoint);
  }

  onattribend(): void {
    this.tag.endAttribute();
  }

  onopentagend(): void {
    this.opened(this.tag.name);
  }

  onselfclosingtag(): void {
    const { name } = this.tag;
    const closes = this.#xhtml || this.isInForeignContext() || name === 'svg' || name === 'math';
    this.opened(name);
    if (closes) this.closed(name);
  }

  onclosetag(start: number, end: number): void {
    this.closed(this.#source.slice(start, end).toLowerCase());
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}

  onend(): void {
    this.ended();
  }
}
