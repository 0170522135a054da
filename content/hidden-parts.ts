/**
 * Which parts of a page are hidden from people, so far as attributes say: `hidden`, `aria-hidden`, and inline styles that
 * show nothing. Style sheets are not read, so a part may be hidden that is not told here, and menus that scripts open are
 * told as hidden: nothing may follow from it alone (domain/traps/).
 *
 * No tree is built: the outermost hidden element is noted, and left at its end tag, when an element closes that was open
 * before it, or where the standard ends it without a tag (a second <p> or <li>).
 */
import { blockElements, containerElements, voidElements } from './elements.ts';

const nothingShown =
  /(?:^|[;\s])(?:display:none|visibility:(?:hidden|collapse)|opacity:0(?:\.0+)?(?:$|[;!])|font-size:0|(?:max-)?(?:width|height):0(?:px)?(?:$|[;!]))/;
/** Out of the window by five hundred pixels or more, where the element is taken out of its place. */
const outside = /(?:^|;)(?:left|right|top|bottom):-\d{3,}/;
const moved = /(?:^|;)position:(?:absolute|fixed)/;

/** Longest style that is looked at. */
const longestStyle = 1_000;

/** Is it an attribute that may hide its element? Told from the source, without making a text of it. */
export function hidingAttribute(source: string, start: number, end: number): string {
  switch (end - start) {
    case 5:
      return source.startsWith('style', start) ? 'style' : '';
    case 6:
      return source.startsWith('hidden', start) ? 'hidden' : '';
    case 11:
      return source.startsWith('aria-hidden', start) ? 'aria-hidden' : '';
    default:
      return '';
  }
}

/** Does the attribute hide its element? */
export function isHiding(attribute: string, value: string): boolean {
  switch (attribute) {
    case 'hidden':
      // Found by the search of the browser, which then shows it.
      return value.toLowerCase() !== 'until-found';
    case 'aria-hidden':
      return value.toLowerCase() === 'true';
    case 'style': {
      const style = value.slice(0, longestStyle).toLowerCase().replaceAll(/\s+/g, '');
      return nothingShown.test(style) || (moved.test(style) && outside.test(style));
    }
    default:
      return false;
  }
}

/** The whole page is hidden until a script shows it; an icon is no part of a page. */
const neverParts: ReadonlySet<string> = new Set(['html', 'body', 'svg', 'math', 'a', ...voidElements]);
/** The next element of their name ends them. */
const endedByNext: ReadonlySet<string> = new Set([
  ...['p', 'li', 'dt', 'dd', 'option', 'tr', 'td', 'th', 'thead', 'tbody', 'tfoot'],
]);

export class HiddenParts {
  /** The outermost hidden element that is open; null: none is. */
  #name: string | null = null;
  /** Open elements of its name, itself included. */
  #depth = 0;
  /** Open containers by kind when it began, itself not counted, and how many these were. */
  readonly #before = new Int32Array(containerElements.length);
  #openBefore = 0;

  get isHidden(): boolean {
    return this.#name !== null;
  }

  /** @param open containers by kind, this element not counted */
  opened(name: string, hides: boolean, open: Int32Array): void {
    if (this.#name !== null && this.#endsBy(name, open)) this.#name = null;
    if (this.#name === name) this.#depth++;
    else if (this.#name === null && hides && !neverParts.has(name)) {
      this.#name = name;
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

const sum = (counts: Int32Array): number => counts.reduce((all, count) => all + count, 0);
