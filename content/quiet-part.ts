/**
 * The outermost open element whose text is no part of what the page says, such as <nav>, <script> or a button that is no
 * heading; its links count. It is left at its end tag, or when an element closes that was open before it: that is how a
 * browser treats an unclosed <nav>.
 */
import { containerElements, nestingElements } from './elements.ts';

export class QuietPart {
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
