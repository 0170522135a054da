/** What a body says: text, links and metadata, for every page that was fetched. */
import type {
  Extracted,
  ExtractInput,
  KeptParts,
  ReadDocument,
  Repeated,
  RuledPage,
} from '../contracts/extraction.ts';
import type { PageAnchor, PageImage } from '../contracts/http/page-details.ts';
import type { PageMeta } from '../contracts/http/page-meta.ts';
import { cutBy } from '../domain/limits.ts';
import { enoughWords, needOf, type PageEvidence } from '../domain/page-need.ts';
import { authorsOf } from './authors.ts';
import { decodeBody } from './charset.ts';
import { withoutSubset } from './doctype.ts';
import { headingFirst, titleOfText } from './documents/title.ts';
import { composed } from './folded-text.ts';
import { headingsOf } from './headings.ts';
import { storable } from './storable.ts';
import { headlineOf } from './headline.ts';
import { ENOUGH_WORDS, type LanguageTeller, loadLanguageTeller } from './language.ts';
import { baseOf, createResolver } from './links.ts';
import { splitText, withoutBlocks } from './main-text.ts';
import { headLinks } from './link-field.ts';
import { placesIn } from './mark-place.ts';
import { bodyKind, isMarkdown, parseContentType } from './media.ts';
import { datesOf } from './page-dates.ts';
import type { Asked, PageVersion } from './page-details.ts';
import { PageReader, readVisible } from './page-reader.ts';
import { countedBlocks, findRepeated, type LeftOut } from './repeated.ts';
import { combine, parseRobotsTag } from './robots-directives.ts';
import { factsOf } from './schema-facts.ts';
import { type SchemaItem, textsOf, typesOf } from './schema-items.ts';
import { endOfTitle, siteTeller } from './site-name.ts';
import { shellWords, textOfState } from './state-text.ts';
import { countWords } from './words.ts';

/** Goes up whenever the same body would be read otherwise than before. Stored with each page. */
const extractorVersion = 2;

export interface Extractor {
  readonly version: number;
  /**
   * Reads one body, synchronously, in time linear in its size. Never throws for what a body holds: broken markup is
   * read as far as it goes, and a body that is not text (see `isExtractable`) gives an empty result.
   * Throws a TypeError when `input.url` is not an absolute URL.
   */
  extract(input: ExtractInput): Extracted;
}

/** An extractor with its language detector loaded: make one per process. */
export async function createExtractor(): Promise<Extractor> {
  const tellLanguage = await loadLanguageTeller();
  return { version: extractorVersion, extract: (input) => extractWith(tellLanguage, input) };
}

/** As an extractor reads a body, but without telling its language, for which much would have to be loaded. */
export const readWithoutLanguage = (input: ExtractInput): Extracted => extractWith(() => null, input);

interface Texts {
  readonly text: string;
  /** The text without what is repeated. */
  readonly shown: string;
  readonly main: string;
  readonly words: number;
  readonly mainWords: number;
  /** The text comes from data for scripts. */
  readonly fromState: boolean;
  readonly leftOut: number;
  /** Null: nothing of the page is repeated. */
  readonly repeated: LeftOut | null;
  /** Does a place in the text, as it was read, belong to the main text? */
  readonly isMain: (at: number) => boolean;
}

const noneRepeated: Repeated = new Set();

export interface ShownPage {
  readonly text: string;
  readonly main: string;
  /** What was left out of both because many pages of the host have it; null: nothing was. */
  readonly repeated: LeftOut | null;
  readonly anchors: readonly PageAnchor[];
  readonly images: readonly PageImage[];
  /** Itself may be among them. */
  readonly versions: readonly PageVersion[];
}

/**
 * What is shown of a body to who looks at the page; text and main text are those that `extract` finds.
 * @param repeated blocks to be left out of both
 */
