/** Text put together from pieces, white space folded as it comes in. */
import { foldWhiteSpace } from './white-space.ts';

const softHyphen = '\u00ad';
const space = 0x20;
const NO_GAP = 0;
const WORD_GAP = 1;
const BLOCK_GAP = 2;

/**
 * Every text that NFC would change has one of these characters (Unicode's NFC_Quick_Check). Quotation marks and dashes,
 * for example, are not among them.
 */
const mayCompose = /[\u0300-\u03ff\u0483-\u2001\u2070-\uffff]/;

/** A text well-formed and in NFC. */
export const composed = (text: string): string =>
  mayCompose.test(text) ? text.toWellFormed().normalize('NFC') : text;

export class FoldedText {
  private text = '';
  /** White space owed before the next piece; never written at either end. */
  private gap = NO_GAP;
  /** Characters left out for the limit: of whole pieces as they came, white space around them aside. */
  leftOut = 0;
  private readonly limit: number;

  /** `limit`: UTF-16 code units kept. */
  constructor(limit: number) {
    this.limit = limit;
  }

  get isEmpty(): boolean {
    return this.text === '';
  }

  get length(): number {
    return this.text.length;
  }

  /** As it stands: not normalised, but within the limit. */
  get raw(): string {
    return this.text.slice(0, this.limit);
  }

  /** The next piece lies in another block: a line break parts them. */
  breakBlock(): void {
    this.gap = BLOCK_GAP;
  }

  add(piece: string): void {
    if (this.text.length >= this.limit) {
      this.leftOut += piece.trim().length;
      return;
    }
    // A soft hyphen is seen only where a line ends, and is no part of a word (UAX #29 WB4).
    const folded = foldWhiteSpace(piece.includes(softHyphen) ? piece.replaceAll(softHyphen, '') : piece);
    const start = folded.charCodeAt(0) === space ? 1 : 0;
    if (folded.length === start) {
      if (start === 1) this.gap ||= WORD_GAP;
      return;
    }
    const end = folded.charCodeAt(folded.length - 1) === space ? folded.length - 1 : folded.length;
    if (start === 1) this.gap ||= WORD_GAP;
    if (this.text !== '' && this.gap !== NO_GAP) this.text += this.gap === BLOCK_GAP ? '\n' : ' ';
    this.text += folded.slice(start, end);
    this.gap = end < folded.length ? WORD_GAP : NO_GAP;
  }

  /** The whole, NFC, well-formed and within the limit; to be asked once. */
  finish(): string {
    const whole = composed(this.text);
    if (whole.length <= this.limit) return whole;
    const kept = whole
      .slice(0, this.limit)
      .replace(/[\ud800-\udbff]$/, '')
      .trimEnd();
    this.leftOut += whole.length - kept.length;
    return kept;
  }
}

export interface FoldedLine {
  readonly text: string;
  /** Characters left out. */
  readonly leftOut: number;
}

/** One line of folded text, at most `limit` code units, or null when nothing is left. */
export function foldLine(raw: string, limit: number): FoldedLine | null {
  const line = new FoldedText(limit);
  line.add(raw);
  const text = line.finish();
  return text === '' ? null : { text, leftOut: line.leftOut };
}
