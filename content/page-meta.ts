/** What is stored of a page besides its text and its links. */
import type { PageMeta } from '../contracts/http/page-meta.ts';
import { authorsOf } from './authors.ts';
import { headingsOf } from './headings.ts';
import { headlineOf } from './headline.ts';
import { placesIn } from './mark-place.ts';
import { datesOf } from './page-dates.ts';
import type { PageReader } from './page-reader.ts';
import type { Texts } from './page-texts.ts';
import { factsOf } from './schema-facts.ts';
import { hasType, type SchemaItem, textsOf } from './schema-items.ts';
import { endOfTitle, siteTeller } from './site-name.ts';
import { storable } from './storable.ts';

/** Goes up whenever the same body would be read otherwise than before. Stored with each page. */
export const extractorVersion = 2;

/** Characters of a headline in data that are looked at. */
const longestHeadline = 1_000;
/** Characters at the beginning and the end of the text, in which a date may be told. */
const dateReach = 1_500;
const lastLines = 2;

/** @param shown the part of the page that its text is made of */
export function metaOf(
  { head, marks, items: reader, text: raw, blocks: whole }: PageReader,
  { blocks, text: folded }: PageReader,
  items: readonly SchemaItem[],
  { text, main, words, mainWords, fromState }: Texts,
  {
    resolve,
    base,
    url,
    now,
    title,
    spoken,
  }: {
    readonly resolve: (href: string) => string | null;
    /** Of the page's addresses. */
    readonly base: URL;
    readonly url: URL;
    readonly title: string;
    readonly now: number;
    /** Language of the page. */
    readonly spoken: string | null;
  },
): { readonly value: PageMeta; readonly leftOut: number } {
  const { meta, language, canonicalHref } = head;
  const { openGraph } = meta;
  const isSite = siteTeller([...meta.siteNames, ...siteNamesOf(items), ...endOfTitle(title)], url);
  const headlines = headlinesOf(items);
  const headline = headlineOf(
    raw.raw,
    whole,
    [...headlines, ...textsOf(openGraph?.['og:title']), title],
    isSite,
  );
  const { nearness, lines: linesBy } = placesIn(raw.raw, whole, headline.block);
  const isHome = url.pathname === '/' && url.search === '';
  const isOffer = items.some((item) => hasType(item, /^(?:Product\w*|\w*Event)$/)) && headlines.length === 0;
  const lines = linesBy();
  const end = text.length > 2 * dateReach ? text.slice(-dateReach) : '';
  const isArticle = openGraph?.['og:type'] === 'article';
  const dates = datesOf({
    published: meta.published,
    dated: meta.dated,
    modified: meta.modified,
    items,
    times: marks.times,
    nearness,
    isList: isHome || isOffer,
    now,
    bylines: marks.bylines.filter((mark) => nearness(mark) === 'near').map((mark) => mark.text),
    urls: [url.href, canonicalHref ?? '', ...textsOf(openGraph?.['og:url'])].flatMap(pathOf),
    pictures: isArticle ? textsOf(openGraph['og:image']).flatMap(pathOf) : [],
    lines,
    ending: headline.block === null ? main.slice(-dateReach).split('\n').slice(-lastLines) : [],
    texts: [text.slice(0, 2 * dateReach), end, marks.foot],
    american: /^en[-_]us/i.test(spoken ?? ''),
  });
  const authors = authorsOf({
    authors: meta.authors,
    cited: meta.cited,
    items,
    bylines: marks.bylines,
    nearness,
    isSite,
    isList: isHome || isOffer,
    text,
    lines,
    isArticle: isArticle || (dates.published !== null && dates.from !== 'text'),
  });
  const headings = headingsOf(folded.raw, blocks);
  const schema = meta.stored(items, base.href);
  const facts = factsOf(items, openGraph, spoken);
  const feeds = meta.feeds(resolve);
  const value: PageMeta = {
    version: extractorVersion,
    ...(headline.text !== null && { headline: storable(headline.text) }),
    ...(dates.published !== null && { published: dates.published }),
    ...(dates.from !== null && { publishedFrom: dates.from }),
    ...(dates.modified !== null && { modified: dates.modified }),
    ...(authors.names.length > 0 && { authors: authors.names.map(storable) }),
    ...(language !== null && language !== '' && { declaredLanguage: language.slice(0, 35).toWellFormed() }),
    ...(mainWords !== words && { mainWords }),
    ...(fromState && ({ fromState } as const)),
    ...(headings.kept.length > 0 && { headings: headings.kept }),
    ...(openGraph !== null && { openGraph }),
    ...(schema.items.length > 0 && { schema: schema.items }),
    ...(Object.keys(schema.cut).length > 0 && { schemaCut: schema.cut }),
    ...facts,
    ...(feeds.length > 0 && { feeds }),
  };
  const leftOut = meta.leftOut + (reader?.leftOut ?? 0) + marks.leftOut + headings.leftOut + authors.leftOut;
  return { value, leftOut };
}

function pathOf(address: string): string[] {
  return URL.canParse(address) ? [new URL(address).pathname] : [];
}

/** Names that schema.org data give to the site, and to who publishes the page. */
function siteNamesOf(items: readonly SchemaItem[]): string[] {
  return items.flatMap((item) => {
    const isSite = hasType(item, /^WebSite$|Organization$|Corporation$|LocalBusiness$/);
    return [
      ...textsOf(item['publisher']),
      ...(isSite ? [...textsOf(item['name']), ...textsOf(item['alternateName'])] : []),
    ];
  });
}

const headlinesOf = (items: readonly SchemaItem[]): string[] =>
  items
    .filter((item) => hasType(item, /Article|Posting/))
    .flatMap((item) => textsOf(item['headline']))
    .slice(0, 1)
    .map((text) => text.slice(0, longestHeadline));
