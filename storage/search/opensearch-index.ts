/**
 * The index in OpenSearch, for more pages than Postgres searches well (docs/content.md). Postgres still says which crawls
 * are indexed and how far. Batches carry their round as the version of each document, so that OpenSearch itself refuses
 * what comes too late.
 */
import { Client, errors } from '@opensearch-project/opensearch';
import { retrying, type Pool } from '../postgres/index.ts';
import { indexRows } from './indexes.sql.ts';
import {
  digestField,
  documentId,
  documentOf,
  indexBody,
  type Shown,
  type StoredState,
} from './opensearch-mapping.ts';
import { hitOf, searchBody } from './opensearch-query.ts';
import { PostgresIndex } from './postgres-index.ts';
import type { Batch, IndexedState, SearchAnswer, SearchIndex, SearchRequest } from './search-index.ts';
import { SearchDown } from './search-down.ts';

export interface OpenSearchAt {
  /** May hold a name and a password; must never be logged. */
  readonly url: string;
  /** Name of the index. */
  readonly index: string;
}

/** Milliseconds for a call; a batch of a hundred pages of 100,000 characters takes seconds on a slow disk. */
const callMs = 30_000;

/** OpenSearch refuses what has an older version than what it has, or had within the last hour. */
const versions = 'external_gte';

export class OpenSearchIndex implements SearchIndex {
  readonly name: string;
  readonly #pool: Pool;
  readonly #client: Client;
  readonly #index: string;
  #isThere: Promise<void> | null = null;

  /** @param patience milliseconds for a call */
  constructor(pool: Pool, { url, index }: OpenSearchAt, patience: number = callMs) {
    this.name = `opensearch:${index}`;
    this.#pool = pool;
    this.#index = index;
    this.#client = new Client({ node: url, requestTimeout: patience, maxRetries: 2 });
  }

  async put({ crawlId, round, pages, gone }: Batch): Promise<void> {
    if (pages.length + gone.length === 0 || !(await this.#isHeld(crawlId, round))) return;
    const of = (key: string) => ({
      _index: this.#index,
      _id: documentId(crawlId, key),
      ...({ version: round, version_type: versions } as const),
    });
    const operations = [
      ...gone.map((key) => ({ delete: of(key) })),
      ...pages.flatMap((page) => [{ index: of(page.key) }, documentOf(crawlId, page)]),
    ];
    const { body } = await this.#call((client) => client.bulk({ body: operations }));
    for (const item of body.items) {
      const { error, status, _id: id } = item.index ?? item.delete ?? { status: 0, _id: '' };
      // 409: it has a later round of the page.
      if (error === undefined || status === 409) continue;
      const why = `OpenSearch refused the page ${String(id)}: ${error.type}: ${String(error.reason)}`;
      throw status === 429 || status >= 500 ? new SearchDown(why) : new Error(why);
    }
    // The crawl may have been removed meanwhile, and its pages with it.
    if (pages.length > 0 && !(await this.#isKept(crawlId))) await this.drop(crawlId);
  }

  async has(crawlId: string, pages: readonly IndexedState[]): Promise<ReadonlySet<string>> {
    if (pages.length === 0) return new Set();
    const ids = pages.map(({ key }) => documentId(crawlId, key));
    const { body } = await this.#call((client) =>
      client.mget({ index: this.#index, _source_includes: ['fetchedAt', 'digest'], body: { ids } }),
    );
    const had = new Map(
      body.docs.flatMap((doc) =>
        '_source' in doc && doc._source !== undefined ? [[doc._id, doc._source as StoredState]] : [],
      ),
    );
    return new Set(
      pages.flatMap(({ key, fetchedAt, digest }) => {
        const stored = had.get(documentId(crawlId, key));
        return stored?.fetchedAt === fetchedAt && (stored.digest ?? digest) === digest ? [key] : [];
      }),
    );
  }

  async settle(): Promise<void> {
    await this.#call((client) => client.indices.refresh({ index: this.#index }));
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    const { body } = await this.#call((client) =>
      client.search({ index: this.#index, search_type: 'dfs_query_then_fetch', body: searchBody(request) }),
    );
    const { hits, timed_out: isLate, _shards: shards } = body;
    if (shards.failed > 0)
      throw new SearchDown(`${String(shards.failed)} shards of OpenSearch did not answer`);
    const total = typeof hits.total === 'object' ? hits.total : { value: hits.total ?? 0, relation: 'eq' };
    return {
      hits: hits.hits.flatMap(({ _source: source, _score: score, highlight }) =>
        source === undefined ? [] : [hitOf(source as unknown as Shown, score, highlight)],
      ),
      found: total.value,
      isComplete: total.relation === 'eq' && !isLate,
    };
  }

  /** Also what Postgres has of it, from before there was OpenSearch. */
  async drop(crawlId: string): Promise<void> {
    await new PostgresIndex(this.#pool).drop(crawlId);
    await this.settle();
    const { body } = await this.#call((client) =>
      client.deleteByQuery({
        index: this.#index,
        conflicts: 'proceed',
        refresh: true,
        wait_for_completion: true,
        body: { query: { term: { crawl: { value: crawlId } } }, max_docs: droppedAtOnce },
      }),
    );
    if ('deleted' in body && body.deleted + body.version_conflicts > 0) await this.drop(crawlId);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #isHeld(crawlId: string, round: number): Promise<boolean> {
    const [row] = await retrying(() => indexRows.find(this.#pool, crawlId, crawlId));
    return row !== undefined && row.state !== 'cancelled' && row.progress.round === round;
  }

  async #isKept(crawlId: string): Promise<boolean> {
    const [row] = await retrying(() => indexRows.find(this.#pool, crawlId, crawlId));
    return row !== undefined && row.state !== 'cancelled';
  }

  async #call<T>(call: (client: Client) => Promise<T>): Promise<T> {
    try {
      this.#isThere ??= this.#create();
      await this.#isThere;
      return await call(this.#client);
    } catch (error) {
      this.#isThere = null;
      throw downOr(error);
    }
  }

  async #create(): Promise<void> {
    const { body } = await this.#client.indices.exists({ index: this.#index });
    if (body) {
      // It may be from before there were digests.
      await this.#client.indices.putMapping({ index: this.#index, body: { properties: digestField } });
      return;
    }
    try {
      await this.#client.indices.create({ index: this.#index, body: indexBody });
    } catch (error) {
      if (!(error instanceof errors.ResponseError && error.message.includes('resource_already_exists')))
        throw error;
    }
  }
}

/** Pages taken out in one call. */
const droppedAtOnce = 2_000;

/** What is not the fault of the request is an outage. */
function downOr(error: unknown): unknown {
  if (error instanceof errors.ResponseError) {
    const status = error.statusCode;
    const isOurs = [401, 403, 429].includes(status) || status >= 500;
    const why = `OpenSearch answers ${String(status)}: ${error.message}`;
    // The client's own errors hold what was sent, and to whom: they must not reach a log.
    return isOurs ? new SearchDown(why) : new Error(why);
  }
  return error instanceof errors.OpenSearchClientError
    ? new SearchDown(`OpenSearch does not answer: ${error.message}`)
    : error;
}
