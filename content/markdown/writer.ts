/** From elements and text, in the order of the page, to Markdown. Nothing is kept of a page but what is open. */
import { CodeBlock, languageOf } from './code.ts';
import type { Formula } from '../formula.ts';
import { codeSpan, latePipe } from './escape.ts';
import { Flow, type Room } from './flow.ts';
import { Inline, type Mark } from './inline.ts';
import { keptLines, plainLines, Table } from './tables.ts';

export type Attributes = ReadonlyMap<string, string>;

/** Tables in one another; what lies deeper is read as layout. */
const mostTables = 6;
/** Characters of one page's Markdown, and of all cells of one table while it is read. */
const longest = 4_000_000;

const marks: ReadonlyMap<string, Mark> = new Map<string, Mark>(
  Object.entries({
    ...({ b: 'strong', strong: 'strong', i: 'em', em: 'em', sub: 'sub', sup: 'sup' } as const),
    ...({ s: 'del', strike: 'del', del: 'del' } as const),
  }),
);
const codeElements: ReadonlySet<string> = new Set(['code', 'kbd', 'samp', 'tt']);
/** They part words in a heading, and do not end it. */
const withinHeadings: ReadonlySet<string> = new Set(['p', 'div', 'br', 'center', 'small', 'button']);

interface OpenTable {
  readonly table: Table;
  /** What is around it. */
  readonly outer: Flow;
  /** Captions and whatever else stands in a table and in no cell of it: shown above it. */
  readonly stray: Flow;
}

/** What a link or an image leads to; null: nothing that can be shown. */
export type ResolveTarget = (reference: string) => string | null;

export class MarkdownWriter {
  readonly #room: Room = { left: longest, leftOut: 0 };
  #cellRoom: Room = { left: 0, leftOut: 0 };
  readonly #inline = new Inline();
  readonly #document = new Flow(this.#room);
  #flow = this.#document;
  #heading: number | null = null;
  #code: CodeBlock | null = null;
  /** Of the element around that is to hold code, until other text comes. */
  #wrapperLanguage: string | null = null;
  readonly #tables: OpenTable[] = [];
  #tablesBeyond = 0;
  readonly #resolve: ResolveTarget;

  constructor(resolve: ResolveTarget) {
    this.#resolve = resolve;
  }

  text(piece: string): void {
    if (this.#code !== null) this.#code.text(piece);
    else {
      if (this.#wrapperLanguage !== null && piece.trim() !== '') this.#wrapperLanguage = null;
      this.#inline.text(piece);
    }
  }

  /** @param isBlock the element starts and ends a block of text */
  opened(name: string, attributes: Attributes, isBlock: boolean): void {
    if (this.#code !== null)
      this.#code.opened(name, isBlock, name === 'code' ? languageIn(attributes) : null);
    else if (isBlock) this.#openedBlock(name, attributes);
    else this.#openedInline(name, attributes);
  }

  #openedInline(name: string, attributes: Attributes): void {
    const mark = marks.get(name);
    if (mark !== undefined) this.#inline.begin(mark);
    else if (codeElements.has(name)) this.#inline.beginCode();
    else if (name === 'a') this.#openedLink(attributes);
    else if (name === 'img') this.#image(attributes);
    else if (name === 'q') this.#inline.text('“');
    else if (name === 'input') this.#checkbox(attributes);
  }

  #openedLink(attributes: Attributes): void {
    const href = attributes.get('href');
    const url = href === undefined ? null : this.#resolve(href);
    if (url === null) this.#inline.endLink();
    else this.#inline.beginLink(url, attributes.get('title') ?? null);
  }

  #image(attributes: Attributes): void {
    // Pages that load images late name them elsewhere.
    const [source = null] = ['src', 'data-src', 'data-original'].flatMap((name) => {
      const url = this.#resolve(attributes.get(name) ?? '');
      return url === null || attributes.get(name)?.trim() === '' ? [] : [url];
    });
    this.#inline.image(attributes.get('alt') ?? '', source, attributes.get('title') ?? null, this.#inCell);
  }

