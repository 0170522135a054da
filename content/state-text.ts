/**
 * The text of a page whose markup is an empty shell, out of the data that its scripts would build the page from:
 * `articleBody` of schema.org items, or the sentences in a state, such as `__NEXT_DATA__`, `window.__INITIAL_STATE__ = …`,
 * `window.__NUXT__=(function(a){…})(…)` or `self.__next_f.push([1,"…"])`. Of whatever form a state is, the sentences are
 * its strings in quotes, and strings in these.
 */
import { unescaped } from '../domain/loose-json.ts';
import type { SchemaItem } from './schema-items.ts';

/** A page with so many words or more is no empty shell. */
export const shellWords = 50;
/** Characters of a page's states that are read. */
export const longestStates = 2 * 1_024 * 1_024;
/** A string with fewer characters is a label, a name, or an address. */
const leastSentence = 60;
/** Strings in strings: a state is data in a text in a call. */
const deepest = 3;

/** Elements that hold such a state by their id. */
const stateIds: ReadonlySet<string> = new Set([
  '__NEXT_DATA__',
  '__NUXT_DATA__',
  '__GATSBY_DATA__',
  'ng-state',
  'serverApp-state',
  '__APP_DATA__',
  'initial-state',
  '__INITIAL_STATE__',
  'app-state',
  'preloaded-state',
  '__PRELOADED_STATE__',
]);
/** Scripts that set one: a name in capitals that speaks of it, or in double underlines, on the window. */
const setsState =
  /(?:window|self|globalThis)(?:\.|\[["'])(?:__\w+__|\w*(?:STATE|DATA|PROPS)\w*|initialState|preloadedState)["'\]]*\s*=|(?:^|[\s;(])__NUXT__\s*=|__next_f/;
/** Characters of a script in which it says so. */
const reach = 400;

/** May such a script hold a state? `isJson`: by its type, and then its id says so. */
export const mayHoldState = (isJson: boolean, id: string): boolean => !isJson || stateIds.has(id);

export const isState = (script: string): boolean => setsState.test(script.slice(0, reach));

/** Null: nothing is told there. Markup within the texts is still in them. */
export function textOfState(items: readonly SchemaItem[], states: readonly string[]): string | null {
  const bodies = items.flatMap((item) => {
    const body = item['articleBody'] ?? item['text'];
    return typeof body === 'string' && body.length >= leastSentence ? [asMarkup(body)] : [];
  });
  if (bodies.length > 0) return bodies.join('\n\n');
  const found = new Set<string>();
  for (const state of withWholeParts(states)) addSentences(state, found, deepest);
  return found.size === 0 ? null : [...found].join('\n\n');
}

/** Data have a text with its markup, or with line breaks. */
export const asMarkup = (body: string): string =>
  /<(?:p|br|div|li|h\d)[\s/>]/i.test(body) ? body : body.replaceAll('\n', '<br>');

/** A page of Next.js comes in pieces, one a script, which may part anywhere: they are one text. */
function withWholeParts(states: readonly string[]): string[] {
  const parts: string[] = [];
  const whole = states.filter((state) => {
    const part = /__next_f\s*\.push\(\s*\[\s*1\s*,\s*"/.exec(state.slice(0, reach));
    if (part === null) return true;
    const from = part.index + part[0].length;
    parts.push(unescaped(state.slice(from, endOfString(state, from))));
    return false;
  });
  return parts.length === 0 ? whole : [...whole, textOfParts(parts.join(''))];
}

/**
 * Rows of React's format, `id:value`, with texts among them, `id:Tlength,text`: the texts are put in quotes. A length is in
 * bytes, so the text goes on to what looks like the next row.
 */
const textOfParts = (rows: string): string =>
  rows
    .split(/(?:^|\n)?[\da-f]{1,4}:T[\da-f]{1,6},/)
    .map((part, at) => {
      if (at === 0) return part;
      const next = /\n?[\da-f]{1,4}:(?:[["{]|[A-Z]{1,2}[[{"])/.exec(part);
      const text = part.slice(0, next?.index);
      return `\n${JSON.stringify(text)}\n${part.slice(text.length)}`;
    })
    .join('');

/** Adds the sentences among the strings of a script, each once. Linear, as every string is looked at once a level. */
function addSentences(script: string, found: Set<string>, depth: number): void {
  for (let from = script.indexOf('"') + 1; from > 0;) {
    const end = endOfString(script, from);
    if (end - from >= leastSentence) {
      const text = unescaped(script.slice(from, end));
      if (isSentence(text)) found.add(text);
      else if (depth > 1 && text.includes('"')) addSentences(text, found, depth - 1);
    }
    from = script.indexOf('"', end + 1) + 1;
  }
}

/** Place of the quote that ends a string, or the text's length. @param from place behind its first quote */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (end - 1 - slashes >= from && text.charAt(end - 1 - slashes) === '\\') slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/** Names of classes: in small ASCII letters, parted by hyphens and colons, without a sign that ends a part of a sentence. */
const isClasses = (text: string): boolean =>
  /[-:]/.test(text) && !/[A-Z\x80-\uffff]|[.,;!?](?:\s|$)/.test(text);

/** Words with white space between them, or a script that sets none; no address, no code, no drawing. */
function isSentence(text: string): boolean {
  const head = text.slice(0, 400);
  if (/^(?:https?:|data:|\/|[{[])/.test(head)) return false;
  const spaces = head.split(/\s+/).length;
  if (spaces * 14 < head.length && !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}]{10}/u.test(head))
    return false;
  const letters = head.replace(/\P{L}+/gu, '').length;
  if (letters * 2 < head.length || isClasses(head)) return false;
  return !/function\s*\(|=>|[{};]\s*\n|--[\w-]+:/.test(head);
}
