/**
 * Text from the web, marked as such for a model. Pages, titles, URLs, headers and errors are written by strangers, who
 * may address the model that reads them. They stand between two lines with a boundary that nobody could know when the
 * text was written, so that no text can end its own mark; the instructions of the server (instructions.ts) say what the
 * mark means.
 */
import { randomBytes } from 'node:crypto';

export const markName = 'untrusted-web-content';

/** 64 random bits, drawn anew for each result. */
const newBoundary = (): string => randomBytes(8).toString('hex');

/** @param boundary drawn again if the text has it, so that it holds for certain and not only in all likelihood */
export function marked(text: string, boundary: () => string = newBoundary): string {
  let drawn = boundary();
  while (text.includes(drawn)) drawn = boundary();
  return `<${markName} boundary="${drawn}">\n${text}\n</${markName} boundary="${drawn}">`;
}

/** Characters that the mark adds. */
export const markLength = marked('').length;