export function readShown(
  body: Uint8Array,
  contentType: string | null,
  address: string,
  document: ReadDocument | null = null,
  ruled: RuledPage | null = null,
  repeated: Repeated = noneRepeated,
): ShownPage {
  const url = new URL(address);
  const { page, charset } = readPage(body, contentType, [], { details: true }, document);
  const resolve = createResolver(baseOf(page.baseHref, url), charset);
  const whole = textsOfPage(page, page.meta.schema(page.items, baseOf(page.baseHref, url)), repeated);
  const texts = keptTexts(ruled, whole, repeated)?.texts ?? whole;
  return {
    ...{ text: texts.shown, main: texts.main, repeated: texts.repeated },
    anchors: page.details?.anchors(resolve, whole.isMain) ?? [],
    images: page.details?.images(resolve) ?? [],
    versions: page.details?.versions(resolve) ?? [],
  };
}

/** The texts of what the rules keep, and what they were read from; null: they keep the whole page. */
function keptTexts(
  ruled: RuledPage | null,
  whole: Texts,
  repeated: Repeated,
): { readonly texts: Texts; readonly page: PageReader } | null {
  const parts: KeptParts | null = ruled?.parts ?? null;
  // The text of a shell is found in data for scripts, of which no selector could choose a part.
  if (parts === null || (whole.fromState && !parts.chosen)) return null;
  const page = readVisible(parts.markup, parts.xhtml);
  const read = splitTexts(page, [], repeated);
  if (!parts.chosen) return { texts: read, page };
  const mainWords = read.words - (read.repeated?.words ?? 0);
  return { texts: { ...read, main: read.shown, mainWords, isMain: () => true }, page };
}

function readPage(
  body: Uint8Array,
  contentType: string | null,
  agentTokens: readonly string[],
  asked: Asked = {},
  document: ReadDocument | null = null,
): { page: PageReader; charset: string } {
  if (document !== null) return { page: readFrom(document, agentTokens, asked), charset: 'utf-8' };
  const type = parseContentType(contentType);
  const kind = bodyKind(type, body);
  const { text: decoded, charset } = decodeBody(kind === null ? new Uint8Array() : body, type.charset);
  // NUL never belongs to a page, and Postgres refuses it in text.
  const clean = decoded.includes('\0') ? decoded.replaceAll('\0', '') : decoded;
  const source = kind === 'xhtml' ? withoutSubset(clean) : clean;
  if (kind !== 'text') return { page: readVisible(source, kind === 'xhtml', agentTokens, asked), charset };
  const page = new PageReader(source, false, agentTokens, asked);
  page.text.add(source);
  page.title.add(titleOfText(isMarkdown(type) ? headingFirst(source) : source) ?? '');
  return { page, charset };
}

/** A document as if it were a page. */
function readFrom(
  { title, text, links }: ReadDocument,
  agentTokens: readonly string[],
  asked: Asked,
): PageReader {
  const page = new PageReader('', false, agentTokens, asked);
  page.title.add(title ?? '');
  for (const block of text.split('\n')) {
    page.text.add(block.replaceAll('\0', ''));
    page.text.breakBlock();
  }
  for (const link of links) page.links.add(link, true);
  return page;
}

