/**
 * Signs of notes (`word<sup><a href="#fn1">1</a></sup>`): they stand right behind a word and are none of its letters, so
 * the text has them in brackets.
 */

const aside = -1;
/** A longer text is no sign. */
const longest = 20;
const named = /(?:^|[\s-])(?:doc-)?(?:note-?ref|footnote-?(?:ref|link|anchor))(?:$|[\s-])/i;
const sign = /^(?:\p{L}{1,6} )?(?:\p{N}{1,4}\p{L}?|\p{L}|[*†‡§¶]{1,3})$/u;

export class NoteSign {
  /** Places in the text where <sup>, and a link within the page, began. */
  #raised = aside;
  #link = aside;
  /** Text of the sign so far; null: none is being read. */
  #text: string | null = null;

  beginRaised(at: number): void {
    this.#raised = at;
    if (this.#link === at) this.#text ??= '';
  }

  beginLink(attributes: ReadonlyMap<string, string>, at: number): void {
    const isInner = attributes.get('href')?.includes('#') === true;
    this.#link = isInner ? at : aside;
    if (!isInner) return;
    const told = ['role', 'class', 'epub:type'].some((name) => named.test(attributes.get(name) ?? ''));
    if (told || this.#raised !== aside) this.#text ??= '';
  }

  /** What of a piece goes into the text now: all of it where no sign is being read, and with what was kept if it is none. */
  add(piece: string): string {
    if (this.#text === null) return piece;
    const text = this.#text + piece;
    this.#text = text.length > longest ? null : text;
    return this.#text === null ? text : '';
  }

  /** What goes into the text at the end of an element. */
  end(name: 'a' | 'sup' | 'block'): string {
    if (name !== 'a') this.#raised = aside;
    if (name !== 'sup') this.#link = aside;
    const text = this.#text;
    if (text === null) return '';
    this.#text = null;
    const label = text.trim().replace(/^[[(]\s*|\s*[\])]$/g, '');
    return sign.test(label) ? `[${label}]` : text;
  }
}
