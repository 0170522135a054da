/** What a body says: text, links and metadata, for every page that was fetched. */
import type { Extracted, ExtractInput } from '../contracts/extraction.ts';
import { cutBy } from '../domain/limits.ts';
import { decodeBody } from './charset.ts';
import { type LanguageTeller, loadLanguageTeller } from './language.ts';
import { createResolver } from './links.ts';
import { bodyKind, parseContentType } from './media.ts';
import { PageReader } from './page-reader.ts';
import { combine, parseRobotsTag } from './robots-directives.ts';
import { countWords } from './words.ts';

export interface Extractor {
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
  return { extract: (input) => extractWith(tellLanguage, input) };
}

/** The text alone, as `extract` finds it. */
export function readText(body: Uint8Array, contentType: string | null): string {
  const { page } = readPage(body, contentType, []);
  return page.text.finish();
}

function readPage(
  body: Uint8Array,
  contentType: string | null,
  agentTokens: readonly string[],
  withContexts = false,
): { page: PageReader; charset: string } {
  const type = parseContentType(contentType);
  const kind = bodyKind(type, body);
  const { text: decoded, charset } = decodeBody(kind === null ? new Uint8Array() : body, type.charset);
  // NUL never belongs to a page, and Postgres refuses it in text.
  const source = decoded.includes('\0') ? decoded.replaceAll('\0', '') : decoded;
  const page = new PageReader(source, kind === 'xhtml', agentTokens, withContexts);
  if (kind === 'text') page.text.add(source);
  else page.read();
  return { page, charset };
}

function extractWith(tellLanguage: LanguageTeller, input: ExtractInput): Extracted {
  const url = new URL(input.url);
  url.hash = '';
  const { page, charset } = readPage(
    ...([input.body, input.contentType, input.agentTokens, input.withContexts] as const),
  );
  const resolve = createResolver(baseOf(page.baseHref, url));
  const directives = combine(page.directives, parseRobotsTag(input.xRobotsTag, input.agentTokens));
  const links = page.links.resolve(resolve, url.href, input.maxLinks);
  const title = page.title.finish();
  const text = page.text.finish();
  const words = countWords(text);

  return {
    title: title === '' ? null : title,
    description: page.description?.text ?? null,
    language: tellLanguage({ text, words, declared: page.language, site: url.origin }),
    text,
    words,
    links: directives.nofollow ? [] : links.urls,
    contexts: page.contexts?.resolve(resolve, links.urls) ?? null,
    linksSeen: links.seen,
    canonical: page.canonicalHref === null ? null : resolve(page.canonicalHref),
    noindex: directives.noindex,
    nofollow: directives.nofollow,
    charset,
    cut: cutBy(directives.nofollow ? { nofollow: links.seen } : links.cut, {
      ...{ text: page.text.leftOut, title: page.title.leftOut, description: page.description?.leftOut ?? 0 },
    }),
  };
}

/** Base URL of the page's links (HTML standard section 4.2.3): a <base> that is not an http(s) URL is ignored. */
function baseOf(href: string | null, url: URL): URL {
  const base = href === null ? null : URL.parse(href, url.href);
  return base?.protocol === 'http:' || base?.protocol === 'https:' ? base : url;
}
