/**
 * Microdata (HTML standard section 5) and RDFa Lite, read while the page is: only for pages that have any, since all
 * attributes and all elements must be looked at for it. Both give items as JSON-LD writes them.
 */
import { voidElements } from './elements.ts';
import { foldLine } from './folded-text.ts';
import { localName, mostItems, type SchemaItem } from './schema-items.ts';

type OpenItem = Record<string, unknown>;

interface OpenElement {
  readonly name: string;
  /** The item that begins here. */
  readonly item: OpenItem | null;
  /** The item is one of those that `itemref` gathers, and ends with the element before it. */
  readonly isPart: boolean;
  /** Names of the properties whose value is the text of the element; empty: it is the value of no property. */
  readonly properties: readonly string[];
  text: string;
}

/** Elements that are looked through for the one that an end tag ends. Deeper ones are not noted. */
const deepest = 200;
/** Characters of the text of a property. */
const longestText = 1_000;
const mostProperties = 2_000;
/** Ids that `itemref` names, and items that name some. */
const mostParts = 200;
const longestIds = 500;

/** One search for both, since each takes a pass over the source. */
const scope = /itemscope|typeof=/;

/** Does a page have items? To be asked of its source. */
export function hasItems(source: string): boolean {
  return scope.test(source) && (source.includes('itemscope') || source.includes('schema.org'));
}

/** Ids in `itemref` attributes, in the order of the source. */
function partsIn(source: string): ReadonlySet<string> {
  const ids = new Set<string>();
  if (!source.includes('itemref')) return ids;
  for (const { 1: quoted, 2: other, 3: plain } of source.matchAll(
    /\sitemref\s*=\s*(?:"([^"]{0,500})"|'([^']{0,500})'|([^\s"'>]{1,500}))/gi,
  ))
    for (const id of idsIn(quoted ?? other ?? plain ?? '')) if (ids.size < mostParts) ids.add(id);
  return ids;
}

/** Each once: a list of one id over and over would take its part in as often. */
const idsIn = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).filter((id) => id !== ''));

/** What an element with an id that `itemref` names has. */
interface Part {
  readonly item: OpenItem;
  /** The item around it, which has its properties too. */
  readonly around: OpenItem | null;
}

/** An address as the page has it, until its base is known. */
class Reference {
  readonly written: string;

  constructor(written: string) {
    this.written = written;
  }
}

export class ItemReader {
  /** Items that are no property of another. */
  readonly items: SchemaItem[] = [];
  leftOut = 0;
  readonly #open: OpenElement[] = [];
  /** Open elements beyond the deepest that is noted. */
  #beyond = 0;
  #properties = 0;
  /** Ids of the elements whose properties belong to items elsewhere (HTML standard §5.2.5). */
  readonly #wanted: ReadonlySet<string>;
  readonly #parts = new Map<string, Part>();
  readonly #refer: { readonly item: OpenItem; readonly ids: ReadonlySet<string> }[] = [];
  /** Items with addresses. */
  readonly #addressed = new Set<OpenItem>();
  #ended = false;

  constructor(source: string) {
    this.#wanted = partsIn(source);
  }

  opened(name: string, attributes: ReadonlyMap<string, string>): void {
    const isPart = this.#beginPart(attributes.get('id'));
    this.#opened(name, attributes, isPart);
    if (isPart && voidElements.has(name)) this.#open.pop();
  }