function extractWith(tellLanguage: LanguageTeller, input: ExtractInput): Extracted {
  const url = new URL(input.url);
  url.hash = '';
  const { page, charset } = readPage(
    ...([
      input.body,
      input.contentType,
      input.agentTokens,
      { contexts: input.withContexts, followed: input.followed },
    ] as const),
    input.document,
  );
  const resolve = createResolver(baseOf(page.baseHref, url), charset);
  const directives = combine(page.directives, parseRobotsTag(input.xRobotsTag, input.agentTokens));
  const head = headLinks(input.linkFields);
  // Relative to the page itself, whatever its <base> (RFC 8288 §3.1).
  for (const href of head.others) page.links.add(URL.parse(href, url.href)?.href ?? href, true);
  const links = page.links.resolve(resolve, url.href, input.maxLinks);
  const title = page.title.finish();
  const items = page.meta.schema(page.items, baseOf(page.baseHref, url));
  const repeated = input.repeated ?? noneRepeated;
  const whole = textsOfPage(page, items, repeated);
  const ruled = input.ruled ?? null;
  const kept = keptTexts(ruled, whole, repeated);
  const texts = kept?.texts ?? whole;
  const { text, words, main, mainWords } = texts;
  // Menus and banners of consent are often in another language than what they surround.
  const prose = mainWords >= ENOUGH_WORDS ? { text: main, words: mainWords } : { text, words };
  const declared = page.language ?? page.meta.language;
  const language = tellLanguage({ ...prose, page: text, declared, site: url.origin });
  // A declaration tells the country too.
  const spoken =
    language === null || declared?.toLowerCase().startsWith(language) === true ? declared : language;
  const now = input.now ?? Infinity;
  const meta = metaOf(page, kept?.page ?? page, items, texts, { resolve, url, title, now, spoken });
  const rights = page.rights.finish(directives, items, resolve, input.xRobotsTag);
  const need = whole.words < enoughWords ? needOf(evidenceOf(page, whole, url, title, links.seen)) : null;

  return {
    title: title === '' ? null : title,
    description: page.meta.description?.text ?? null,
    language,
    text,
    main: texts.main,
    blocks: input.withBlocks === true ? countedBlocks(page.text.raw, page.blocks.all) : null,
    words,
    whole: { text: whole.text, words: whole.words },
    fields: ruled?.fields ?? null,
    meta: { ...meta.value, ...(need !== null && { needs: need }), ...(rights !== null && { rights }) },
    links: directives.nofollow ? [] : links.urls,
    pictures: page.pictures,
    contexts: page.contexts?.resolve(resolve, links.urls) ?? null,
    linksSeen: links.seen,
    canonical: canonicalOf(page.canonicalHref, head.canonical, url, resolve),
    noindex: directives.noindex,
    nofollow: directives.nofollow,
    charset,
    cut: cutBy(
      directives.nofollow ? { nofollow: links.seen } : links.cut,
      input.document?.cut ?? {},
      ruled?.cut ?? {},
      {
        ...{
          text: texts.leftOut,
          title: page.title.leftOut,
          description: page.meta.description?.leftOut ?? 0,
        },
        meta: meta.leftOut,
        emptyShells: Number(need === 'javascript'),
        loginForms: Number(need === 'login'),
      },
    ),
  };
}

/** What the page says itself goes before what its answer says. */
function canonicalOf(
  own: string | null,
  ofHead: string | null,
  url: URL,
  resolve: (href: string) => string | null,
): string | null {
  const href = own ?? (ofHead === null ? null : (URL.parse(ofHead, url.href)?.href ?? null));
  return href === null ? null : resolve(href);
}

const evidenceOf = (
  { marks, text, blocks }: PageReader,
  { words, fromState }: Texts,
  { pathname, search }: URL,
  title: string,
  links: number,
): PageEvidence => ({
  ...{ address: pathname + search, title, links, words, fromState },
  ...{ passwords: marks.passwords, identities: marks.identities },
  ...{ scripts: marks.scripts, media: marks.media },
  ...{ hasMount: marks.hasMount, asksForScript: marks.asksForScript },
  headings: headingsOf(text.raw, blocks).kept.map((heading) => heading.text),
});

function textsOfPage(page: PageReader, items: readonly SchemaItem[], repeated: Repeated): Texts {
  const read = splitTexts(page, items, repeated);
  const { words } = read;
  if (words < shellWords) {
    const state = textOfState(items, page.marks.states);
    if (state !== null) {
      const inner = readVisible(state, false);
      const found = inner.text.finish();
      const foundWords = countWords(found);
      if (foundWords > words) {
        const { leftOut } = inner.text;
        return {
          ...{ text: found, shown: found, main: found, words: foundWords, mainWords: foundWords },
          ...{ fromState: true, leftOut, repeated: null },
          isMain: () => false,
        };
      }
    }
  }
  return read;
}

