/**
 * Which pieces of a page are text, and which readers get them. Pieces are silent in parts that people do not see
 * (`hidden-parts.ts`), in elements whose text is left out (`QuietPart`), in pictures and formulas (`foreign-parts.ts`),
 * in readings beside words (`text-roles.ts`), and in <template>, whose content is no part of the page.
 */
import { speakingElements, containerElements, nestingElements } from './elements.ts';
import type { FoldedText } from './folded-text.ts';
import { ForeignParts, type LabelPart } from './foreign-parts.ts';
import type { Formula } from './formula.ts';
import type { HiddenParts } from './hidden-parts.ts';
import type { ItemReader } from './item-reader.ts';
import type { LinkContexts } from './link-context.ts';
import type { Asked, PageDetails } from './page-details.ts';
import type { PageMarks } from './page-marks.ts';
import { shellWords } from './state-text.ts';
import { TextRoles } from './text-roles.ts';
import { countWords } from './words.ts';

/** A page with a shorter text in hidden parts has none to speak of. */
const leastHidden = 300;
/** Longest raw text that may have fewer than `shellWords` words. */
const longestShell = 1_000;

/** Those that take pieces of text. */
export interface Takers {
  readonly title: FoldedText;
  readonly text: FoldedText;
  readonly marks: PageMarks;
  readonly items: ItemReader | null;
  readonly details: PageDetails | null;
  readonly contexts: LinkContexts | null;
}

export class PageText {
  readonly foreign: ForeignParts;
  readonly quiet = new QuietPart();
  readonly roles = new TextRoles();
  /** Open <template>s. */
  inert = 0;
  readonly #takers: Takers;
  readonly #hidden: HiddenParts;
  readonly #shows: NonNullable<Asked['shows']>;
  readonly #onFormula: Asked['onFormula'];
  #inTitle = false;
  /** The first title that says something is the page's; later ones are passed over. */
  #hasTitle = false;
  /** Characters of text for browsers without scripts. */
  #noscript = 0;

  constructor(takers: Takers, hidden: HiddenParts, { shows, onFormula }: Asked) {
    this.#takers = takers;
    this.#hidden = hidden;
    this.#shows = shows ?? 'seen';
    this.#onFormula = onFormula;
    this.foreign = new ForeignParts(takers.text, (formula) => {
      this.#showFormula(formula);
    });
  }

  /** Text here is no part of what the page shows. */
  get isSilent(): boolean {
    if (this.foreign.isSilent || this.inert > 0 || this.quiet.name !== null) return true;
    return this.#inTitle || this.roles.inReading || this.isHidden;
  }

  get isHidden(): boolean {
    return this.#shows === 'seen' && this.#hidden.isHidden;
  }

  /** Does the tag that was read last hide its element? */
  hides(name: string): boolean {
    return this.#shows === 'seen' && this.#hidden.hides(name);
  }

  /** Is such an element one whose text is left out? */
  showsFallback(name: string): boolean {
    return name === 'noscript' && this.#shows === 'hidden-and-noscript';
  }

  /**
   * Read whole, the page says hardly anything but in hidden parts, which a script shows, or in <noscript>: what it is to
   * be read with then; null: as it was read.
   */
  get hidesItsText(): Asked['shows'] | null {
    const { marks, text } = this.#takers;
    const noscript = marks.asksForScript ? 0 : this.#noscript;
    const length = this.#hidden.length + noscript;
    if (this.#shows !== 'seen' || length < leastHidden || length <= text.length) return null;
    if (text.length > longestShell || countWords(text.raw) >= shellWords) return null;
    return noscript > 0 ? 'hidden-and-noscript' : 'hidden';
  }

  add(piece: string): void {
    if (this.foreign.takes(piece) || this.foreign.isSilent || this.inert > 0) return;
    const { title, text, marks, items, details, contexts } = this.#takers;
    const quiet = this.quiet.name;
    if (this.isHidden) {
      if (quiet === 'script') marks.addQuiet(quiet, piece);
      else if (quiet !== 'style') this.#addHidden(piece, quiet !== null);
      return;
    }
    if (quiet !== null) {
      marks.addQuiet(quiet, piece);
      if (quiet === 'noscript') this.#noscript += piece.trim().length;
    }
    if (quiet !== 'script' && quiet !== 'style') {
      items?.text(piece);
      details?.text(piece);
    }
    if (this.#inTitle) {
      if (!this.#hasTitle) title.add(piece);
      return;
    }
    if (quiet === null && !this.roles.inReading) {
      const shown = this.roles.note.add(piece);
      if (shown !== '') text.add(shown);
    }
    if (quiet === null || speakingElements.has(quiet)) contexts?.add(piece);
  }

  /** Prices and the like stand in hidden elements, and links there have words. */
  #addHidden(piece: string, isQuiet: boolean): void {
    this.#takers.items?.text(piece);
    this.#takers.details?.text(piece);
    if (isQuiet) return;
    this.#hidden.text(piece);
    this.#takers.contexts?.add(piece);
  }

  #showFormula(formula: Formula): void {
    const { text, items, contexts, details } = this.#takers;
    text.add(formula.tex);
    items?.text(formula.tex);
    contexts?.add(formula.tex);
    details?.text(formula.tex);
    this.#onFormula?.(formula);
  }

