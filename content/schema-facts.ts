/**
 * A product or an article in a few flat fields, whichever way a page tells of it: schema.org items first, then Open
 * Graph. The items themselves are stored beside it.
 */
import type { PageMeta } from '../contracts/http/page-meta.ts';
import { foldLine } from './folded-text.ts';
import { type Decimal, decimalOf, numberIn } from './numbers.ts';
import { hasType, isItem, localName, type SchemaItem, textsOf, typesOf } from './schema-items.ts';

type Product = NonNullable<PageMeta['product']>;
type Article = NonNullable<PageMeta['article']>;
type OpenGraph = PageMeta['openGraph'];

const longestText = 300;
const longestCode = 60;
const mostSections = 10;
/** Offers of a product that are looked at, and items in one another among which the product is sought. */
const mostOffers = 200;
const deepest = 3;

const productTypes =
  /^(?:Product|ProductGroup|ProductModel|IndividualProduct|SomeProducts|Vehicle|Car|Book|SoftwareApplication|MobileApplication|WebApplication)$/;
const articleTypes = /(?:Article|Posting|Report)$/;

/** @param language of the page, as BCP 47 names it */
export function factsOf(
  items: readonly SchemaItem[],
  graph: OpenGraph | null,
  language: string | null,
): Pick<PageMeta, 'product' | 'article'> {
  const product = productOf(items, graph, language);
  const article = articleOf(items, graph);
  return { ...(product !== null && { product }), ...(article !== null && { article }) };
}

function productOf(
  items: readonly SchemaItem[],
  graph: OpenGraph | null,
  language: string | null,
): Product | null {
  const decimal = decimalOf(language);
  const all = items.flatMap((item) => withInner(item, 0)).filter((item) => hasType(item, productTypes));
  const item = all.find((one) => offersOf(one).length > 0) ?? all[0] ?? {};
  const offers = offersOf(item);
  const isShop = first(graph, 'og:type', 'product')?.startsWith('product') === true;
  const prices = offers.flatMap((offer) => pricesOf(offer, decimal));
  const shared = numberOf(
    first(graph, 'product:price:amount', 'og:price:amount', 'product:sale_price:amount'),
    decimal,
  );
  const price = prices.length > 0 ? prices.reduce((least, one) => Math.min(least, one)) : shared;
  if (
    all.length === 0 &&
    !(isShop && (price !== undefined || graph?.['product:retailer_item_id'] !== undefined))
  )
    return null;
  const most = prices.reduce((greatest, one) => Math.max(greatest, one), 0);
  const rating = item['aggregateRating'];
  const told = isItem(rating) ? rating : {};
  const offer = offers[0] ?? {};
  return defined<Product>({
    name: text(item['name'], first(graph, 'og:title')),
    brand: text(item['brand'] ?? item['manufacturer'], first(graph, 'product:brand', 'og:brand')),
    sku: code(item['sku'] ?? item['productID'] ?? offer['sku'], first(graph, 'product:retailer_item_id')),
    gtin: code(codeIn(item) ?? codeIn(offer), first(graph, 'product:ean', 'product:upc', 'product:isbn')),
    mpn: code(item['mpn'] ?? offer['mpn'], first(graph, 'product:mfr_part_no')),
    price,
    highPrice: price !== undefined && most > price ? most : undefined,
    currency: code(
      offers.map(currencyOf).find((each) => each !== undefined),
      first(graph, 'product:price:currency', 'og:price:currency', 'product:sale_price:currency'),
    ),
    availability: code(
      local(offers.map((each) => each['availability']).find((each) => each !== undefined)),
      first(graph, 'product:availability', 'og:availability'),
    ),
    condition: code(
      local(offer['itemCondition'] ?? item['itemCondition']),
      first(graph, 'product:condition'),
    ),
    rating: numberOf(told['ratingValue'], decimal),
    ratings: numberOf(told['ratingCount'] ?? told['reviewCount'], decimal),
  });
}