function splitTexts(page: PageReader, items: readonly SchemaItem[], repeated: Repeated): Texts {
  const raw = page.text.raw;
  const text = page.text.finish();
  const words = countWords(text);
  const { all } = page.blocks;
  const found = findRepeated(raw, all, repeated);
  const { main: chosen, rest, isMain } = splitText(raw, page.blocks, found?.is, page.evidence(items));
  // Parts of a text that is well-formed and NFC are so too.
  const even = (part: string): string => (raw === text ? part : composed(part));
  const main = even(chosen);
  const shown = found === null ? text : even(withoutBlocks(raw, all, found.is));
  // No word spans two blocks, so the shorter part is counted.
  const mainWords = rest.length < main.length ? words - countWords(rest) : countWords(main);
  const { leftOut } = page.text;
  return {
    ...{ text, shown, main, words, mainWords, fromState: false, leftOut, isMain },
    repeated: found?.leftOut ?? null,
  };
}

/** Characters of a headline in data that are looked at. */
const longestHeadline = 1_000;
/** Characters at the beginning and the end of the text, in which a date may be told. */
const dateReach = 1_500;
const lastLines = 2;

/** @param shown the part of the page that its text is made of */
function metaOf(
  { meta, marks, items: reader, language, canonicalHref, text: raw, blocks: whole }: PageReader,
  { blocks, text: folded }: PageReader,
  items: readonly SchemaItem[],
  { text, main, words, mainWords, fromState }: Texts,
  {
    resolve,
    url,
    now,
    title,
    spoken,
  }: {
    readonly resolve: (href: string) => string | null;
    readonly url: URL;
    readonly title: string;
    readonly now: number;
    /** Language of the page. */
    readonly spoken: string | null;
  },
): { readonly value: PageMeta; readonly leftOut: number } {
  const { openGraph } = meta;
  const isSite = siteTeller([...meta.siteNames, ...siteNamesOf(items), ...endOfTitle(title)], url);
  const headlines = headlinesOf(items);
  const headline = headlineOf(
    raw.raw,
    whole,
    [...headlines, ...textsOf(openGraph?.['og:title']), title],
    isSite,
  );
  const { standing, lines: linesBy } = placesIn(raw.raw, whole, headline.block);
  const isHome = url.pathname === '/' && url.search === '';
  const isOffer =
    items.some((item) => typesOf(item).some((type) => /^(?:Product\w*|\w*Event)$/.test(type))) &&
    headlines.length === 0;
  const lines = linesBy();
  const end = text.length > 2 * dateReach ? text.slice(-dateReach) : '';
  const isArticle = openGraph?.['og:type'] === 'article';
  const dates = datesOf({
    ...{ published: meta.published, dated: meta.dated, modified: meta.modified },
    ...{ items, times: marks.times, standing, isList: isHome || isOffer, now },
    bylines: marks.bylines.filter((mark) => standing(mark) === 'near').map((mark) => mark.text),
    urls: [url.href, canonicalHref ?? '', ...textsOf(openGraph?.['og:url'])].flatMap(pathOf),
    pictures: isArticle ? textsOf(openGraph['og:image']).flatMap(pathOf) : [],
    lines,
    ending: headline.block === null ? main.slice(-dateReach).split('\n').slice(-lastLines) : [],
    texts: [text.slice(0, 2 * dateReach), end, marks.foot],
    american: /^en[-_]us/i.test(spoken ?? ''),
  });
  const authors = authorsOf({
    ...{
      authors: meta.authors,
      cited: meta.cited,
      items,
      bylines: marks.bylines,
      standing,
      isSite,
      isList: isHome || isOffer,
      text,
    },
    lines,
    isArticle: isArticle || (dates.published !== null && dates.from !== 'text'),
  });
  const headings = headingsOf(folded.raw, blocks);
  const schema = meta.stored(items);
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
    const isSite = typesOf(item).some((type) =>
      /^WebSite$|Organization$|Corporation$|LocalBusiness$/.test(type),
    );
    return [
      ...textsOf(item['publisher']),
      ...(isSite ? [...textsOf(item['name']), ...textsOf(item['alternateName'])] : []),
    ];
  });
}

const headlinesOf = (items: readonly SchemaItem[]): string[] =>
  items
    .filter((item) => typesOf(item).some((type) => /Article|Posting/.test(type)))
    .flatMap((item) => textsOf(item['headline']))
    .slice(0, 1)
    .map((text) => text.slice(0, longestHeadline));
