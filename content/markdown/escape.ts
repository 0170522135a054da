/** Text in Markdown: whatever CommonMark or GitHub's tables would take for markup is escaped, and nothing else. */

/** Stand for a line break and a `|` until it is known whether they end up in a table; text never holds them. */
export const lateBreak = '\u0001';
export const latePipe = '\u0002';

const special = /[\\`*_[\]<&~|!]/;
const markup = /\\|`|\*|_+|\[|\]|<|&|~|\||!$/g;
const wordSign = /[\p{L}\p{N}]/u;
const entity = /^&(?:#\d|#x[\da-f]|[a-z][a-z\d]*;)/i;
const punctuation = /[!-/:-@[-`{-~]/;

export interface TextPlace {
  /** The next sign is a link's `[`: a `!` before it would make it an image. */
  readonly beforeLink?: boolean;
  readonly inLink?: boolean;
  readonly inCell?: boolean;
}

export function escapeText(text: string, { beforeLink, inLink, inCell }: TextPlace): string {
  if (!special.test(text)) return text;
  return text.replace(markup, (sign, at: number) => {
    const next = text.charAt(at + sign.length);
    switch (sign.charAt(0)) {
      case '_':
        // Within a word it marks nothing.
        return wordSign.test(text.charAt(at - 1)) && wordSign.test(next) ? sign : '\\_'.repeat(sign.length);
      case '\\':
        return next === '' || punctuation.test(next) ? '\\\\' : sign;
      case '<':
        return next === '' || /[a-z/!?]/i.test(next) ? '\\<' : sign;
      case '&':
        return entity.test(text.slice(at, at + 40)) ? '\\&' : sign;
      case ']':
        return inLink === true ? '\\]' : sign;
      case '|':
        return inCell === true ? latePipe : sign;
      case '!':
        return beforeLink === true ? '\\!' : sign;
      default:
        return `\\${sign}`;
    }
  });
}

const blockStart = /^(?:(#{1,6})(?=\s|$)|([-+])(?=[-+\s]|$)|(>)|(\d{1,9})([.)])(?=\s|$))/;

/** The begin of a line that would begin a heading, an item, a quotation; `goesOn`: the line follows another one. */
export function escapeLineStart(line: string, goesOn: boolean): string {
  const found = blockStart.exec(line);
  if (found !== null) {
    const digits = found[4];
    return digits === undefined ? `\\${line}` : `${digits}\\${line.slice(digits.length)}`;
  }
  // The line below a heading's text, or below a table's head.
  return goesOn && /^[=|:]/.test(line) ? `\\${line}` : line;
}

/** The target of a link or an image, and its title. */
export function destination(url: string, title: string | null): string {
  const plain = url
    .replace(/[\s<>|\\\p{Cc}]/gu, (sign) => encodeURIComponent(sign))
    .replace(/&(?=#?[a-z\d]+;)/gi, '&amp;');
  const target = /[()]/.test(plain) ? `<${plain}>` : plain;
  if (title === null || title === '') return target;
  return `${target} "${escapeText(title, { inLink: true }).replaceAll('"', '\\"').replaceAll('|', latePipe)}"`;
}

/** A code span, its fence longer than any run of backticks in it. */
export function codeSpan(code: string, inCell: boolean): string {
  const fence = '`'.repeat(longestRun(code) + 1);
  const pad = /^`|`$|^ .*[^ ].* $/.test(code) ? ' ' : '';
  return `${fence}${pad}${inCell ? code.replaceAll('|', latePipe) : code}${pad}${fence}`;
}

/** Of backticks. */
export function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