  /**
   * @param isPicture the element is all of a hidden part so far: pages have a formula there beside a picture of it,
   *   which is shown
   */
  opened(name: string, attributes: ReadonlyMap<string, string>, isPicture: boolean): void {
    const { foreign } = this;
    if (foreign.isOpen) this.#openedForeign(foreign.opened(name, attributes));
    if (name === 'svg' || name === 'math') foreign.begin();
    if (name === 'math' && this.#seesFormula(isPicture)) foreign.beginFormula(attributes);
    if (!foreign.isOpen) this.roles.opened(name, this.#takers.text.length);
    if (name === 'title') {
      this.#inTitle = !foreign.isOpen;
      this.#hasTitle = !this.#takers.title.isEmpty;
    }
  }

  #openedForeign(part: LabelPart): void {
    if (part === 'label') this.breakBlock();
    else if (part === 'line') this.#takers.text.add(' ');
    else if (part === 'title') this.roles.inReading = this.foreign.hasLabel;
  }

  #seesFormula(isPicture: boolean): boolean {
    if (this.inert > 0 || this.quiet.name !== null || this.#inTitle) return false;
    return isPicture || !this.isHidden;
  }

  closed(name: string): void {
    if (this.foreign.isOpen) this.#closedForeign(this.foreign.closed(name));
    else if (name === 'script') this.foreign.endFormula();
    this.roles.closed(name);
    if (name === 'sup' || name === 'a') this.#endNote(name);
    else if (name === 'button' && this.quiet.name === null) this.breakBlock();
    else if (name === 'title') this.#inTitle = false;
    else if (name === 'template' && this.inert > 0) this.inert--;
  }

  #closedForeign(part: LabelPart): void {
    if (part === 'title') this.roles.inReading = false;
    else if (part === 'label') this.breakBlock();
  }

  breakBlock(): void {
    this.#endNote('block');
    this.#takers.text.breakBlock();
    this.#takers.contexts?.add(' ');
  }

  #endNote(name: 'a' | 'sup' | 'block'): void {
    const sign = this.roles.note.end(name);
    if (sign !== '') this.#takers.text.add(sign);
  }
}

/**
 * The outermost open element whose text is no part of what the page says, such as <nav>, <script> or a button that is no
 * heading; its links count. It is left at its end tag, or when an element closes that was open before it: that is how a
 * browser treats an unclosed <nav>.
 */
class QuietPart {
  /** Null: none is open. */
  name: string | null = null;
  /** Open elements of its own name, itself included. */
  #depth = 0;
  /** Open containers by kind when it began. */
  readonly #before = new Int32Array(containerElements.length);

  /** @param open containers by kind, those that the element itself begins included */
  begin(name: string, open: Int32Array): void {
    this.name = name;
    this.#depth = 1;
    this.#before.set(open);
  }

  /** An element began within it. */
  opened(name: string): void {
    if (this.name === name && nestingElements.has(name)) this.#depth++;
  }

  closed(name: string): void {
    if (this.name === name && --this.#depth === 0) this.name = null;
  }

  /** A container of this kind closed, and so many of it are open now. */
  left(kind: number, open: number): void {
    if (open < (this.#before[kind] ?? 0)) this.name = null;
  }
}
