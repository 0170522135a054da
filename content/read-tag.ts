/** The tag that is being read: its name, and what of its attributes somebody asks for. */
import { blockElements, pictureElements, readElements } from './elements.ts';
import { type HiddenParts, hidingAttribute } from './hidden-parts.ts';
import { hintAttribute, hintsOf } from './hints.ts';

export class ReadTag {
  /** Lower-case. */
  name = '';
  /** Of several of one name the first; empty unless `hasAttributes`. */
  readonly attributes = new Map<string, string>();
  hasAttributes = false;
  /** What its names say (content/hints.ts). */
  hints = 0;
  /** The first of its classes. */
  sign = '';
  /** Its names are asked for. */
  #tells = false;
  /** The attribute that is being read; empty: nobody asks for it. */
  #attribute = '';
  #value = '';
  readonly #source: string;
  readonly #hidden: HiddenParts;

  /** @param hidden is told of each attribute that may hide the element */
  constructor(source: string, hidden: HiddenParts) {
    this.#source = source;
    this.#hidden = hidden;
  }

  /** @param name lower-case @param isAsked somebody asks for its attributes, whatever its name */
  begin(name: string, isAsked: boolean): void {
    this.name = name;
    this.hints = 0;
    this.sign = '';
    this.#hidden.beginTag();
    const tells = isAsked || readElements.has(name);
    this.hasAttributes = tells || pictureElements.has(name);
    if (this.attributes.size > 0) this.attributes.clear();
    this.#tells = tells || blockElements.has(name);
  }

  beginAttribute(start: number, end: number): void {
    if (this.hasAttributes) this.#attribute = this.#source.slice(start, end).toLowerCase();
    else {
      this.#attribute = hidingAttribute(this.#source, start, end);
      if (this.#tells && this.#attribute === '') this.#attribute = hintAttribute(this.#source, start, end);
    }
    this.#value = '';
  }

  addValue(start: number, end: number): void {
    if (this.#attribute !== '') this.#value += this.#source.slice(start, end);
  }

  addEntity(codePoint: number): void {
    if (this.#attribute !== '') this.#value += String.fromCodePoint(codePoint);
  }

  endAttribute(): void {
    const [name, value] = [this.#attribute, this.#value];
    if (name === '') return;
    this.#hidden.attribute(name, value);
    if (this.hasAttributes && !this.attributes.has(name)) this.attributes.set(name, value);
    if (!this.#tells) return;
    this.hints |= hintsOf(name, value);
    if (name === 'class') this.sign = firstWord(value);
  }
}

function firstWord(classes: string): string {
  const name = classes.trim();
  const end = name.search(/\s/);
  return end < 0 ? name : name.slice(0, end);
}
