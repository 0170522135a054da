/**
 * Puts the pages of a crawl into the index for searches, in the order of the pages feed, from where it was left. Texts
 * are read from the stored bodies, so that crawls without a search pay nothing for it.
 *
 * What a page is may change without an answer, and then the feed does not bring it again: which of several copies stands
 * for them is chosen when the crawl ends, and a page that has been read may be held as soft 404. So the feed of a crawl
 * that is over is gone through once more, without texts, and compared with the index.
 */
import type { Stint } from '../../contracts/jobs.ts';
import { withBreaks } from '../../content/word-breaks.ts';
import type { PageView } from '../../contracts/http/results.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { counted } from '../../domain/counted.ts';
import { searchLimits, upTo } from '../../domain/search/page.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import { done, more as going, type Job } from '../jobs/job.ts';
import { isOriginal, wasRead } from '../own-text.ts';
import { repeatedReader } from '../../storage/boilerplate/index.ts';
import { findRules } from '../../storage/crawls/index.ts';
import { readPages, type TextReader } from '../../storage/pages/index.ts';
import { retrying, type Pool } from '../../storage/postgres/index.ts';
import {
  configFor,
  findIndex,
  moveIndex,
  noteIndexed,
  type Batch,
  type IndexedPage,
  type SearchIndex,
} from '../../storage/search/index.ts';

/** Pages that are put together: some 100 ms of Postgres. */
const batch = 100;
/** Milliseconds between two looks for new pages of a crawl that runs. */
const restMs = 15_000;

const stintOf = (looked: number): Stint => going({ looked }, `${counted(looked, 'page')} looked at`);

type Round = Pick<Batch, 'crawlId' | 'round' | 'looked'>;

interface Indexed {
  /** Text search configurations of the pages that were put. */
  readonly configs: readonly string[];
  /** Pages whose body is gone. */
  readonly lost: number;
}

export function searchJobs(pool: Pool, index: SearchIndex, textOf: TextReader): Job {
  const put = async (round: Round, looks: readonly Look[]): Promise<Indexed> => {
    const pages = looks.flatMap(({ page }) => page ?? []);
    const gone = looks.flatMap(({ page, key }) => (page === null ? [key] : []));
    await index.put({ ...round, pages, gone });
    const configs = [...new Set(pages.map(({ language }) => configFor(language)))];
    return { configs, lost: looks.filter(({ isLost }) => isLost).length };
  };

  /** Pages without their texts; the texts of those that the index lacks, which are few, are read one by one. */
  const compare = async (round: Round, items: readonly PageView[]): Promise<Indexed> => {
    const pages = items.map((item) => ({ item, key: keyOf(item.url), fetchedAt: item.fetchedAt }));
    const had = await index.has(round.crawlId, pages);
    const rules = await findRules(pool, round.crawlId);
    const gone = pages.flatMap(({ item, key }) => (isOriginal(item) ? [] : [key]));
    await index.put({ ...round, pages: [], gone });
    const configs = new Set<string>();
    const repeatedIn = repeatedReader(pool, round.crawlId);
    for (const { item, key } of pages) {
      if (had.has(key) || !isOriginal(item) || item.contentHash === null) continue;
      const repeated = await repeatedIn(item.url);
      const body = await textOf(item.contentHash, item.contentType, item.url, rules, repeated);
      // It is noted as lost already.
      if (body === null) continue;
      for (const each of (await put(round, [lookAt({ ...item, text: body.text })])).configs)
        configs.add(each);
    }
    return { configs: [...configs], lost: 0 };
  };

  const work: Job['work'] = async ({ id: crawlId, goOn }) => {
    for (;;) {
      const [row] = await retrying(() => findIndex(pool, crawlId));
      if (row === undefined || row.state === 'dropped') return done('It has no index any more.');
      if (row.store !== index.name) {
        if (row.store !== null) await index.drop(crawlId);
        await retrying(() => moveIndex(pool, crawlId, row.round, index.name));
        continue;
      }
      const isCheck = row.state === 'checking';
      const fields = isCheck ? [] : (['text'] as const);
      const answer = await retrying(() =>
        readPages(pool, crawlId, { cursor: row.place, limit: batch, fields }, textOf),
      );
      // The crawl has been removed meanwhile.
      if (answer === 'unknown-crawl') return done('It is removed.');
      if (answer === 'bad-cursor') throw new Error(`${String(row.place)} is no place in the pages feed`);
      const { items, next, more } = answer;
      const round = { crawlId, round: row.round, looked: row.looked };
      const { configs, lost } = isCheck ? await compare(round, items) : await put(round, items.map(lookAt));
      const isEnd = next === null;
      const isOver = isEnd && isCheck;
      if (isEnd || !more) await index.settle();
      const state = stateAfter(isCheck, isEnd, more);
      const place = isEnd && !isCheck ? null : (next ?? row.place);
      const added = isCheck ? 0 : items.length;
      await retrying(() => noteIndexed(pool, crawlId, row.round, place, added, lost, configs, state));
      if (isOver || !goOn() || (!isEnd && !more))
        return { ...stintOf(row.looked + added), over: isOver, waitMs: isEnd || more ? 0 : restMs };
    }
  };
  return { work };
}

/** A crawl that runs again while it is compared has pages to be indexed. */
function stateAfter(isCheck: boolean, isEnd: boolean, more: boolean): 'building' | 'checking' | 'ready' {
  if (isEnd) return isCheck ? 'ready' : 'checking';
  return isCheck && more ? 'checking' : 'building';
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
    },
    isLost: false,
  };
}

/** As domain/media-filter.ts reads it: the first if the field has several, without parameters. */
const mediaTypeOf = (field: string | null): string | null =>
  /^\s*([^\s;,/]{1,100}\/[^\s;,/]{1,100})/.exec(field ?? '')?.[1]?.toLowerCase() ?? null;
