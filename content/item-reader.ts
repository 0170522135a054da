/**
 * Microdata (HTML standard section 5) and RDFa Lite, read while the page is: only for pages that have any, since all
 * attributes and all elements must be looked at for it. Both give items as JSON-LD writes them.
 */
import { voidElements } from './elements.ts';
import { foldLine } from './folded-text.ts';
import { mostItems, type SchemaItem } from './schema-items.ts';

type OpenItem = Record<string, unknown>;

interface OpenElement {
  readonly name: string;
  /** The item that begins here. */
  readonly item: OpenItem | null;
  /** Names of the property whose value is the text of the element; empty: it is none. */
  readonly properties: readonly string[];
  text: string;
}

/** Elements that are looked through for the one that an end tag ends. Deeper ones are not noted. */
const deepest = 200;
/** Characters of the text of a property. */
const longestText = 1_000;
const mostProperties = 2_000;

/** One search for both, since each takes a pass over the source. */
const scope = /itemscope|typeof=/;

/** Does a page have items? To be asked of its source. */
export function hasItems(source: string): boolean {
  return scope.test(source) && (source.includes('itemscope') || source.includes('schema.org'));
}

export class ItemReader {
  /** Items that are no property of another. */
  readonly items: SchemaItem[] = [];
  leftOut = 0;
  readonly #open: OpenElement[] = [];
  /** Open elements beyond the deepest that is noted. */
  #beyond = 0;
  #properties = 0;

  opened(name: string, attributes: ReadonlyMap<string, string>): void {
    const type = attributes.get('itemtype') ?? attributes.get('typeof');
    const isScope = attributes.has('itemscope') || attributes.has('typeof');
    const names = (attributes.get('itemprop') ?? attributes.get('property') ?? '').trim();
    const around = this.#around();
    const properties = names === '' || around === null ? [] : names.split(/\s+/).map(local).slice(0, 10);
    let item: OpenItem | null = null;
    if (isScope) {
      item =
        type === undefined || type === '' ? {} : { '@type': local(type.trim().split(/\s+/, 1)[0] ?? '') };
      if (properties.length > 0 && around !== null) this.#set(around, properties, item);
      else if (this.items.length < mostItems) this.items.push(item);
      else this.leftOut++;
    }
    const value =
      isScope || around === null || properties.length === 0 ? undefined : valueOf(name, attributes);
    if (value !== undefined && around !== null) this.#set(around, properties, value);
    if (voidElements.has(name)) return;
    if (this.#open.length >= deepest) {
      this.#beyond++;
      return;
    }
    const wantsText = !isScope && value === undefined && properties.length > 0;
    this.#open.push({ name, item, properties: wantsText ? properties : [], text: '' });
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
  }

  /** At the end of the page. */
  end(): void {
    while (this.#open.length > 0) this.#finish();
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

/** `http://schema.org/Article` and `schema:Article` are `Article`. */
const local = (name: string): string => name.replace(/^.*[/#:]/, '');

/** The value that an element's attributes tell; undefined: its text tells it. */
function valueOf(name: string, attributes: ReadonlyMap<string, string>): string | undefined {
  const content = attributes.get('content');
  if (content !== undefined) return content;
  switch (name) {
    case 'meta':
      return '';
    case 'a':
    case 'area':
    case 'link':
      return attributes.get('href');
    case 'img':
    case 'audio':
    case 'video':
    case 'embed':
    case 'iframe':
    case 'source':
      return attributes.get('src');
    case 'object':
      return attributes.get('data');
    case 'data':
    case 'meter':
      return attributes.get('value');
    case 'time':
      return attributes.get('datetime');
    default:
      return undefined;
  }
}
