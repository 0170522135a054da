/**
 * Marks in a page's body that tell who wrote it and when, and the scripts that hold data: `<time>`, bylines, headings,
 * JSON-LD, and what the page's foot says.
 */
import { hints } from './hints.ts';
import type { FoldedText } from './folded-text.ts';
import type { MetaReader } from './meta-reader.ts';
import type { TimeMark } from './page-dates.ts';
import { isState, longestStates, mayHoldState } from './state-text.ts';

/** Marks of each kind that are kept; the first ones are those of the page itself. */
const mostTimes = 20;
const mostBylines = 5;
const longestByline = 150;
/** Elements named as bylines that are looked at. Most pages have a few; each look takes as long as the text before it. */
const mostLooks = 100;
/** Characters of text in which inline elements may name the author; they are many, and their names are seldom read. */
const bylineReach = 2_000;
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
]);

/** Names of fields that take a user name or a mail address. */
const identity =
  /^(?:user(?:[-_]?(?:name|id))?|login(?:[-_]?\w+)?|e?-?mail(?:address)?|identifier|account)$/i;

interface WantedScript {
  readonly kind: 'ld' | 'state' | 'code';
  text: string;
}

export class PageMarks {
  readonly times: TimeMark[] = [];
  /** Names of authors, as the page writes them. */
  readonly bylines: string[] = [];
  /** Data of scripts from which the page would be built. */
  readonly states: string[] = [];
  /** Text of the page's foot. */
  foot = '';
  leftOut = 0;
  /** What tells a page that needs a browser or a login (domain/page-need.ts). */
  passwords = 0;
  identities = 0;
  scripts = 0;
  media = 0;
  hasMount = false;
  asksForScript = false;
  readonly #text: FoldedText;
  readonly #meta: MetaReader;
  /** The script being read: JSON-LD, a state, or code that may set one. Null: none that is wanted. */
  #script: WantedScript | null = null;
  #stateRoom = longestStates;
  /** The open `<time>`, or its like, without a `datetime`: where its text begins. */
  #time: { readonly name: string; readonly from: number; readonly says: TimeMark['says'] } | null = null;
  #byline: { readonly name: string; readonly from: number } | null = null;
  #looks = 0;

  constructor(text: FoldedText, meta: MetaReader) {
    this.#text = text;
    this.#meta = meta;
  }

  /** Are the attributes of such an element looked at, which are not looked at otherwise? */
  reads(name: string): boolean {
    return this.#text.length < bylineReach && this.bylines.length < mostBylines && inline.has(name);
  }

  opened(name: string, attributes: ReadonlyMap<string, string>, told: number): void {
    if (name === 'script') this.#beginScript(attributes);
    else if (name === 'input') this.#field(attributes);
    else if (name === 'time' || (name === 'abbr' && attributes.has('title')))
      this.#beginTime(name, attributes, told);
    const rel = name === 'a' ? attributes.get('rel') : undefined;
    if (rel !== undefined && /(?:^|\s)author(?:$|\s)/i.test(rel)) this.byline(name, told);
  }

  /** An element begins that is named as bylines are, or links to an author. */
  byline(name: string, told: number): void {
    if (this.#byline !== null || this.bylines.length >= mostBylines || (told & hints.comments) !== 0) return;
    if (++this.#looks > mostLooks) return;
    this.#byline = { name, from: this.#text.length };
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
    if (runs) this.scripts++;
    if (type === 'application/ld+json' || type === 'application/json+ld')
      this.#script = { kind: 'ld', text: '' };
    else if (runs ? !attributes.has('src') : type === 'application/json') {
      const kind = runs ? 'code' : 'state';
      if (mayHoldState(!runs, attributes.get('id') ?? '')) this.#script = { kind, text: '' };
    }
  }

  #beginTime(name: string, attributes: ReadonlyMap<string, string>, told: number): void {
    if (this.times.length >= mostTimes || (told & hints.comments) !== 0) return;
    const words = `${attributes.get('itemprop') ?? ''} ${attributes.get('class') ?? ''} ${attributes.has('pubdate') ? 'pubdate' : ''}`;
    const says =
      /modif|updated/i.test(words) && !/publ/i.test(words)
        ? 'modified'
        : /publ|pubdate|posted|created|entry-date/i.test(words)
          ? 'published'
          : null;
    if (name === 'abbr' && says === null) return;
    const value = attributes.get(name === 'time' ? 'datetime' : 'title');
    if (value !== undefined && value !== '') this.times.push({ value: value.slice(0, 100), says });
    else this.#time = { name, from: this.#text.length, says };
  }

  /** Text of an element whose text is no part of the page's. */
  addQuiet(quiet: string, piece: string): void {
    if (quiet === 'script') {
      if (this.#script !== null && this.#script.text.length < longestScript) this.#script.text += piece;
    } else if (quiet === 'noscript') this.asksForScript ||= /javascript/i.test(piece);
    else if (quiet === 'footer' && this.foot.length < longestFoot) this.foot += ` ${piece.slice(0, 500)}`;
  }

  closed(name: string): void {
    if (this.#script !== null && name === 'script') this.#endScript(this.#script);
    if (this.#time?.name === name) {
      const { from, says } = this.#time;
      this.#time = null;
      this.times.push({ value: this.#text.raw.slice(from, from + 100).trim(), says });
    }
    if (this.#byline?.name === name) {
      const { from } = this.#byline;
      this.#byline = null;
      const text = this.#text.raw.slice(from, from + longestByline + 1).trim();
      if (text.length > 1 && text.length <= longestByline) {
        this.bylines.push(text);
      }
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
