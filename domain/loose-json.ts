/**
 * JSON as people and templates write it into pages: with comments, trailing or missing commas, line breaks and quotes in
 * strings, names without quotes, CDATA around it, several values one after the other, or without its end. Valid JSON is
 * read by JSON.parse; only what fails there is read here. Time is linear in the length of the text.
 */

/** Most arrays and objects nested in one another: what lies deeper is not read. */
const deepest = 64;

export interface LooseJson {
  /** Arrays, objects and strings at the outermost level, in their order; the last one as far as it could be read. */
  readonly values: readonly unknown[];
  /** False: something could not be read. */
  readonly isWhole: boolean;
}

export function readLooseJson(text: string): LooseJson {
  try {
    return { values: [JSON.parse(text)], isWhole: true };
  } catch {
    return new LooseReader(text).read();
  }
}

type Json = Record<string, unknown>;

/** What may stand around values: white space, comments, and what once hid scripts from old browsers. */
const around = /(?:[\s\ufeff;,]|<!--|-->|\/?\*?<!\[CDATA\[(?:\*\/)?|\/?\*?\]\]>(?:\*\/)?)*/y;
const blank = /[\s\ufeff]*/y;
const lineComment = /\/\/[^\n\r]*/y;
const bare = /[\w$.+-]+/y;
const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const quotes: ReadonlySet<string> = new Set(['"', "'"]);
/** Behind the quote that ends a string. */
const afterString = /\s*(?:[,:}\]]|$|\/[/*])|[^\S\n]*\n\s*["'\w]/y;
/** A text in another encoding of quotes, as some systems write it. */
const escapedQuotes = /^\s*[{[]\s*&quot;/;

class LooseReader {
  readonly #text: string;
  #at = 0;
  #isWhole = true;
  /** Something stands where nothing can: the rest is not read. */
  #isLost = false;

  constructor(text: string) {
    this.#text = escapedQuotes.test(text) ? text.replaceAll('&quot;', '"').replaceAll('&amp;', '&') : text;
  }

  read(): LooseJson {
    const values: unknown[] = [];
    for (;;) {
      this.#skipAround();
      if (this.#at >= this.#text.length) break;
      const sign = this.#text.charAt(this.#at);
      if (sign !== '{' && sign !== '[' && !quotes.has(sign)) {
        this.#isWhole = false;
        break;
      }
      values.push(this.#value(0));
      if (this.#isLost) break;
    }
    return { values, isWhole: this.#isWhole && !this.#isLost && values.length > 0 };
  }

  #skipAround(): void {
    for (let from = -1; from < this.#at;) {
      from = this.#at;
      this.#take(around);
      this.#skipComments();
    }
  }

  /** White space and comments. */
  #skip(): void {
    this.#take(blank);
    if (this.#text.charAt(this.#at) === '/') this.#skipComments();
  }

  #skipComments(): void {
    while (this.#text.charAt(this.#at) === '/') {
      if (this.#text.startsWith('/*', this.#at)) {
        const end = this.#text.indexOf('*/', this.#at + 2);
        this.#at = end < 0 ? this.#text.length : end + 2;
      } else if (this.#take(lineComment) === '') return;
      this.#take(blank);
    }
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #value(depth: number): unknown {
    const sign = this.#text.charAt(this.#at);
    if (sign === '{' || sign === '[') {
      if (depth >= deepest) {
        this.#isLost = true;
        return undefined;
      }
      this.#at++;
      return sign === '{' ? this.#object(depth) : this.#array(depth);
    }
    if (quotes.has(sign)) return this.#string(sign);
    const word = this.#take(bare);
    if (word === 'true' || word === 'false') return word === 'true';
    if (isNumber.test(word)) return Number(word);
    if (word === 'null' || word === 'undefined' || word === 'NaN') return null;
    this.#isLost = true;
    return undefined;
  }

  /** Has the array or object ended? Of what the text breaks off, or mixes up, that is kept which was read. */
  #ends(sign: ']' | '}'): boolean {
    this.#skip();
    while (this.#text.charAt(this.#at) === ',') {
      this.#at++;
      this.#skip();
    }
    if (this.#at >= this.#text.length) {
      this.#isWhole = false;
      return true;
    }
    if (this.#isLost) return true;
    if (this.#text.charAt(this.#at) !== sign) return false;
    this.#at++;
    return true;
  }

  #array(depth: number): unknown[] {
    const list: unknown[] = [];
    while (!this.#ends(']')) {
      const value = this.#value(depth + 1);
      if (value !== undefined) list.push(value);
    }
    return list;
  }

  #object(depth: number): Json {
    const object: Json = {};
    while (!this.#ends('}')) {
      const sign = this.#text.charAt(this.#at);
      const name = quotes.has(sign) ? this.#string(sign) : this.#take(bare);
      this.#skip();
      if ((name === '' && !quotes.has(sign)) || this.#text.charAt(this.#at) !== ':') {
        this.#isLost = true;
        continue;
      }
      this.#at++;
      this.#skip();
      const value = this.#value(depth + 1);
      if (value !== undefined)
        Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
    }
    return object;
  }

  /** A quote that nothing of JSON follows belongs to the text. */
  #string(quote: string): string {
    const from = this.#at + 1;
    let end = from;
    for (;;) {
      end = this.#text.indexOf(quote, end);
      if (end < 0) {
        this.#isWhole = false;
        end = this.#text.length;
        break;
      }
      if (!isEscaped(this.#text, end, from)) {
        afterString.lastIndex = end + 1;
        if (afterString.test(this.#text)) break;
      }
      end++;
    }
    this.#at = Math.min(this.#text.length, end + 1);
    return unescaped(this.#text.slice(from, end).replace(/[\t\n\r]+/g, ' '));
  }
}

/** Is there an odd number of backslashes before the place? */
function isEscaped(text: string, at: number, from: number): boolean {
  let slashes = 0;
  while (at - 1 - slashes >= from && text.charAt(at - 1 - slashes) === '\\') slashes++;
  return slashes % 2 === 1;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '' };

/** The text of a string of JSON or JavaScript, without its quotes. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2})|(\r\n|[^]))/gi,
    (_, four?: string, braced?: string, two?: string, sign = '') => {
      const code = Number.parseInt(four ?? braced ?? two ?? '', 16);
      if (Number.isNaN(code))
        return /\s/.test(sign as string) ? ' ' : (escapes[sign as string] ?? (sign as string));
      return code > 0x10ffff
        ? '\ufffd'
        : braced === undefined
          ? String.fromCharCode(code)
          : String.fromCodePoint(code);
    },
  );
}
