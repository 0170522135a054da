/**
 * The blocks of a page's text (paragraphs, headings, items, cells) and the containers around them, noted while the page
 * is read. A block is a place in the text and a few numbers: no tree is built, and text in between costs nothing.
 */
import { containerElements } from './elements.ts';
import { hints } from './hints.ts';

/** What a block is, by the element that began it. 1 to 6: a heading of that level. */
export const kinds = { bare: 0, paragraph: 7, item: 8, cell: 9, code: 10, caption: 11, term: 12 } as const;

const kindOf: ReadonlyMap<string, number> = new Map<string, number>([
  ...[1, 2, 3, 4, 5, 6].map((level) => [`h${String(level)}`, level] as const),
  ['p', kinds.paragraph],
  ['li', kinds.item],
  ['dd', kinds.item],
  ['dt', kinds.term],
  ['td', kinds.cell],
  ['th', kinds.cell],
  ['pre', kinds.code],
  ['figcaption', kinds.caption],
  ['caption', kinds.caption],
  ['legend', kinds.term],
  ['summary', kinds.term],
]);

/** Containers and blocks noted per page: with more, blocks are joined to the last one. */
const mostContainers = 20_000;
const mostBlocks = 50_000;

export interface Block {
  /** Place in the text. White space at both ends may belong to it. */
  readonly from: number;
  to: number;
  /** Characters of links. */
  linked: number;
  readonly kind: number;
  /** Number of its container. */
  readonly container: number;
  readonly hints: number;
}

export interface Container {
  /** Number of the one around it; 0, the page, is its own. */
  readonly parent: number;
  readonly name: string;
  /** The first of its classes, by which parts of the same kind are known; empty: it has none. */
  readonly sign: string;
  readonly hints: number;
}

export class Blocks {
  readonly all: Block[] = [];
  readonly containers: Container[] = [{ parent: 0, name: '', sign: '', hints: 0 }];
  /** Open containers, innermost last: their numbers, and their kinds as in `containerElements`. */
  readonly #open: number[] = [];
  readonly #openKinds: number[] = [];
  #container = 0;
  #from = 0;
  #kind: number = kinds.bare;
  #hints = 0;
  #inCaption = false;
  #linked = 0;
  /** Place in the text where the open link began; -1: none is open. */
  #linkFrom = -1;

  /** Number of the container that is open. */
  get current(): number {
    return this.#container;
  }

  /** A block element begins; `at` is the length of the text. */
  begin(name: string, told: number, at: number): void {
    this.#end(at);
    this.#kind = kindOf.get(name) ?? kinds.bare;
    if (name === 'figcaption') this.#inCaption = true;
    if (this.#inCaption && (this.#kind === kinds.bare || this.#kind === kinds.paragraph))
      this.#kind = kinds.caption;
    this.#hints = told;
  }

  /** A block element ends. */
  end(name: string, at: number): void {
    this.#end(at);
    if (name === 'figcaption' || name === 'figure') this.#inCaption = false;
    this.#kind = this.#inCaption ? kinds.caption : kinds.bare;
    this.#hints = 0;
  }

  #end(at: number): void {
    if (this.#linkFrom >= 0) {
      this.#linked += at - this.#linkFrom;
      this.#linkFrom = at;
    }
    if (at > this.#from) {
      if (this.all.length < mostBlocks) {
        this.all.push({
          from: this.#from,
          to: at,
          linked: this.#linked,
          kind: this.#kind,
          container: this.#container,
          hints: this.#hints,
        });
      } else {
        const last = this.all[mostBlocks - 1];
        if (last !== undefined) {
          last.to = at;
          last.linked += this.#linked;
        }
      }
    }
    this.#from = at;
    this.#linked = 0;
  }

  /** @param isInner it leads to a place on the same page: a heading that is such a link announces nothing */
  beginLink(at: number, isInner = false): void {
    this.endLink(at);
    if (!isInner || this.#kind < 1 || this.#kind > 6) this.#linkFrom = at;
  }

  endLink(at: number): void {
    if (this.#linkFrom >= 0) this.#linked += at - this.#linkFrom;
    this.#linkFrom = -1;
  }

  /** @param kind place in `containerElements` */
  open(kind: number, told: number, sign = ''): void {
    if (this.containers.length < mostContainers) {
      const name = containerElements[kind] ?? '';
      const own = name === 'main' ? told | hints.main : name === 'article' ? told | hints.content : told;
      this.#open.push(this.#container);
      this.#openKinds.push(kind);
      this.#container = this.containers.push({ parent: this.#container, name, sign, hints: own }) - 1;
    } else {
      this.#open.push(this.#container);
      this.#openKinds.push(kind);
    }
  }

  /** Closes the innermost open container of a kind, and all that were opened in it. The caller knows that one is open. */
  close(kind: number): void {
    for (let closed = this.#openKinds.pop(); ; closed = this.#openKinds.pop()) {
      if (closed === undefined) return;
      this.#container = this.#open.pop() ?? 0;
      if (closed === kind) return;
    }
  }
}
