/**
 * The text of one block: words, marks (emphasis and the like), links, code, images. It is gathered as a list of pieces
 * and written when the block ends, since how a mark is written depends on the signs around it: where `**` would mark
 * nothing, as within `a<b>.</b>b`, the mark is written as an element, which Markdown allows.
 */
import { foldWhiteSpace } from '../white-space.ts';
import { codeSpan, destination, escapeLineStart, escapeText, lateBreak } from './escape.ts';

const marks = {
  em: { sign: '*', tag: 'em' },
  strong: { sign: '**', tag: 'strong' },
  del: { sign: '~~', tag: 'del' },
  sub: { sign: null, tag: 'sub' },
  sup: { sign: null, tag: 'sup' },
} as const;
export type Mark = keyof typeof marks;

interface Link {
  readonly url: string;
  readonly title: string | null;
}

/** A mark or a link from its begin to its end. */
interface Span {
  readonly mark: Mark | null;
  readonly link: Link | null;
  isElement: boolean;
}

type Piece =
  | { readonly kind: 'text' | 'code'; text: string }
  | { readonly kind: 'raw'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'open' | 'close'; readonly span: Span };

/** A link that stands for its heading, as generators of documentation set them. */
const headingMarks: ReadonlySet<string> = new Set(['', '¶', '#', '§', '🔗', '\uf0c1']);

export class Inline {
  #pieces: Piece[] = [];
  /** Open marks and at most one link, outermost first. */
  readonly #open: Span[] = [];
  /** Open elements of each mark. */
  readonly #depths = new Map<Mark, number>();
  /** Where white space came that has not been written; -1: none is owed. */
  #gap = -1;
  #codes = 0;

  /** True: nothing to show so far. */
  get isEmpty(): boolean {
    return !this.#pieces.some(({ kind }) => kind === 'text' || kind === 'code' || kind === 'raw');
  }

  text(piece: string): void {
    const folded = foldWhiteSpace(piece);
    const start = folded.startsWith(' ') ? 1 : 0;
    if (start === 1) this.gap();
    if (folded.length === start) return;
    const end = folded.endsWith(' ') ? folded.length - 1 : folded.length;
    this.#content(this.#codes > 0 ? 'code' : 'text', folded.slice(start, end));
    if (end < folded.length) this.gap();
  }

