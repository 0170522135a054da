/**
 * A formula as TeX, once: from the annotation that generators put into MathML (KaTeX, MediaWiki, LaTeXML, pandoc), else
 * from its alternative text, else from the elements of MathML themselves. What is open is a short list.
 */

/** Elements in one another, and characters of one formula. What lies deeper, or comes later, is counted as left out. */
const deepest = 100;
const longest = 20_000;

export interface Formula {
  readonly tex: string;
  /** It stands on a line of its own. */
  readonly isDisplay: boolean;
}

interface Open {
  readonly name: string;
  readonly parts: string[];
}

/** Text of other kinds: the same formula for programs. */
const otherKinds: ReadonlySet<string> = new Set(['annotation', 'annotation-xml', 'mphantom', 'none']);
const isTex = (encoding: string | undefined): boolean => /tex/i.test(encoding ?? '');
/** Signs that are not seen: function application, times, separator, plus (U+2061 to 2064). */
const unseen = /[\u2061-\u2064\u200b]/g;

export class FormulaReader {
  readonly isDisplay: boolean;
  readonly #alternative: string;
  #annotation = '';
  #open: Open[] = [{ name: 'math', parts: [] }];
  #beyond = 0;
  #room = longest;
  leftOut = 0;

  /** @param alternative TeX, as a page gives it for those who see no formulas */
  constructor(isDisplay: boolean, alternative = '') {
    this.isDisplay = isDisplay;
    this.#alternative = alternative.slice(0, longest);
    this.leftOut = alternative.length - this.#alternative.length;
  }

  opened(name: string, encoding: string | undefined): void {
    if (this.#open.length > deepest) this.#beyond++;
    else this.#open.push({ name: name === 'annotation' && isTex(encoding) ? 'tex' : name, parts: [] });
  }

  text(piece: string): void {
    const kept = piece.slice(0, this.#room);
    this.#room -= kept.length;
    this.leftOut += piece.length - kept.length;
    const open = this.#open.at(-1);
    if (open === undefined || this.#beyond > 0) return;
    if (open.name === 'tex') this.#annotation += kept;
    // White space between elements is that of the source.
    else if (kept.trim() !== '') open.parts.push(kept);
  }

  closed(name: string): void {
    if (this.#beyond > 0) {
      this.#beyond--;
      return;
    }
    const at = this.#open.findLastIndex(
      (open) => open.name === name || (open.name === 'tex' && name === 'annotation'),
    );
    if (at < 1) return;
    while (this.#open.length > at) this.#close();
  }

  #close(): void {
    const last = this.#open.pop();
    if (last === undefined || last.name === 'tex' || otherKinds.has(last.name)) return;
    const text = written(last);
    if (text !== '') this.#open.at(-1)?.parts.push(text);
  }

  /** Null: it says nothing. */
  finish(): Formula | null {
    while (this.#open.length > 1) this.#close();
    const [whole] = this.#open;
    const said = [this.#annotation, this.#alternative].map(plainTex).find((text) => text !== '');
    const tex = said ?? (whole === undefined ? '' : written(whole).replace(/\s+/g, ' ').trim());
    return tex === '' ? null : { tex, isDisplay: this.isDisplay };
  }
}

/** Without white space at its ends and the style that MediaWiki puts around each formula. */
export function plainTex(tex: string): string {
  const text = tex.replace(/\s+/g, ' ').trim();
  const inner = /^\{\\(?:display|text|script)style (.*)\}$/.exec(text)?.[1];
  return inner !== undefined && isBalanced(inner) ? inner.trim() : text;
}

function isBalanced(tex: string): boolean {
  let depth = 0;
  for (const [sign] of tex.matchAll(/\\.|[{}]/g)) {
    if (sign === '{') depth++;
    else if (sign === '}' && --depth < 0) return false;
  }
  return depth === 0;
}

/** Their children are arguments, not a row. */
const takesArguments: ReadonlySet<string> = new Set([
  'msup',
  'mover',
  'msub',
  'munder',
  'msubsup',
  'munderover',
  'mfrac',
  'mroot',
  'mfenced',
  'mtr',
  'mtable',
]);

/** One argument of a command. */
const braced = (tex = ''): string => (/^(?:\p{L}|\p{N})$/u.test(tex) ? tex : `{${tex}}`);

function written({ name, parts: raw }: Open): string {
  const parts = takesArguments.has(name) ? raw.map((part) => part.trim()) : raw;
  const [first = '', second = '', third = ''] = parts;
  switch (name) {
    case 'mi':
    case 'mo': {
      const text = parts.join('').replace(unseen, '').trim();
      // `sin x`, not `sinx`.
      return /^\p{L}{2,}$/u.test(text) ? ` ${text} ` : text;
    }
    case 'mn':
      return parts.join('').trim();
    case 'msup':
    case 'mover':
      return `${first}^${braced(second)}`;
    case 'msub':
    case 'munder':
      return `${first}_${braced(second)}`;
    case 'msubsup':
    case 'munderover':
      return `${first}_${braced(second)}^${braced(third)}`;
    case 'mfrac':
      return `\\frac{${first}}{${second}}`;
    case 'msqrt':
      return `\\sqrt{${parts.join('').trim()}}`;
    case 'mroot':
      return `\\sqrt[${second}]{${first}}`;
    case 'mfenced':
      return `(${parts.join(',')})`;
    case 'mtr':
    case 'mlabeledtr':
      return parts.join(' & ');
    case 'mtable':
      return parts.join(' \\\\ ');
    case 'mspace':
      return ' ';
    default:
      return parts.join('');
  }
}