  /** The first element with an id that `itemref` names begins. */
  #beginPart(id: string | undefined): boolean {
    if (id === undefined || !this.#wanted.has(id) || this.#parts.has(id)) return false;
    if (this.#beyond > 0 || this.#open.length >= deepest) return false;
    const part = { item: {}, around: this.#around() };
    this.#parts.set(id, part);
    this.#open.push({ name: '', item: part.item, isPart: true, properties: [], text: '' });
    return true;
  }

  #opened(name: string, attributes: ReadonlyMap<string, string>, isPart: boolean): void {
    const type = attributes.get('itemtype') ?? attributes.get('typeof');
    const isScope = attributes.has('itemscope') || attributes.has('typeof');
    const names = (attributes.get('itemprop') ?? attributes.get('property') ?? '').trim();
    const around = this.#around();
    const properties = names === '' || around === null ? [] : names.split(/\s+/).map(localName).slice(0, 10);
    let item: OpenItem | null = null;
    if (isScope) {
      item =
        type === undefined || type === '' ? {} : { '@type': localName(type.trim().split(/\s+/, 1)[0] ?? '') };
      const id = attributes.get('itemid');
      if (id !== undefined) this.#set(item, ['@id'], new Reference(id));
      const parts = attributes.get('itemref');
      if (parts !== undefined && parts.length <= longestIds && this.#refer.length < mostParts)
        this.#refer.push({ item, ids: idsIn(parts) });
      if (properties.length > 0 && around !== null) this.#set(around, properties, item);
      else if (this.items.length < mostItems) this.items.push(item);
      else this.leftOut++;
    }
    const value =
      isScope || around === null || properties.length === 0 ? undefined : valueOf(name, attributes);
    if (value !== undefined && around !== null) this.#set(around, properties, value);
    if (voidElements.has(name)) return;
    // The element of a part goes with it.
    if (this.#open.length >= deepest && !isPart) {
      this.#beyond++;
      return;
    }
    const wantsText = !isScope && value === undefined && properties.length > 0;
    this.#open.push({ name, item, isPart: false, properties: wantsText ? properties : [], text: '' });
  }

  text(piece: string): void {
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const element = this.#open[at];
      if (element === undefined || element.item !== null) return;
      if (element.properties.length === 0) continue;
      if (element.text.length < longestText) element.text += piece;
      return;
    }
  }

  closed(name: string): void {
    if (this.#beyond > 0) {
      this.#beyond--;
      return;
    }
    const at = this.#open.findLastIndex((element) => element.name === name);
    if (at < 0) return;
    while (this.#open.length > at) this.#finish();
    if (this.#open.at(-1)?.isPart === true) this.#open.pop();
  }

  /**
   * At the end of the page; what comes later changes nothing.
   * @param base of the page's addresses
   */
  end(base: URL): void {
    if (this.#ended) return;
    this.#ended = true;
    while (this.#open.length > 0) this.#finish();
    for (const { item, around } of this.#parts.values()) if (around !== null) this.#join(around, item);
    for (const { item, ids } of this.#refer)
      for (const id of ids) {
        const part = this.#parts.get(id);
        if (part !== undefined && part.item !== item && part.around !== item) this.#join(item, part.item);
      }
    const resolved = (value: unknown): unknown =>
      value instanceof Reference ? (URL.parse(value.written, base.href)?.href ?? value.written) : value;
    for (const item of this.#addressed)
      for (const [name, value] of Object.entries(item))
        item[name] = Array.isArray(value) ? value.map(resolved) : resolved(value);
  }

  #join(item: OpenItem, part: OpenItem): void {
    for (const [name, value] of Object.entries(part))
      for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) this.#set(item, [name], one);
  }

  #finish(): void {
    const element = this.#open.pop();
    if (element === undefined || element.properties.length === 0) return;
    const around = this.#around();
    const line = foldLine(element.text, longestText);
    if (around !== null && line !== null) this.#set(around, element.properties, line.text);
  }

  #around(): OpenItem | null {
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const item = this.#open[at]?.item;
      if (item !== null && item !== undefined) return item;
    }
    return null;
  }

  #set(item: OpenItem, names: readonly string[], value: unknown): void {
    if (value instanceof Reference) this.#addressed.add(item);
    for (const name of names) {
      if (++this.#properties > mostProperties) {
        this.leftOut++;
        continue;
      }
      const known = Object.hasOwn(item, name) ? item[name] : undefined;
      if (known === undefined)
        Object.defineProperty(item, name, { value, enumerable: true, writable: true, configurable: true });
      else if (Array.isArray(known)) known.push(value);
      else item[name] = [known, value];
    }
  }
}

const address = (written: string | undefined): Reference | undefined =>
  written === undefined ? undefined : new Reference(written);

/** The value that an element's attributes tell; undefined: its text tells it. */
function valueOf(name: string, attributes: ReadonlyMap<string, string>): string | Reference | undefined {
  const content = attributes.get('content');
  if (content !== undefined) return content;
  switch (name) {
    case 'meta':
      return '';
    case 'a':
    case 'area':
    case 'link':
      return address(attributes.get('href'));
    case 'img':
    case 'audio':
    case 'video':
    case 'embed':
    case 'iframe':
    case 'source':
      return address(attributes.get('src'));
    case 'object':
      return address(attributes.get('data'));
    case 'data':
    case 'meter':
      return attributes.get('value');
    case 'time':
      return attributes.get('datetime');
    default:
      return undefined;
  }
}