function articleOf(items: readonly SchemaItem[], graph: OpenGraph | null): Article | null {
  const item = items.find((one) => hasType(one, articleTypes));
  if (item === undefined && first(graph, 'og:type') !== 'article') return null;
  const sections = [...textsOf(item?.['articleSection']), ...valuesOf(graph, 'article:section')];
  const free = item?.['isAccessibleForFree'];
  return defined<Article>({
    type: item === undefined ? 'Article' : typesOf(item).find((type) => articleTypes.test(type)),
    headline: text(item?.['headline'] ?? item?.['name'], first(graph, 'og:title')),
    publisher: text(item?.['publisher'], first(graph, 'og:site_name')),
    sections: sections.length > 0 ? unique(sections).slice(0, mostSections) : undefined,
    free:
      typeof free === 'boolean' ? free : typeof free === 'string' ? !/^no$|false$/i.test(free) : undefined,
  });
}

/** Items among the properties in which pages wrap what they are about. */
function withInner(item: SchemaItem, depth: number): SchemaItem[] {
  if (depth >= deepest) return [item];
  const inner = ['mainEntity', 'about', 'itemOffered', 'hasVariant'].flatMap((name) => itemsIn(item[name]));
  return [item, ...inner.slice(0, mostOffers).flatMap((one) => withInner(one, depth + 1))];
}

const itemsIn = (value: unknown): SchemaItem[] =>
  (Array.isArray(value) ? value.slice(0, mostOffers) : [value]).filter(isItem);

/** Its offers; for several sellers or kinds, those of an AggregateOffer too. */
function offersOf(item: SchemaItem): SchemaItem[] {
  const offers = itemsIn(item['offers']);
  const inner = offers.flatMap((offer) => itemsIn(offer['offers']));
  const ofKinds =
    offers.length > 0 ? [] : itemsIn(item['hasVariant']).flatMap((kind) => itemsIn(kind['offers']));
  return [...offers, ...inner, ...ofKinds];
}

function pricesOf(offer: SchemaItem, decimal: Decimal): number[] {
  const specified = itemsIn(offer['priceSpecification']).map((one) => one['price']);
  const told = [offer['price'], offer['lowPrice'], offer['highPrice']].filter((one) => one !== undefined);
  return (told.length > 0 ? told : specified).flatMap((one) => numberOf(one, decimal) ?? []);
}

const currencyOf = (offer: SchemaItem): unknown =>
  offer['priceCurrency'] ?? itemsIn(offer['priceSpecification'])[0]?.['priceCurrency'];

const codeIn = (item: SchemaItem): unknown =>
  ['gtin13', 'gtin', 'gtin14', 'gtin12', 'gtin8', 'isbn']
    .map((name) => item[name])
    .find((one) => one !== undefined);

/** `https://schema.org/InStock` is `InStock`. */
const local = (value: unknown): string | undefined => textsOf(value).slice(0, 1).map(localName)[0];

/** A number, or the first one in a text as the page's language writes it. */
function numberOf(value: unknown, decimal: Decimal): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const [said] = textsOf(value);
  return said === undefined ? undefined : numberIn(said.slice(0, longestText), decimal);
}

function valuesOf(graph: OpenGraph | null, name: string): string[] {
  const value = graph?.[name];
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

const first = (graph: OpenGraph | null, ...names: readonly string[]): string | undefined =>
  names.flatMap((name) => valuesOf(graph, name))[0];

const unique = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((one) => foldLine(one, longestCode)?.text ?? [])),
];

/** Null: no field has a value. */
function defined<T extends object>(fields: { readonly [Name in keyof T]-?: T[Name] | undefined }): T | null {
  const found = Object.entries(fields).filter(([, value]) => value !== undefined);
  return found.length === 0 ? null : (Object.fromEntries(found) as T);
}

const text = (value: unknown, other?: string): string | undefined => short(value, other, longestText);
const code = (value: unknown, other?: string): string | undefined => short(value, other, longestCode);

function short(value: unknown, other: string | undefined, limit: number): string | undefined {
  const said = typeof value === 'number' ? String(value) : (textsOf(value)[0] ?? other ?? '');
  return foldLine(said.replaceAll('\0', ''), limit)?.text;
}
