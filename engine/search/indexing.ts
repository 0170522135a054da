/**
 * Puts the pages of a crawl into the index for searches, in the order of the pages feed, from where it was left. Texts
 * are read from the stored bodies, so that crawls without a search pay nothing for it.
 *
 * A page can change its place without a new answer, and the feed does not bring it again then: a copy takes over the body
 * of a page that has another one and is read by its own URL, the ranking chooses another copy, a browser renders a page
 * that was read before, and a page that was read may be held as a soft 404.
 * So while a crawl goes on, each look for new pages also compares some pages with the index, without their texts, in
 * rounds over the whole feed; and once a crawl is over, its whole feed is compared.
 */
import { hash } from 'node:crypto';
import { withBreaks } from '../../content/word-breaks.ts';
import type { PageView } from '../../contracts/http/results.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { counted } from '../../domain/counted.ts';
import { searchLimits, upTo } from '../../domain/search/page.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import type { Job } from '../jobs/job.ts';
import { keptJobs, Lost, type Step } from '../jobs/kept.ts';
import { isOriginal, wasRead } from '../own-text.ts';
import { repeatedReader } from '../../storage/boilerplate/index.ts';
import { findRules } from '../../storage/crawls/index.ts';
import { readPages, type TextReader } from '../../storage/pages/index.ts';
import { retrying, type Pool } from '../../storage/postgres/index.ts';
import {
  configFor,
  indexRows,
  type IndexedPage,
  type IndexRow,
  type SearchIndex,
} from '../../storage/search/index.ts';

/** Pages that are put together: some 100 ms of Postgres. */
const batch = 100;
/** Milliseconds between two looks for new pages of a crawl that runs. */
const restMs = 15_000;
/** Pages that are compared at each of these looks: a million in eight hours, for a thousandth of the time. */
const comparedAtOnce = 500;

export function searchJobs(pool: Pool, index: SearchIndex, textOf: TextReader): Job {
  /** Pages without their texts; the texts of those that the index lacks, which are few, are read one by one. */
  const compare = async (
    crawlId: string,
    items: readonly PageView[],
    belongs: (page: PageView) => boolean,
  ): Promise<Look[]> => {
    const pages = items.map((item) => ({
      item,
      key: keyOf(item.url),
      fetchedAt: item.fetchedAt,
      digest: digestOf(item),
    }));
    const had = await index.has(crawlId, pages);
    const rules = await findRules(pool, crawlId);
    const repeatedIn = repeatedReader(pool, crawlId);
    const looks: Look[] = [];
    for (const { item, key } of pages) {
      if (!belongs(item)) looks.push({ key, page: null, isLost: false });
      if (had.has(key) || !belongs(item) || item.contentHash === null) continue;
      const repeated = await repeatedIn(item.url);
      const body = await textOf(item.contentHash, item.contentType, item.url, rules, repeated);
      // If it is gone, it is noted as lost already.
      if (body !== null) looks.push(lookAt({ ...item, text: body.text }));
    }
    return looks;
  };

  const read = async (
    crawlId: string,
    cursor: string | null,
    limit: number,
    fields: readonly PageField[],
  ) => {
    const answer = await retrying(() => readPages(pool, crawlId, { cursor, limit, fields }, textOf));
    // The crawl has been removed meanwhile.
    if (answer === 'unknown-crawl') throw new Lost();
    if (answer === 'bad-cursor') throw new Error(`${String(cursor)} is no place in the pages feed`);
    return answer;
  };

  const step = async ({ crawl_id: crawlId, progress, place }: IndexRow): Promise<Step<IndexRow>> => {
    const { store, round, looked } = progress;
    if (store !== index.name) {
      if (store !== null) await index.drop(crawlId);
      // By two, so that the versions under which the other index dropped the pages are passed.
      const anew = { store: index.name, round: round + 2, looked: 0, lost: 0, configs: [] };
      return { place: null, progress: anew, rest: 'more' };
    }
    const { cursor = null, checks = false, compared = null } = place ?? {};
    const { items, next, more } = await read(crawlId, cursor, batch, checks ? [] : ['text']);
    const looks = checks ? await compare(crawlId, items, isOriginal) : items.map(lookAt);
    // The end of the feed of a crawl that goes on.
    const rests = next !== null && !more && !checks;
    const again = rests ? await read(crawlId, compared, comparedAtOnce, []) : null;
    if (again !== null) looks.push(...(await compare(crawlId, again.items, mayBeOne)));
    const pages = looks.flatMap(({ page }) => page ?? []);
    const gone = looks.flatMap(({ page, key }) => (page === null ? [key] : []));
    await index.put({ crawlId, round, looked, pages, gone });
    if (next === null || !more) await index.settle();
    return {
      place:
        next === null
          ? { cursor: checks ? cursor : null, checks: !checks }
          : // A crawl that runs again while it is compared has pages to be indexed.
            {
              cursor: next,
              checks: checks && more,
              compared: again === null ? compared : again.more ? again.next : null,
            },
      progress: {
        round: round + 1,
        looked: looked + (checks ? 0 : items.length),
        lost: progress.lost + looks.filter(({ isLost }) => isLost).length,
        configs: [
          ...new Set([...progress.configs, ...pages.map(({ language }) => configFor(language))]),
        ].sort(),
        indexedAt: new Date().toISOString(),
      },
      rest: next === null ? (checks ? 'over' : 'more') : more ? 'more' : restMs,
    };
  };

  return keptJobs(pool, indexRows, () => ({
    step,
    tell: ({ progress: { looked } }) => ({ view: { looked }, words: `${counted(looked, 'page')} looked at` }),
    mayFail: () => false,
  }));
}

