/**
 * Which parts of a page people do not see, as far as attributes say so. Text, main text, Markdown, headings, searches
 * and fingerprints all go by this file. These are hidden:
 *
 * - `hidden`, `display:none` and `visibility:hidden` in a style attribute, a closed `<dialog>`, a popover;
 * - `aria-hidden=true`: people who see the page see such a part, but it has no words of its own (icons, signs beside
 *   headings) or repeats others (copies of slides, the drawn form of a formula). Around <main> the attribute hides
 *   nothing: such a page was stored while a dialog was open.
 *
 * These are not hidden: what people find without a script (`hidden=until-found`, the text of a closed `<details>`), and
 * what they open on the spot (panels of tabs, and panels whose heading is the button that opens them, by
 * `aria-controls`). Style sheets are not read. The links of hidden parts are followed.
 *
 * No tree is built: the outermost hidden element is noted, and left at its end tag, when an element closes that was open
 * before it, or where the standard ends it without a tag (a second <p> or <li>).
 */
import { blockElements, containerElements, voidElements } from './elements.ts';

const nothingShown = /(?:^|[;\s])(?:display\s*:\s*none|(?:content-)?visibility\s*:\s*(?:hidden|collapse))/i;

/** Longest style and list of ids that are looked at, and most ids of panels that are kept of a page. */
const longestStyle = 1_000;
const longestIds = 500;
const mostPanels = 1_000;

/** What one tag says of its element, as bits. */
const says = { hidden: 1, ariaHidden: 2, panel: 4, open: 8 } as const;

/** Old pages write attributes in capitals. Most names differ in their first letter, and no text is made of these. */
const is = (word: string, source: string, start: number, end: number): string =>
  (source.charCodeAt(start) | 0x20) === word.charCodeAt(0) && source.slice(start, end).toLowerCase() === word
    ? word
    : '';

/** Is it an attribute that tells whether its element is hidden? Told from the source by its length first. */
export function hidingAttribute(source: string, start: number, end: number): string {
  switch (end - start) {
    case 4:
      return is('open', source, start, end) || is('role', source, start, end);
    case 5:
      return is('style', source, start, end);
    case 6:
      return is('hidden', source, start, end);
    case 7:
      return is('popover', source, start, end);
    case 11:
      return is('aria-hidden', source, start, end);
    default:
      return '';
  }
}

/** The whole page is hidden until a script shows it. */
const neverParts: ReadonlySet<string> = new Set(['html', 'body']);
/** The next element of their name ends them. */
const endedByNext: ReadonlySet<string> = new Set([
  'p',
  'li',
  'dt',
  'dd',
  'option',
  'tr',
  'td',
  'th',
  'thead',
  'tbody',
  'tfoot',
  'a',
  'button',
]);

export class HiddenParts {
  /** The outermost hidden element that is open; null: none is. */
  #name: string | null = null;
  /** Only aria-hidden hides it. */
  #byAria = false;
  /** Open elements of its name, itself included. */
  #depth = 0;
  /** Open containers by kind when it began, itself not counted, and how many these were. */
  readonly #before = new Int32Array(containerElements.length);
  #openBefore = 0;
  /** What the attributes of the tag being read say. */
  #told = 0;
  /** Ids of what buttons on the page open. */
  readonly #panels = new Set<string>();
  /** Nothing has come in the hidden element so far. */
  #isFresh = false;
  /** Characters of text that were hidden. */
  length = 0;

  get isHidden(): boolean {
    return this.#name !== null;
  }

  /** The hidden part begins here: a formula that is all of it stands for its picture, which is shown. */
  get isFresh(): boolean {
    return this.#isFresh;
  }

  text(piece: string): void {
    const { length } = piece.trim();
    if (length > 0) this.#isFresh = false;
    this.length += length;
  }

  beginTag(): void {
    this.#told = 0;
  }

  attribute(name: string, value: string): void {
    this.#told |= told(name, value);
    if (name === 'id' && this.#panels.size > 0 && this.#panels.has(value)) this.#told |= says.panel;
  }

  /** What a button opens (`aria-controls`). */
  opens(ids: string): void {
    if (ids.length > longestIds) return;
    for (const id of ids.split(/\s+/)) if (this.#panels.size < mostPanels) this.#panels.add(id);
  }

  /** Does the tag that was read hide its element? */
  hides(name: string): boolean {
    if (name === 'dialog' && (this.#told & says.open) === 0) return true;
    const hiding = name === 'main' ? says.hidden : says.hidden | says.ariaHidden;
    return (this.#told & hiding) !== 0 && (this.#told & says.panel) === 0;
  }

  /** @param open containers by kind, this element not counted */
  opened(name: string, open: Int32Array): void {
    if (this.#name === null && this.#told === 0 && name !== 'dialog') return;
    if (this.#name !== null && (this.#endsBy(name, open) || (this.#byAria && name === 'main')))
      this.#name = null;
    this.#isFresh = false;
    if (this.#name === name) this.#depth++;
    else if (this.#name === null && !voidElements.has(name) && !neverParts.has(name) && this.hides(name)) {
      this.#name = name;
      this.#byAria = name !== 'dialog' && (this.#told & says.hidden) === 0;
      this.#isFresh = true;
      this.#depth = 1;
      this.#before.set(open);
      this.#openBefore = sum(open);
    }
  }

  #endsBy(name: string, open: Int32Array): boolean {
    if (this.#name === 'p') return blockElements.has(name) && name !== 'br';
    return this.#name === name && endedByNext.has(name) && sum(open) <= this.#openBefore;
  }

  closed(name: string): void {
    if (this.#name === name && --this.#depth === 0) this.#name = null;
  }

  /** A container of this kind closed, and so many of it are open now. */
  left(kind: number, open: number): void {
    if (open < (this.#before[kind] ?? 0)) this.#name = null;
  }
}

function told(attribute: string, value: string): number {
  switch (attribute) {
    case 'hidden':
      // Found by the search of the browser, which then shows it.
      return value.trim().toLowerCase() === 'until-found' ? 0 : says.hidden;
    case 'popover':
      return says.hidden;
    case 'aria-hidden':
      return value.trim().toLowerCase() === 'true' ? says.ariaHidden : 0;
    case 'open':
      return says.open;
    case 'role':
      return value.trim().toLowerCase() === 'tabpanel' ? says.panel : 0;
    case 'style':
      return nothingShown.test(value.slice(0, longestStyle)) ? says.hidden : 0;
    default:
      return 0;
  }
}

const sum = (counts: Int32Array): number => counts.reduce((all, count) => all + count, 0);
