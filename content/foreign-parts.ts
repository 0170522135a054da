/**
 * <svg> and <math>, where <title>, <style> and self-closing tags mean something else, and what of them is text: labels of
 * pictures and formulas. They are left at their end tag or at an HTML element that cannot be inside. Formulas that pages
 * write into images and scripts are read here too, since MathJax may have written the same one as <math> before.
 */
import { breakoutElements } from './elements.ts';
import type { FoldedText } from './folded-text.ts';
import { type Formula, FormulaReader, plainTex } from './formula.ts';

type Attributes = ReadonlyMap<string, string>;

/** Classes of images of formulas, as WordPress, MediaWiki and others name them. */
const formulaImage = /(?:^|\s)(?:latex|tex|mwe-math-\S+)(?:$|\s)/;

/** What a tag begins or ends: a label, a further line of one, or words for people who do not see the picture. */
export type LabelPart = 'label' | 'line' | 'title' | null;

export class ForeignParts {
  #depth = 0;
  /** <text> elements of SVG that are open. */
  #labels = 0;
  /** The formula that is being read. */
  #formula: FormulaReader | null = null;
  /** Where the last formula ended in the text: its source may follow in a script. */
  #formulaEnd = -1;
  readonly #text: FoldedText;
  readonly #show: (formula: Formula) => void;

  /** @param show puts a formula into the text */
  constructor(text: FoldedText, show: (formula: Formula) => void) {
    this.#text = text;
    this.#show = show;
  }

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  get hasLabel(): boolean {
    return this.#labels > 0;
  }

  /** Text at this place does not belong to the text of the page. */
  get isSilent(): boolean {
    return this.#depth > 0 && this.#labels === 0;
  }

  /** <svg> or <math> begins. */
  begin(): void {
    this.#depth++;
  }

  /** An element begins in one of them. */
  opened(name: string, attributes: Attributes): LabelPart {
    if (breakoutElements.has(name)) {
      this.endFormula();
      this.#depth = 0;
      this.#labels = 0;
    } else if (this.#formula !== null) this.#formula.opened(name, attributes.get('encoding'));
    else if (name === 'text') {
      this.#labels++;
      return 'label';
    } else if (name === 'title' || name === 'desc') return 'title';
    // Lines of a label are placed one by one.
    else if (name === 'tspan' && this.#labels > 0 && (attributes.has('x') || attributes.has('dy')))
      return 'line';
    return null;
  }

  closed(name: string): LabelPart {
    if (name === 'math') this.endFormula();
    else this.#formula?.closed(name);
    if (name === 'title' || name === 'desc') return 'title';
    if (name === 'text' && this.#labels > 0) {
      this.#labels--;
      return 'label';
    }
    if ((name === 'svg' || name === 'math') && --this.#depth === 0) this.#labels = 0;
    return null;
  }

  /** Takes a piece of text if it belongs to a formula. */
  takes(piece: string): boolean {
    this.#formula?.text(piece);
    return this.#formula !== null;
  }

  /** <math> begins, where its formula is seen. */
  beginFormula(attributes: Attributes): void {
    if (this.#formula !== null) return;
    const isDisplay = attributes.get('display') === 'block' || attributes.get('mode') === 'display';
    this.#formula = new FormulaReader(isDisplay, attributes.get('alttext'));
  }

  /** A script may hold the source of a formula: one that MathJax has not written into the page already. */
  beginScript(attributes: Attributes): void {
    const type = attributes.get('type') ?? '';
    if (!/^\s*math\/tex/i.test(type) || this.#formulaEnd === this.#text.length) return;
    this.#formula = new FormulaReader(/mode\s*=\s*display/i.test(type));
    this.#formula.opened('annotation', 'tex');
  }

  /** <math> or a script ends. */
  endFormula(): void {
    if (this.#formula === null) return;
    const { leftOut } = this.#formula;
    const formula = this.#formula.finish();
    this.#formula = null;
    this.#text.leftOut += leftOut;
    if (formula !== null) this.#shown(formula);
  }

  /** Blogs show formulas as images that say them. */
  image(attributes: Attributes): void {
    if (formulaImage.test(attributes.get('class') ?? ''))
      this.#shown({ tex: plainTex(attributes.get('alt') ?? ''), isDisplay: false });
  }

  #shown(formula: Formula): void {
    this.#show(formula);
    this.#formulaEnd = this.#text.length;
  }
}
