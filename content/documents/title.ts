/** The first line of a text that names no title, if it is short enough to be one; null: it is not. */
export function titleOfText(text: string): string | null {
  const line = /^\s*(\S[^\r\n]{0,149})(?:[\r\n]|$)/.exec(text)?.[1]?.trim();
  return line === undefined || line === '' ? null : line;
}