  /** As GitHub and pandoc read formulas. */
  formula({ tex, isDisplay }: Formula): void {
    const sign = isDisplay ? '$$' : '$';
    if (this.#code !== null) this.#code.text(tex);
    else this.#inline.raw(`${sign}${this.#inCell ? tex.replaceAll('|', latePipe) : tex}${sign}`);
  }

  #checkbox(attributes: Attributes): void {
    const isBox = attributes.get('type')?.trim().toLowerCase() === 'checkbox';
    if (!isBox || !this.#flow.beginsItem || !this.#inline.isEmpty) return;
    this.#inline.raw(attributes.has('checked') ? '[x]' : '[ ]');
    this.#inline.gap();
  }

  get #inCell(): boolean {
    return this.#tables.length > 0;
  }

  #openedBlock(name: string, attributes: Attributes): void {
    if (name === 'br') {
      this.#lineBreak();
      return;
    }
    if (this.#heading !== null && withinHeadings.has(name)) {
      this.#inline.gap();
      return;
    }
    this.#endBlock();
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined) {
      this.#heading = Number(level);
      return;
    }
    switch (name) {
      case 'div':
      case 'figure':
        this.#wrapperLanguage = languageIn(attributes) ?? this.#wrapperLanguage;
        break;
      case 'hr':
        this.#flow.write([this.#flow.beginsItem ? '___' : '---'], 'other');
        break;
      case 'pre':
      case 'xmp':
        this.#code = new CodeBlock(languageIn(attributes) ?? this.#wrapperLanguage);
        break;
      case 'blockquote':
        this.#flow.openQuote();
        break;
      case 'ul':
      case 'menu':
      case 'dl':
        this.#flow.openList(false, 1);
        break;
      case 'ol':
        this.#flow.openList(true, wholeNumber(attributes.get('start'), 1));
        break;
      case 'li':
      case 'dd':
        this.#flow.openItem();
        break;
      case 'dt':
        this.#flow.closeItem();
        break;
      case 'table':
        this.#openTable();
        break;
      case 'thead':
      case 'tbody':
      case 'tfoot':
      case 'tr':
      case 'td':
      case 'th':
        this.#openedInTable(name, attributes);
    }
  }

  /** Labels of pictures stand on lines of their own. */
  beginLine(): void {
    if (this.#heading !== null) this.#inline.gap();
    else this.#inline.lineBreak();
  }

  #lineBreak(): void {
    if (this.#heading !== null) this.#inline.gap();
    else if (!this.#inline.lineBreak() && !this.#inline.isEmpty) this.#endBlock();
  }

  #openTable(): void {
    if (this.#tables.length >= mostTables) {
      this.#tablesBeyond++;
      return;
    }
    if (this.#tables.length === 0) this.#cellRoom = { left: longest, leftOut: 0 };
    const stray = new Flow(this.#cellRoom);
    this.#inline.endAll();
    this.#tables.push({ table: new Table(), outer: this.#flow, stray });
    this.#flow = stray;
  }

  #openedInTable(name: string, attributes: Attributes): void {
    const open = this.#tables.at(-1);
    if (open === undefined || this.#tablesBeyond > 0) return;
    this.#endCell(open);
    const { table } = open;
    if (name === 'thead') table.beginHead();
    else if (name === 'tbody' || name === 'tfoot') table.endHead();
    else if (name === 'tr') table.beginRow();
    else {
      this.#flow = table.addCell(new Flow(this.#cellRoom), {
        isHead: name === 'th',
        columns: wholeNumber(attributes.get('colspan'), 1),
        rows: wholeNumber(attributes.get('rowspan'), 1),
        align: attributes.get('align'),
      });
    }
  }

  #endCell(open: OpenTable): void {
    this.#endBlock();
    this.#inline.endAll();
    this.#flow = open.stray;
  }

  #closeTable(): void {
    if (this.#tablesBeyond > 0) {
      this.#tablesBeyond--;
      return;
    }
    const open = this.#tables.at(-1);
    if (open === undefined) return;
    this.#endCell(open);
    this.#tables.pop();
    this.#flow = open.outer;
    // In a cell, what stands for pipes and breaks stays until its own table ends.
    const { text } = open.stray;
    this.#flow.write(this.#inCell ? keptLines(text) : plainLines(text), 'other');
    open.table.writeTo(this.#flow, this.#inCell);
    if (this.#tables.length === 0) this.#room.leftOut += this.#cellRoom.leftOut;
  }

  /** @param isBlock as in `opened` */
  closed(name: string, isBlock: boolean): void {
    if (this.#code !== null) {
      const told = this.#code.closed(name, isBlock);
      if (told === 'goes-on') return;
      this.#endCode(this.#code);
      if (told === 'ends') return;
    }
    if (!isBlock) {
      const mark = marks.get(name);
      if (mark !== undefined) this.#inline.end(mark);
      else if (codeElements.has(name)) this.#inline.endCode();
      else if (name === 'a') this.#inline.endLink();
      else if (name === 'q') this.#inline.text('”');
      return;
    }
    if (name === 'br') return;
    if (this.#heading !== null && withinHeadings.has(name)) this.#inline.gap();
    else this.#closedBlock(name);
  }

  #closedBlock(name: string): void {
    this.#endBlock();
    switch (name) {
      case 'div':
      case 'figure':
        this.#wrapperLanguage = null;
        break;
      case 'blockquote':
        this.#flow.close('quote');
        break;
      case 'ul':
      case 'ol':
      case 'menu':
      case 'dl':
        this.#flow.close('list');
        break;
      case 'li':
      case 'dd':
        this.#flow.closeItem();
        break;
      case 'table':
        this.#closeTable();
        break;
      case 'td':
      case 'th':
      case 'tr':
      case 'thead':
      case 'caption':
        this.#closedInTable(name);
    }
  }

  #closedInTable(name: string): void {
    const open = this.#tables.at(-1);
    if (open === undefined || this.#tablesBeyond > 0) return;
    this.#endCell(open);
    if (name === 'thead') open.table.endHead();
  }

  #endCode(code: CodeBlock): void {
    this.#code = null;
    this.#wrapperLanguage = null;
    const lines = code.lines();
    const [, only = ''] = lines;
    if (lines.length === 3 && this.#inCell) {
      this.#flow.write([codeSpan(only.trim(), true)], 'text');
      return;
    }
    if (lines.length > 0) this.#flow.isComplex = true;
    this.#flow.write(lines, 'fence');
  }

  /** Writes the paragraph or heading that is being read. */
  #endBlock(): void {
    const level = this.#heading;
    this.#heading = null;
    if (this.#inline.isEmpty && level === null) return;
    const lines = this.#inline.take({ inCell: this.#inCell, isHeading: level !== null });
    if (level === null) {
      this.#flow.write(lines, 'text');
      return;
    }
    const text = lines.join(' ').replace(/(^|\s)(#+)$/, '$1\\$2');
    if (text === '') return;
    this.#flow.isComplex = true;
    this.#flow.write([`${'#'.repeat(level)} ${text}`], 'other');
  }

  /** The whole, and how many characters were left out of it. */
  finish(): { readonly text: string; readonly leftOut: number } {
    if (this.#code !== null) this.#endCode(this.#code);
    this.#endBlock();
    this.#tablesBeyond = 0;
    while (this.#tables.length > 0) this.#closeTable();
    return { text: this.#document.text, leftOut: this.#room.leftOut };
  }
}

const languageIn = (attributes: Attributes): string | null =>
  languageOf(attributes.get('class'), attributes.get('data-lang') ?? attributes.get('data-language'));

function wholeNumber(text: string | undefined, otherwise: number): number {
  const read = /^\s*(\d{1,9})/.exec(text ?? '')?.[1];
  return read === undefined ? otherwise : Number(read);
}
