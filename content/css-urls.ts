/** The addresses in a style sheet (CSS Syntax Level 3): those of `url()` and of `@import`. */

/** What is looked for; strings and comments are skipped, so that what stands in them is no address. */
const marks = /\/\*|\burl\(|@import\b|@namespace\b|["']/gi;

/** In the order of the text, as they are written but for escapes; repeats included. Linear. */
export function urlsInCss(css: string): string[] {
  const found: string[] = [];
  let imports = false;
  marks.lastIndex = 0;
  for (let mark = marks.exec(css); mark !== null; mark = marks.exec(css)) {
    const [sign] = mark;
    if (sign === '/*') marks.lastIndex = endOf(css, '*/', marks.lastIndex);
    else if (sign === '"' || sign === "'") {
      const { text, end } = stringAt(css, marks.lastIndex, sign);
      if (imports) found.push(text);
      imports = false;
      marks.lastIndex = end;
    } else if (sign.startsWith('@')) {
      imports = sign.toLowerCase() === '@import';
      // A name space is told by an address that nobody fetches.
      if (!imports) marks.lastIndex = endOf(css, ';', marks.lastIndex);
    } else {
      const { text, end } = functionAt(css, marks.lastIndex);
      found.push(text);
      imports = false;
      marks.lastIndex = end;
    }
  }
  return found;
}

function endOf(css: string, sign: string, from: number): number {
  const at = css.indexOf(sign, from);
  return at < 0 ? css.length : at + sign.length;
}

interface Read {
  readonly text: string;
  /** Place behind it. */
  readonly end: number;
}

/** A string ends at its quote, or at the end of its line, where it is broken (§4.3.5). */
function stringAt(css: string, from: number, quote: string): Read {
  let at = from;
  while (at < css.length && css[at] !== quote && css[at] !== '\n') at += css[at] === '\\' ? 2 : 1;
  return { text: unescaped(css.slice(from, at)), end: at + 1 };
}

function functionAt(css: string, from: number): Read {
  let at = from;
  while (/\s/.test(css[at] ?? '')) at++;
  const quote = css[at];
  if (quote === '"' || quote === "'") return stringAt(css, at + 1, quote);
  const begin = at;
  while (at < css.length && css[at] !== ')') at += css[at] === '\\' ? 2 : 1;
  return { text: unescaped(css.slice(begin, at).trim()), end: at + 1 };
}

/** §4.3.7 */
const unescaped = (text: string): string =>
  text.includes('\\')
    ? text.replace(
        /\\(?:([\da-f]{1,6})\s?|\n|([^]))/gi,
        (_, hex: string | undefined, sign: string | undefined) => {
          const point = hex === undefined ? null : Number.parseInt(hex, 16);
          return point === null ? (sign ?? '') : point > 0x10_ffff ? '\ufffd' : String.fromCodePoint(point);
        },
      )
    : text;
