/** What a body says: text, links and metadata, for every page that was fetched. */
import type { Extracted, ExtractInput, ReadDocument, Repeated, RuledPage } from '../contracts/extraction.ts';
import type { PageAnchor, PageImage } from '../contracts/http/page-details.ts';
import { cutBy } from '../domain/limits.ts';
import { enoughWords, needOf, type PageEvidence } from '../domain/page-need.ts';
import { shellReason } from '../domain/rendering/shell.ts';
import { decodeBody } from './charset.ts';
import { withoutSubset } from './doctype.ts';
import { headingFirst, titleOfText } from './documents/title.ts';
import { headingsOf } from './headings.ts';
import { ENOUGH_WORDS, type LanguageTeller, loadLanguageTeller } from './language.ts';
import { baseOf, createResolver } from './links.ts';
import { headLinks } from './link-field.ts';
import { bodyKind, isMarkdown, parseContentType } from './media.ts';
import type { Asked, PageVersion } from './page-details.ts';
import { extractorVersion, metaOf } from './page-meta.ts';
import { PageReader, readVisible } from './page-reader.ts';
import { keptTexts, noneRepeated, type Texts, textsOfPage } from './page-texts.ts';
import { countedBlocks, type LeftOut } from './repeated.ts';
import { combine, parseRobotsTag } from './robots-directives.ts';

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
 * What a person who looks at the page is shown of its body. Text and main text are those that `extract` finds.
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
  const resolve = createResolver(baseOf(page.head.baseHref, url), charset);
  const items = page.head.meta.schema(page.items, baseOf(page.head.baseHref, url));
  const whole = textsOfPage(page, items, repeated);
  const texts = keptTexts(ruled, whole, items, repeated)?.texts ?? whole;
  return {
    text: texts.shown,
    main: texts.main,
    repeated: texts.repeated,
    anchors: page.details?.anchors(resolve, whole.isMain) ?? [],
    images: page.details?.images(resolve) ?? [],
    versions: page.details?.versions(resolve) ?? [],
  };
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
  const base = baseOf(page.head.baseHref, url);
  const resolve = createResolver(base, charset);
  const directives = combine(page.head.directives, parseRobotsTag(input.xRobotsTag, input.agentTokens));
  const head = headLinks(input.linkFields);
  // Relative to the page itself, whatever its <base> (RFC 8288 §3.1).
  for (const href of head.others) page.links.add(URL.parse(href, url.href)?.href ?? href, true);
  const links = page.links.resolve(resolve, url.href, input.maxLinks);
  const title = page.title.finish();
  const items = page.head.meta.schema(page.items, base);
  const repeated = input.repeated ?? noneRepeated;
  const whole = textsOfPage(page, items, repeated);
  const ruled = input.ruled ?? null;
  const kept = keptTexts(ruled, whole, items, repeated);
  const texts = kept?.texts ?? whole;
  const { text, words, main, mainWords } = texts;
  // Menus and banners of consent are often in another language than what they surround.
  const prose = mainWords >= ENOUGH_WORDS ? { text: main, words: mainWords } : { text, words };
  const declared = page.head.language ?? page.head.meta.language;
  const language = tellLanguage({ ...prose, page: text, declared, site: url.origin });
  // A declaration tells the country too.
  const spoken =
    language === null || declared?.toLowerCase().startsWith(language) === true ? declared : language;
  const now = input.now ?? Infinity;
  const meta = metaOf(page, kept?.page ?? page, items, texts, { resolve, base, url, title, now, spoken });
  const rights = page.head.rights.finish(directives, items, resolve, input.xRobotsTag);
  const evidence = whole.words < enoughWords ? evidenceOf(page, whole, url, title, links.seen) : null;
  const need = evidence === null ? null : needOf(evidence);

  return {
    title: title === '' ? null : title,
    description: page.head.meta.description?.text ?? null,
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
    linkCount: links.seen,
    canonical: canonicalOf(page.head.canonicalHref, head.canonical, url, resolve),
    shell: evidence === null ? null : shellReason(evidence),
    noindex: directives.noindex,
    nofollow: directives.nofollow,
    charset,
    cut: cutBy(
      directives.nofollow ? { nofollow: links.seen } : links.cut,
      input.document?.cut ?? {},
      ruled?.cut ?? {},
      {
        text: texts.leftOut,
        title: page.title.leftOut,
        description: page.head.meta.description?.leftOut ?? 0,
        meta: meta.leftOut,
        linkFields: head.leftOut,
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
  address: pathname + search,
  title,
  links,
  words,
  fromState,
  passwords: marks.passwords,
  identities: marks.identities,
  scripts: marks.scripts,
  externalScripts: marks.externalScripts,
  inlineScript: marks.inlineScript,
  media: marks.media,
  hasMount: marks.hasMount,
  asksForScript: marks.asksForScript,
  headings: headingsOf(text.raw, blocks).kept.map((heading) => heading.text),
});
