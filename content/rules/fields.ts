/** The fields of a page: what the elements that a rule selects hold, as values of its type. */
import type { CheerioAPI } from 'cheerio';
import type { FieldRule, FieldValue, PageFields, UnreadValue } from '../../contracts/page-rules.ts';
import type { Cut } from '../../domain/limits.ts';
import { blockElements } from '../elements.ts';
import { FoldedText } from '../folded-text.ts';
import { readDate } from '../dates.ts';
import { numberIn } from '../numbers.ts';

/**
 * Values of one list, characters of one value, characters of all values of a page; values that are named because they
 * are not of their type, and characters of each.
 */
const most = { values: 200, characters: 4_000, ofPage: 32_000, unread: 10, unreadCharacters: 100 };

/** A node of a tree: the library has a name for it in a package of its own only. */
export type TreeNode = Parameters<CheerioAPI['contains']>[1];

/** Without a word on the attribute, these hold the value, the first first. */
const usualAttributes: Readonly<Partial<Record<FieldRule['type'], readonly string[]>>> = {
  url: ['href', 'src', 'content'],
  date: ['datetime', 'content'],
};
/** Their text is no part of the text around them. */
const codeElements: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript']);

type Named = readonly [name: string, value: FieldValue | readonly FieldValue[]];

/** @param resolve makes the URLs of the page absolute */
export function fieldsOf(
  $: CheerioAPI,
  rules: Readonly<Record<string, FieldRule>>,
  resolve: (href: string) => string | null,
): { readonly fields: PageFields; readonly unread: readonly UnreadValue[]; readonly cut: Cut } {
  const cut = { fields: 0, fieldsUnread: 0 };
  const unread: UnreadValue[] = [];
  let room = most.ofPage;
  const take = (name: string, element: TreeNode, rule: FieldRule): FieldValue => {
    const found = rawValue(element, rule);
    if (found === null) return rule.type === 'boolean' ? false : null;
    if (rule.type !== 'boolean' && found.text === '') return null;
    const value = readValue(found.text, rule, resolve);
    if (value === undefined) {
      cut.fieldsUnread++;
      if (unread.length < most.unread)
        unread.push({ field: name, type: rule.type, text: found.text.slice(0, most.unreadCharacters) });
      return null;
    }
    const size = typeof value === 'string' ? value.length : 8;
    const isShort = found.leftOut > 0 && rule.type === 'text';
    if (isShort || size > room) cut.fields++;
    if (size > room) return null;
    room -= size;
    return value;
  };
  const fields = Object.entries(rules).map(([name, rule]): Named => {
    const elements = $(rule.select).toArray();
    if (rule.many !== true) {
      const [first] = elements;
      if (first === undefined) return [name, rule.type === 'boolean' ? false : null];
      return [name, take(name, first, rule)];
    }
    cut.fields += Math.max(0, elements.length - most.values);
    const values = elements.slice(0, most.values).map((element) => take(name, element, rule));
    return [name, values.filter((value) => value !== null)];
  });
  return { fields: Object.fromEntries(fields), unread, cut };
}

interface Raw {
  readonly text: string;
  readonly leftOut: number;
}

/** Null: the element lacks the attribute that the rule names. */
function rawValue(element: TreeNode, { type, attribute }: FieldRule): Raw | null {
  const attributes = 'attribs' in element ? element.attribs : {};
  const names = attribute === undefined ? (usualAttributes[type] ?? []) : [attribute.toLowerCase()];
  const ofMeta = 'name' in element && element.name === 'meta' && attribute === undefined ? ['content'] : [];
  const held = [...names, ...ofMeta].map((name) => attributes[name]).find((value) => value !== undefined);
  if (held === undefined && attribute !== undefined) return null;
  const text = new FoldedText(most.characters);
  if (held === undefined) addText(text, element);
  else text.add(held);
  return { text: text.finish(), leftOut: text.leftOut };
}

/** As the DOM numbers the kinds of nodes. */
const textNode = 3;

/** Without recursion: pages may be nested as deeply as they like. */
function addText(text: FoldedText, top: TreeNode): void {
  let node: TreeNode | null = top;
  while (node !== null) {
    const isBlock: boolean = 'name' in node && blockElements.has(node.name);
    if (isBlock) text.breakBlock();
    if (node.nodeType === textNode && 'data' in node) text.add(node.data);
    const isCode: boolean = node !== top && 'name' in node && codeElements.has(node.name);
    const child: TreeNode | null = 'firstChild' in node && !isCode ? node.firstChild : null;
    if (child !== null) {
      node = child;
      continue;
    }
    let done: TreeNode | null = node;
    while (done !== null && done !== top && done.next === null) {
      done = done.parent;
      if (done !== null && 'name' in done && blockElements.has(done.name)) text.breakBlock();
    }
    node = done === null || done === top ? null : done.next;
  }
}

/** The text that a page has as a value of the type that the rule names. Undefined: the text is no such value. */
export function readValue(
  text: string,
  { type, decimal = '.' }: Pick<FieldRule, 'type' | 'decimal'>,
  resolve: (href: string) => string | null,
): Exclude<FieldValue, null> | undefined {
  switch (type) {
    case 'text':
      return text;
    case 'boolean':
      return !/^(?:false|no|off|0)$/i.test(text);
    case 'number':
      return numberIn(text, decimal);
    case 'integer': {
      const number = numberIn(text, decimal);
      return Number.isSafeInteger(number) ? number : undefined;
    }
    case 'date':
      return readDate(text) ?? undefined;
    case 'url':
      return resolve(text) ?? undefined;
  }
}
