/**
 * Pages for corpora and indexes, as JSON lines: the main text as Markdown, with measures of it, rights, versions in other
 * languages, and the words of the links that lead to the page (docs/corpus.md).
 *
 * The links to a page are on pages before and after it in the feed, and their words are not stored. So each page adds a
 * row for itself, and one for each of its links, to a part of the draft. At the end this part is sorted by URL: a page
 * and the links to it come together, and only one run of the sorting is in memory at a time.
 */
import { isDocument, readDocument } from '../../content/documents.ts';
import { readShown } from '../../content/extract.ts';
import { type LanguageScorer, loadLanguageScorer } from '../../content/language.ts';
import { toMarkdown } from '../../content/markdown.ts';
import { qualityOf } from '../../content/quality.ts';
import type { PageAnchor } from '../../contracts/http/page-details.ts';
import type { PageView } from '../../contracts/http/results.ts';
import { canonicalize } from '../../domain/url.ts';
import { repeatedReader } from '../../storage/boilerplate/index.ts';
import type { Draft } from '../../storage/exports/index.ts';
import { hasOwnText } from '../own-text.ts';
import { whole, type ExportForm, type Making } from './form.ts';
import { sortedLines } from './sorting.ts';

const rows = 'rows';
/** Between the URL that a row is about and its kind; no URL has one. */
const tab = '\t';
/** A page comes before the links to it. */
const [ofPage, ofLink] = ['0', '1'];

/** Bodies read together. */
const together = 8;
/** Links with words of one page that count, and characters of their words. */
const mostLinks = 500;
const longestWords = 150;
/** Words of links to one page that are told, most frequent first, and that are counted apart. */
const toldWords = 20;
const countedWords = 1_000;

type Bodies = Making['archive'];
type RepeatedIn = ReturnType<typeof repeatedReader>;

let scorer: Promise<LanguageScorer> | null = null;

const keyOf = (url: string): string => {
  const link = canonicalize(url);
  return link.ok ? link.value.canonical : url;
};

/** The rows of a page: its own, and one for each link with words. Null: the page has no text of its own. */
async function rowsOf(archive: Bodies, page: PageView, repeatedIn: RepeatedIn): Promise<string | null> {
  const { url, contentHash, contentType, language } = page;
  if (contentHash === null || !hasOwnText(page)) return null;
  const body = await archive.get(Buffer.from(contentHash, 'hex'));
  if (body === null) return null;
  const repeated = await repeatedIn(url);
  const document = isDocument(contentType, body) ? await readDocument(body) : null;
  const read = readShown(body, contentType, url, document, null, repeated);
  const score = await (scorer ??= loadLanguageScorer());
  const markdown = document === null ? toMarkdown(body, contentType, url, 'main', repeated) : null;
  const { title, description, fetchedAt, canonical, noindex, nearDuplicateOf, meta } = page;
  const row = {
    url,
    title,
    description,
    language,
    fetchedAt,
    contentType,
    contentHash,
    published: meta?.published ?? null,
    modified: meta?.modified ?? null,
    authors: meta?.authors ?? [],
    canonical,
    noindex,
    nearDuplicateOf: nearDuplicateOf?.url ?? null,
    rights: meta?.rights ?? {},
    versions: versionsOf(url, read.versions),
    quality: {
      languageScore: language === null ? null : score(read.main, language),
      ...qualityOf(read.main, language),
    },
    markdown: markdown?.text.trim() || read.main,
    leftOut: markdown?.leftOut ?? 0,
  };
  const own = keyOf(url);
  return [`${own}${tab}${ofPage}${JSON.stringify(row)}\n`, ...linkRows(own, read.anchors)].join('');
}

function linkRows(own: string, anchors: readonly PageAnchor[]): string[] {
  const found = new Set<string>();
  for (const { url, text } of anchors) {
    if (found.size >= mostLinks) break;
    const target = keyOf(url);
    // What a page says of itself is no word of others.
    if (text !== '' && target !== own)
      found.add(`${target}${tab}${ofLink}${JSON.stringify(text.slice(0, longestWords).toWellFormed())}\n`);
  }
  return [...found];
}

/** All versions of a page name the same group: that of `x-default`, else the least address among them. */
function versionsOf(url: string, others: readonly { readonly language: string; readonly url: string }[]) {
  if (others.length === 0) return null;
  const least = [url, ...others.map((other) => other.url)].sort()[0];
  const byDefault = others.find(({ language }) => language.toLowerCase() === 'x-default');
  return { group: byDefault?.url ?? least, others };
}

/** A page with the words of links to it, which come after it. */
class Gathered {
  readonly #row: Record<string, unknown>;
  readonly #words = new Map<string, number>();
  #links = 0;

  constructor(row: string) {
    this.#row = JSON.parse(row) as Record<string, unknown>;
  }

  link(text: string): void {
    this.#links++;
    const before = this.#words.get(text) ?? 0;
    if (before > 0 || this.#words.size < countedWords) this.#words.set(text, before + 1);
  }

  get line(): string {
    const told = [...this.#words].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, toldWords);
    const anchors = { links: this.#links, words: told.map(([text, links]) => ({ text, links })) };
    return `${JSON.stringify({ ...this.#row, anchors })}\n`;
  }
}

async function join(draft: Draft): Promise<void> {
  let page: { readonly key: string; readonly gathered: Gathered } | null = null;
  for await (const line of sortedLines(draft, rows)) {
    const at = line.indexOf(tab);
    const [key, kind, value] = [line.slice(0, at), line[at + 1], line.slice(at + 2)];
    if (kind === ofLink) {
      if (page?.key === key) page.gathered.link(JSON.parse(value) as string);
      continue;
    }
    if (page !== null) await draft.append(whole, page.gathered.line);
    page = { key, gathered: new Gathered(value) };
  }
  if (page !== null) await draft.append(whole, page.gathered.line);
}

export const corpus: ExportForm = {
  pages: 200,
  needs: ['meta'],
  async add({ draft, archive, pool, crawlId }, pages) {
    const repeatedIn = repeatedReader(pool, crawlId);
    for (let at = 0; at < pages.length; at += together) {
      const read = await Promise.all(
        pages.slice(at, at + together).map((page) => rowsOf(archive, page, repeatedIn)),
      );
      for (const found of read) if (found !== null) await draft.append(rows, found);
    }
    return null;
  },
  async end({ draft }) {
    await draft.append(whole, '');
    await join(draft);
  },
};
