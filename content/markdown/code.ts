/** Code of several lines, and its language. */
import { longestRun } from './escape.ts';

/** As highlighters and their sites name them: `language-js`, `lang-js`, `highlight-source-js`, `brush: js`. */
const named =
  /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-|text-)?|sourceCode |brush:\s*|prettyprint lang-)([\w+#.-]{1,30})/i;
/** Names that stand where a language does and are none. */
const noLanguage: ReadonlySet<string> = new Set([
  'default',
  'none',
  'plaintext',
  'text',
  'nohighlight',
  'box',
  'notranslate',
]);

/** The language that an element's class or data-lang names; null: none. */
export function languageOf(classes: string | undefined, dataLanguage: string | undefined): string | null {
  const name = (dataLanguage ?? named.exec(classes ?? '')?.[1] ?? '').trim().toLowerCase();
  return name === '' || noLanguage.has(name) || !/^[\w+#.-]{1,30}$/.test(name) ? null : name;
}

/** Lines of a fenced block; empty: the code is. */
export function fenced(code: string, language: string | null): string[] {
  const text = code.replace(/^\r?\n/, '').trimEnd();
  if (text.trim() === '') return [];
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return [fence + (language ?? ''), ...text.split(/\r\n|\n|\r/), fence];
}

/** A <pre> that is being read. */
export class CodeBlock {
  #text = '';
  #language: string | null;
  /** The text is empty or ends with a line break. */
  #beginsLine = true;
  /** Open blocks in it: the end of one that began outside ends the code. */
  #blocks = 0;

  constructor(language: string | null) {
    this.#language = language;
  }

  text(piece: string): void {
    this.#text += piece;
    this.#beginsLine = piece.endsWith('\n');
  }

  /** @param language that the element names */
  opened(name: string, isBlock: boolean, language: string | null): void {
    if (name === 'code') this.#language ??= language;
    if (isBlock && name !== 'br') this.#blocks++;
    if (name === 'br' || (isBlock && !this.#beginsLine)) this.text('\n');
  }

  /** Whether the end of this element is the end of the code, or of something around it. */
  closed(name: string, isBlock: boolean): 'goes-on' | 'ends' | 'ends-around' {
    if (name === 'pre' || name === 'xmp') return 'ends';
    if (!isBlock || name === 'br') return 'goes-on';
    if (this.#blocks === 0) return 'ends-around';
    this.#blocks--;
    return 'goes-on';
  }

  lines(): string[] {
    return fenced(this.#text, this.#language);
  }
}
