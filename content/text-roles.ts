/**
 * What elements are to the words around them: readings beside words (<rt>), signs of notes, headings. A button is text
 * where it is the heading of a part of the page, and a control elsewhere.
 */
import { blockElements } from './elements.ts';

const roles: ReadonlyMap<string, 'reading' | 'raised' | 'heading' | 'body'> = new Map([
  ...(['rt', 'rp', 'rtc'] as const).map((name) => [name, 'reading'] as const),
  ['sup', 'raised'],
  ...(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'summary', 'dt', 'legend'] as const).map(
    (name) => [name, 'heading'] as const,
  ),
  ...(['p', 'li', 'dd', 'td'] as const).map((name) => [name, 'body'] as const),
]);

export class TextRoles {
  /** Within a reading, what stands around it for browsers that know none, or the title of a label. */
  inReading = false;
  readonly note = new NoteSign();
  /** The open heading, or what is one of a part of the page: its name, and where it began in the text. */
  #heading: { readonly name: string; readonly from: number } | null = null;

  get inHeading(): boolean {
    return this.#heading !== null;
  }

  /** @param at length of the text */
  opened(name: string, at: number): void {
    if (this.inReading && (name === 'rb' || blockElements.has(name))) this.inReading = false;
    switch (roles.get(name)) {
      case 'reading':
        this.inReading = true;
        break;
      case 'raised':
        this.note.beginRaised(at);
        break;
      case 'heading':
        this.#heading = { name, from: at };
        break;
      case 'body':
        this.#heading = null;
        break;
      case undefined:
    }
  }

  closed(name: string): void {
    if (this.inReading && (name === 'ruby' || roles.get(name) === 'reading')) this.inReading = false;
    if (this.#heading?.name === name) this.#heading = null;
  }

  /** A container closed, and with it what was open in it. */
  left(): void {
    this.#heading = null;
  }

  /**
   * Is a button or a tab a heading: of an accordion, or of what it opens? Those of menus and the like are not, and neither
   * are those behind the words of a heading.
   */
  isPartHeading(attributes: ReadonlyMap<string, string>, at: number, inHeader: boolean): boolean {
    if (this.#heading !== null) return this.#heading.from === at;
    const names = ['class', 'id', 'aria-controls'].map((name) => attributes.get(name) ?? '').join(' ');
    if (/accordion|faq|question/i.test(names)) return true;
    if (!attributes.has('aria-expanded') || attributes.has('aria-haspopup')) return false;
    return !inHeader && !/nav|menu|search|lang|share|toc|cookie/i.test(names);
  }
}

const aside = -1;
/** A longer text is no sign. */
const longest = 20;
const named = /(?:^|[\s-])(?:doc-)?(?:note-?ref|footnote-?(?:ref|link|anchor))(?:$|[\s-])/i;
const sign = /^(?:\p{L}{1,6} )?(?:\p{N}{1,4}\p{L}?|\p{L}|[*†‡§¶]{1,3})$/u;

/**
 * Signs of notes (`word<sup><a href="#fn1">1</a></sup>`): they stand right behind a word and are none of its letters, so
 * the text has them in brackets.
 */
class NoteSign {
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

  /** What to add to the text: nothing while a sign is being read; otherwise the piece, behind what was kept. */
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
