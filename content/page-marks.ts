/**
 * Marks in a page's body that tell who wrote it and when, and the scripts that hold data: `<time>`, elements that are
 * named as dates and bylines are, JSON-LD, and what the page's foot says.
 */
import type { Blocks } from './blocks.ts';
import { voidElements } from './elements.ts';
import type { FoldedText } from './folded-text.ts';
import { hints } from './hints.ts';
import type { Place } from './mark-place.ts';
import type { MetaReader } from './meta-reader.ts';
import { isState, longestStates, mayHoldState } from './state-text.ts';

/** A `<time>` or its like. */
export interface TimeMark extends Place {
  /** What its attributes tell, for machines. */
  readonly told: readonly string[];
  /** What people read. */
  readonly shown: string;
  readonly says: 'published' | 'modified' | null;
}

export interface Byline extends Place {
  /** As people read it, with its lines. */
  readonly text: string;
  /** The element holds names alone. */
  readonly isName: boolean;
}

/** Marks of each kind that are kept; the first ones are those of the page itself. */
const mostTimes = 40;
const mostBylines = 30;
const longestByline = 200;
const longestTime = 100;
/** Elements named as marks that are looked at. Most pages have a few; each look takes as long as the text before it. */
const mostLooks = 200;
/** Elements that are waited for. */
const mostOpen = 5;
/** Characters of text in which inline elements may be marks; they are many, and their names are seldom read. */
const inlineReach = 4_000;
/** Characters of the page's foot that are kept. */
const longestFoot = 2_000;
/** Characters of one script's data: JSON-LD counts its own. */
const longestScript = 4 * 1_024 * 1_024;

