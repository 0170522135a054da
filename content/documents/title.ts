/** The first line of a text that names no title, if it is short enough to be one; null: it is not. */
export function titleOfText(text: string): string | null {
  const line = /^\s*(\S[^\r\n]{0,149})(?:[\r\n]|$)/.exec(text)?.[1]?.trim();
  return line === undefined || line === '' ? null : line;
}

/** Characters of Markdown that are looked at: a preamble may stand before the heading. */
const headed = 8_192;

/** Markdown from its first heading on, without the marks of that; without a heading, as it is. */
export function headingFirst(markdown: string): string {
  const start = markdown.slice(0, headed);
  return /^ {0,3}#{1,6}[ \t]+(\S.*?)[ \t]*#*[ \t]*$/m.exec(start)?.[1] ?? start;
}