  gap(): void {
    if (this.#gap >= 0) return;
    this.#gap = this.#pieces.length;
    while (this.#pieces[this.#gap - 1]?.kind === 'open') this.#gap--;
  }

  /** Returns false if a line break would follow another one, or come first. */
  lineBreak(): boolean {
    const shown = this.#pieces.findLast(({ kind }) => kind !== 'open' && kind !== 'close');
    if (shown === undefined || shown.kind === 'break') return false;
    this.#gap = -1;
    this.#pieces.push({ kind: 'break' });
    return true;
  }

  /** Markdown as it is. */
  raw(text: string): void {
    this.#writeGap();
    this.#pieces.push({ kind: 'raw', text });
  }

  image(alt: string, url: string | null, title: string | null, inCell: boolean): void {
    const said = foldWhiteSpace(alt).trim();
    if (url !== null)
      this.raw(`![${escapeText(said, { inLink: true, inCell })}](${destination(url, title)})`);
    else this.text(said);
  }

  beginCode(): void {
    this.#codes++;
  }

  endCode(): void {
    if (this.#codes > 0) this.#codes--;
  }

  begin(mark: Mark): void {
    const depth = (this.#depths.get(mark) ?? 0) + 1;
    this.#depths.set(mark, depth);
    if (depth > 1) return;
    const last = this.#pieces.at(-1);
    // `<b>a</b><b>b</b>` is one mark.
    if (this.#gap < 0 && last?.kind === 'close' && last.span.mark === mark) {
      this.#pieces.pop();
      this.#open.push(last.span);
    } else this.#begin({ mark, link: null, isElement: marks[mark].sign === null });
  }

  end(mark: Mark): void {
    const depth = this.#depths.get(mark) ?? 0;
    this.#depths.set(mark, Math.max(0, depth - 1));
    if (depth !== 1) return;
    const span = this.#open.findLast((open) => open.mark === mark);
    if (span !== undefined) this.#end(span);
  }

  beginLink(url: string, title: string | null): void {
    this.endLink();
    this.#begin({ mark: null, link: { url, title }, isElement: false });
  }

  endLink(): void {
    const span = this.#open.findLast(({ link }) => link !== null);
    if (span !== undefined) this.#end(span);
  }

  /** Ends all that is open, as the end of a cell does. */
  endAll(): void {
    for (const span of this.#open.toReversed()) this.#end(span);
    this.#depths.clear();
    this.#codes = 0;
  }

  /** The block as Markdown lines. Marks that are still open go on in the next block. */
  take(place: { readonly inCell: boolean; readonly isHeading: boolean }): string[] {
    const goOn = [...this.#open];
    for (const span of goOn.toReversed()) this.#close(span);
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#gap = -1;
    this.#open.length = 0;
    for (const { mark, link } of goOn) {
      this.#begin({ mark, link, isElement: mark !== null && marks[mark].sign === null });
    }
    while (pieces.at(-1)?.kind === 'break') pieces.pop();
    chooseElements(pieces);
    return write(pieces, place.inCell, place.isHeading);
  }

  #begin(span: Span): void {
    this.#open.push(span);
    this.#pieces.push({ kind: 'open', span });
  }

  #end(span: Span): void {
    const inner = this.#open.splice(this.#open.indexOf(span) + 1);
    for (const each of inner.toReversed()) this.#close(each);
    this.#open.pop();
    this.#close(span);
    for (const each of inner) this.#begin({ ...each });
  }

  /** A span without content leaves no trace; nor does a break before its end. */
  #close(span: Span): void {
    const last = this.#pieces.at(-1);
    if (last?.kind === 'open' && last.span === span) {
      this.#pieces.pop();
      if (this.#gap > this.#pieces.length) this.#gap = this.#pieces.length;
    } else if (last?.kind === 'break') {
      this.#pieces.pop();
      this.#close(span);
      this.#pieces.push(last);
    } else this.#pieces.push({ kind: 'close', span });
  }

  #content(kind: 'text' | 'code', text: string): void {
    this.#writeGap();
    const last = this.#pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else this.#pieces.push({ kind, text });
  }

  /** White space goes outside of the marks that ended or began since it came. */
  #writeGap(): void {
    let at = this.#gap;
    this.#gap = -1;
    if (at < 0) return;
    while (this.#pieces[at]?.kind === 'close') at++;
    const before = this.#pieces[at - 1];
    const begun = this.#pieces.findIndex(({ kind }) => kind !== 'open');
    if (before === undefined || before.kind === 'break' || begun < 0 || begun >= at) return;
    if (before.kind === 'text' || before.kind === 'code') before.text += ' ';
    else this.#pieces.splice(at, 0, { kind: 'text', text: ' ' });
  }
}

const isSign = /[\p{P}\p{S}]/u;
const isSpaceOrSign = (char: string): boolean => char === '' || /\s/.test(char) || isSign.test(char);

/** The sign that an em or strong mark meets at this place; for anything but text, some punctuation. */
function charAt(piece: Piece | undefined, side: 'first' | 'last'): string {
  if (piece === undefined || piece.kind === 'break') return '';
  if (piece.kind !== 'text') return '`';
  const char = side === 'last' ? /.$/su.exec(piece.text.slice(-2)) : /^./su.exec(piece.text);
  return char?.[0] ?? '';
}

/**
 * Finds the marks whose signs would not be read as such (CommonMark 0.31.2, section 6.2): all of a run of signs that
 * begins some marks and ends others, or that stands between a letter and punctuation. A mark is written in one way at
 * both its ends, so one such run may touch others.
 */
function chooseElements(pieces: readonly Piece[]): void {
  const runs: Span[][] = [];
  const runsOf = new Map<Span, Span[][]>();
  const unsafe: Span[][] = [];
  /** Open marks. After a mixed run nobody knows: all its marks are elements. */
  let depth = 0;
  for (let at = 0; at < pieces.length; at++) {
    const first = pieces[at];
    if (!isMark(first)) continue;
    const run: Span[] = [];
    const sign = signOf(first);
    const before = charAt(pieces[at - 1], 'last');
    let mixed = false;
    for (let next: Piece | undefined = first; isMark(next) && signOf(next) === sign; next = pieces[++at]) {
      mixed ||= next.kind !== first.kind;
      run.push(next.span);
    }
    const after = charAt(pieces[at], 'first');
    at--;
    const [inner, outer] = first.kind === 'open' ? [after, before] : [before, after];
    const deepest = Math.max(depth, (depth += first.kind === 'open' ? run.length : -run.length));
    const fails = /^\s?$/.test(inner) || (isSign.test(inner) && !isSpaceOrSign(outer));
    // Such signs may both begin and end: with other marks around them it is not sure which.
    const isEither = /\S/.test(outer) && (isSign.test(inner) || !isSign.test(outer));
    if (mixed || fails || (isEither && deepest > 1)) unsafe.push(run);
    runs.push(run);
    for (const span of run) runsOf.set(span, [...(runsOf.get(span) ?? []), run]);
  }
  for (let run = unsafe.pop(); run !== undefined; run = unsafe.pop()) {
    for (const span of run) {
      if (span.isElement) continue;
      span.isElement = true;
      unsafe.push(...(runsOf.get(span) ?? []));
    }
  }
}

type MarkPiece = Extract<Piece, { span: Span }>;
const isMark = (piece: Piece | undefined): piece is MarkPiece =>
  (piece?.kind === 'open' || piece?.kind === 'close') && signOf(piece) !== null;
const signOf = ({ span }: MarkPiece): string | null =>
  span.mark === null ? null : (marks[span.mark].sign?.charAt(0) ?? null);

function write(pieces: readonly Piece[], inCell: boolean, isHeading: boolean): string[] {
  const lines: string[] = [];
  let line = '';
  /** The next text begins a line. Asked for often, and `line` is looked at once it is whole. */
  let begins = true;
  let isFirst = true;
  let inLink = false;
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at];
    if (piece === undefined) break;
    switch (piece.kind) {
      case 'text': {
        const next = pieces[at + 1];
        const beforeLink = next?.kind === 'open' && next.span.link !== null;
        const text = escapeText(begins ? piece.text.trimStart() : piece.text, { beforeLink, inLink, inCell });
        line += begins && !isHeading ? escapeLineStart(text, !isFirst) : text;
        begins &&= text === '';
        break;
      }
      case 'code':
        begins = false;
        line += codeSpan(piece.text.trim(), inCell) + (piece.text.endsWith(' ') ? ' ' : '');
        break;
      case 'raw':
        begins = false;
        line += piece.text;
        break;
      case 'break':
        begins = !isHeading;
        isFirst = false;
        if (isHeading) line += ' ';
        else if (inCell) line += lateBreak;
        else {
          lines.push(`${line.trimEnd()}\\`);
          line = '';
        }
        break;
      case 'open':
      case 'close': {
        const { span } = piece;
        begins = false;
        if (span.link !== null) {
          if (isHeading && piece.kind === 'open' && standsForHeading(pieces, at)) {
            at += 2;
            break;
          }
          inLink = piece.kind === 'open';
          line += inLink ? '[' : `](${destination(span.link.url, span.link.title)})`;
        } else if (span.mark !== null) {
          const { sign, tag } = marks[span.mark];
          if (sign === null || span.isElement) line += piece.kind === 'open' ? `<${tag}>` : `</${tag}>`;
          else line += sign;
        }
      }
    }
  }
  if (line !== '') lines.push(line.trimEnd());
  return lines;
}

function standsForHeading(pieces: readonly Piece[], at: number): boolean {
  const [said, end] = pieces.slice(at + 1, at + 3);
  return said?.kind === 'text' && end?.kind === 'close' && headingMarks.has(said.text.trim());
}