const inline: ReadonlySet<string> = new Set([
  'span',
  'abbr',
  'address',
  'strong',
  'em',
  'b',
  'i',
  'small',
  'cite',
  'font',
]);
/** Elements of which one may lie in another, and whose end tags are written. */
const nesting: ReadonlySet<string> = new Set(['div', 'span', 'section', 'header', 'ul', 'ol', 'dl']);
/** They hold more than a mark, whatever they are named. */
const wide: ReadonlySet<string> = new Set(['html', 'body', 'main', 'article', 'form', 'table']);
/** Attributes in which elements that show a date tell it for machines. */
const timeAttributes = [
  'datetime',
  'content',
  'title',
  'data-datetime',
  'data-date',
  'data-time',
  'data-timestamp',
  'data-utime',
  'data-published',
  'data-unix',
  'data-epoch',
] as const;
const authorPage =
  /\/(?:authors?|autor(?:en|es|a)?|auteurs?|autore|writers?|journalists?|reporters?|contributors?|redakteur)\/[^/?#]+/i;

interface OpenMark extends Place {
  readonly element: string;
  /** Open elements of the same name inside. */
  nested: number;
  /** Null: a byline. */
  readonly time: Pick<TimeMark, 'told' | 'says'> | null;
  readonly isName: boolean;
}

const noAttributes: ReadonlyMap<string, string> = new Map();

/** Names of fields that take a user name or a mail address. */
const identity =
  /^(?:user(?:[-_]?(?:name|id))?|login(?:[-_]?\w+)?|e?-?mail(?:address)?|identifier|account)$/i;

interface WantedScript {
  readonly kind: 'ld' | 'state' | 'code';
  text: string;
}

export class PageMarks {
  readonly times: TimeMark[] = [];
  readonly bylines: Byline[] = [];
  /** Data of scripts from which the page would be built. */
  readonly states: string[] = [];
  /** Text of the page's foot. */
  foot = '';
  leftOut = 0;
  /** What tells a page that needs a browser or a login (domain/page-need.ts). */
  passwords = 0;
  identities = 0;
  scripts = 0;
  externalScripts = 0;
  inlineScript = 0;
  media = 0;
  hasMount = false;
  asksForScript = false;
  readonly #text: FoldedText;
  readonly #meta: MetaReader;
  readonly #blocks: Blocks;
  /** The script being read: JSON-LD, a state, or code that may set one. Null: none that is wanted. */
  #script: WantedScript | null = null;
  /** The script being read runs. */
  #runs = false;
  #stateRoom = longestStates;
  readonly #open: OpenMark[] = [];
  #looks = 0;

  constructor(text: FoldedText, meta: MetaReader, blocks: Blocks) {
    this.#text = text;
    this.#meta = meta;
    this.#blocks = blocks;
  }

  /** Are the attributes of such an element looked at, which are not looked at otherwise? */
  reads(name: string): boolean {
    return inline.has(name) && this.#text.length < inlineReach;
  }

  /** An element whose attributes were read begins. */
  opened(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === 'script') this.#beginScript(attributes);
    else if (name === 'input') this.#field(attributes);
  }

  /**
   * An element begins that may be a mark.
   * @param told by its names
   * @param attributes null: they were not read
   * @param quiet the element around it whose text is left out
   */
  mark(
    name: string,
    told: number,
    attributes: ReadonlyMap<string, string> | null,
    quiet: string | null,
  ): void {
    if ((told & hints.comments) !== 0 || quiet === 'nav' || quiet === 'aside' || quiet === 'noscript') return;
    const isTime =
      name === 'time' || (told & hints.dated) !== 0 || (name === 'abbr' && isDay(attributes?.get('title')));
    const isAuthor = (told & hints.author) !== 0 || (name === 'a' && namesAuthor(attributes ?? noAttributes));
    if ((!isTime && !isAuthor) || wide.has(name) || voidElements.has(name)) return;
    if (this.#looks++ > mostLooks) return;
    if (isTime) this.#begin(name, timeOf(attributes ?? noAttributes, told), false);
    else if (quiet === null) this.#begin(name, null, name === 'a' || (told & hints.named) !== 0);
  }

  #begin(element: string, time: OpenMark['time'], isName: boolean): void {
    if (this.#open.length >= mostOpen) this.#open.shift();
    const { length: at } = this.#text;
    this.#open.push({ element, nested: 0, time, isName, at, container: this.#blocks.current });
  }

  /** An element begins inside of marks, or beside. */
  inside(name: string): void {
    if (nesting.has(name)) for (const mark of this.#open) if (mark.element === name) mark.nested++;
  }

  #field(attributes: ReadonlyMap<string, string>): void {
    const type = attributes.get('type')?.trim().toLowerCase() ?? 'text';
    if (type === 'password') this.passwords++;
    else if (type === 'email') this.identities++;
    else if (type === 'text' || type === 'tel') {
      const names = ['autocomplete', 'name', 'id'].map((key) => attributes.get(key) ?? '');
      if (names.some((each) => identity.test(each))) this.identities++;
    }
  }

  #beginScript(attributes: ReadonlyMap<string, string>): void {
    // Parameters follow the type, and some write it the other way round.
    const type = (attributes.get('type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const runs = type === '' || type === 'module' || type.endsWith('javascript');
    this.#runs = runs;
    if (runs) this.scripts++;
    if (runs && attributes.has('src')) this.externalScripts++;
    if (type === 'application/ld+json' || type === 'application/json+ld')
      this.#script = { kind: 'ld', text: '' };
    else if (runs ? !attributes.has('src') : type === 'application/json') {
      const kind = runs ? 'code' : 'state';
      if (mayHoldState(!runs, attributes.get('id') ?? '')) this.#script = { kind, text: '' };
    }
  }

  /** Text of an element whose text is no part of the page's. */
  addQuiet(quiet: string, piece: string): void {
    if (quiet === 'script') {
      if (this.#runs) this.inlineScript += piece.length;
      if (this.#script !== null && this.#script.text.length < longestScript) this.#script.text += piece;
    } else if (quiet === 'noscript') this.asksForScript ||= /javascript/i.test(piece);
    else if (quiet === 'footer' && this.foot.length < longestFoot) this.foot += ` ${piece.slice(0, 500)}`;
  }

  closed(name: string): void {
    if (this.#script !== null && name === 'script') this.#endScript(this.#script);
    if (this.#open.length > 0) this.#endMark(name);
  }

  #endMark(name: string): void {
    const nth = this.#open.findLastIndex(({ element }) => element === name);
    const mark = this.#open[nth];
    if (mark === undefined || mark.nested-- > 0) return;
    const { time, at, container, isName } = mark;
    this.#open.splice(nth, 1);
    const text = this.#text.raw.slice(at, at + longestByline + 1).trim();
    if (time !== null) {
      if (this.times.length < mostTimes)
        this.times.push({ ...time, shown: text.length > longestByline ? '' : text, at, container });
    } else if (text.length > 1 && text.length <= longestByline && this.bylines.length < mostBylines) {
      this.bylines.push({ text, isName, at, container });
    }
  }

  #endScript({ kind, text }: WantedScript): void {
    this.#script = null;
    if (kind === 'ld') {
      this.#meta.script(text);
      return;
    }
    if (kind === 'code' && !isState(text)) return;
    this.#stateRoom -= text.length;
    if (this.#stateRoom >= 0) this.states.push(text);
    else this.leftOut++;
  }
}

const isDay = (title = ''): boolean => /^\s*\d{4}-\d\d-\d\d/.test(title);

const namesAuthor = (attributes: ReadonlyMap<string, string>): boolean =>
  /(?:^|\s)author(?:$|\s)/i.test(attributes.get('rel') ?? '') ||
  authorPage.test(attributes.get('href') ?? '');

function timeOf(attributes: ReadonlyMap<string, string>, told: number): Pick<TimeMark, 'told' | 'says'> {
  const isPublished = (told & hints.published) !== 0 || attributes.has('pubdate');
  return {
    told: timeAttributes.flatMap((name) => attributes.get(name)?.slice(0, longestTime) ?? []),
    says: isPublished ? 'published' : (told & hints.modified) !== 0 ? 'modified' : null,
  };
}