/** @property page null: there is nothing to be found, and what was found there is found no more */
interface Look {
  readonly key: string;
  readonly page: IndexedPage | null;
  /** The page has a text, but its body is gone. */
  readonly isLost: boolean;
}

/** While the crawl goes on, a page may cease to have the text of another without being read anew: it must be there then. */
const mayBeOne = (page: PageView): boolean => wasRead(page) && page.duplicateBy !== 'body';

function linkOf(url: string): CanonicalUrl {
  const link = canonicalize(url);
  if (!link.ok) throw new Error(`${url} is in the frontier and cannot be crawled`);
  return link.value;
}

/** Hex. */
const keyOf = (url: string): string => urlKey(linkOf(url).canonical).toString('hex');

function lookAt(page: PageView): Look {
  const { url, text = null } = page;
  const key = keyOf(url);
  if (!mayBeOne(page) || text === null) return { key, page: null, isLost: mayBeOne(page) };
  const written = (part: string | null, most: number): string | null =>
    part === null ? null : withBreaks(upTo(part, most));
  return {
    key,
    page: {
      key,
      url,
      origin: linkOf(url).host,
      language: page.language,
      status: page.status,
      title: written(page.title, searchLimits.title),
      description: written(page.description, searchLimits.description),
      text: written(text, searchLimits.searched) ?? '',
      mediaType: mediaTypeOf(page.contentType),
      fetchedAt: page.fetchedAt,
      digest: digestOf(page),
    },
    isLost: false,
  };
}

/**
 * Of all that decides what is found of a page, so that whatever changes the reading in force of its body, with a new
 * answer or without one, changes the digest. The words stand for the text, which only its body tells.
 */
function digestOf(page: PageView): string {
  const { status, contentType, fetchedAt, contentHash, title, description, language, words } = page;
  const all = [status, contentType, fetchedAt, contentHash, title, description, language, words];
  return hash('sha256', JSON.stringify(all), 'hex').slice(0, 32);
}

/** As domain/media-filter.ts reads it: the first if the field has several, without parameters. */
const mediaTypeOf = (field: string | null): string | null =>
  /^\s*([^\s;,/]{1,100}\/[^\s;,/]{1,100})/.exec(field ?? '')?.[1]?.toLowerCase() ?? null;
