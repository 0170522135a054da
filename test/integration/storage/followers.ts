/**
 * Those who follow the pages of a crawl, as workers have them do it: the index for searches, exports, and the changes
 * between answers. Each can be killed at any statement, and is taken up by the next who works at it.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { VersionChange } from '../../../contracts/http/changes.ts';
import type { PageView } from '../../../contracts/http/results.ts';
import { readQuery } from '../../../domain/search/query.ts';
import { followCrawl } from '../../../engine/changes/follow.ts';
import type { ReadAnswer } from '../../../engine/changes/read-version.ts';
import { exportJobs, fileName } from '../../../engine/exports/job.ts';
import type { Job } from '../../../engine/jobs/job.ts';
import { searchJobs } from '../../../engine/search/indexing.ts';
import { changesPlace } from '../../../storage/changes/index.ts';
import { readEvents } from '../../../storage/events/index.ts';
import { addExport, ExportFiles, exportRows } from '../../../storage/exports/index.ts';
import type { TextReader } from '../../../storage/pages/index.ts';
import type { Pool } from '../../../storage/postgres/index.ts';
import { askIndex, indexedCrawls, PostgresIndex } from '../../../storage/search/index.ts';
import { longAgo, tables } from '../../support/database/index.ts';
import { callOf } from '../../support/stints.ts';

/** A process with the pool that is killed at a statement: all its statements from then on are lost. */
export function dying(pool: Pool, statements: number): Pool {
  let left = statements;
  const dies = <Asked extends object>(asked: Asked): Asked =>
    new Proxy(asked, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        const call = value.bind(target) as (...args: readonly unknown[]) => unknown;
        if (name === 'connect') return async () => dies((await call()) as object);
        if (name !== 'query') return call;
        return (...args: readonly unknown[]) => {
          if (left-- <= 0) throw new Error('killed');
          return call(...args);
        };
      },
    });
  return dies(pool);
}

const unlessKilled = async (work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof Error && error.message === 'killed')) throw error;
  });
};

/** @param nameOf the name of a body by its hash, which is its title, its text, and all that is read of it */
export class Followers {
  readonly #pool: Pool;
  readonly #crawl: string;
  readonly #textOf: TextReader;
  readonly #read: ReadAnswer;
  readonly #files: ExportFiles;

  constructor(pool: Pool, crawl: number, folder: string, nameOf: (hash: string) => string) {
    [this.#pool, this.#crawl, this.#files] = [pool, String(crawl), new ExportFiles(folder, null)];
    this.#textOf = (hash) => {
      const text = `text ${nameOf(hash)}`;
      return Promise.resolve({
        text,
        main: text,
        repeated: null,
        anchors: [],
        images: [],
      });
    };
    this.#read = (_, { status, redirect_to: redirectTo, content_hash: bodyHash }) => {
      const name = bodyHash === null ? '' : nameOf(bodyHash);
      const said = {
        title: name,
        description: null,
        language: 'en',
        canonical: null,
        noindex: false,
        nofollow: false,
      };
      const read = bodyHash === null ? null : { ...said, meta: {}, main: name, fields: {} };
      return Promise.resolve({ status, redirectTo, bodyHash, read });
    };
  }

  /** @param statements after which the process is killed; absent: it lives */
  async index(statements = Infinity): Promise<void> {
    await askIndex(this.#pool, this.#crawl);
    const pool = dying(this.#pool, statements);
    await this.#work(searchJobs(pool, new PostgresIndex(pool), this.#textOf), this.#crawl);
  }

  /** @param latest the instant of the latest answer in microseconds, so that an answer to come may be of any later instant */
  async followChanges(latest: number, statements = Infinity): Promise<void> {
    const pool = dying(this.#pool, statements);
    await unlessKilled(followCrawl(pool, this.#read, this.#crawl, () => true));
    // The claim of a process that was killed ends.
    const row = { crawl_id: this.#crawl };
    await tables.crawlChanges.changeAny(this.#pool, row, { claimed_until: longAgo });
    if ((await this.comparedTo()) > latest)
      await tables.crawlChanges.change(this.#pool, row, {
        at_micros: latest,
        at_host: 2 ** 53,
        at_key: Buffer.alloc(0),
      });
  }

  /** Up to which instant answers were compared, in microseconds. */
  async comparedTo(): Promise<number> {
    return (await changesPlace(this.#pool, this.#crawl))[0]?.micros ?? 0;
  }

  /** The lines of an export whose process is killed again and again. */
  async exported(): Promise<PageView[]> {
    const asked = {
      format: 'jsonl',
      choice: { fields: [], filter: {} },
      target: 'folder',
    } as const;
    const [{ id } = { id: '' }] = await addExport(this.#pool, this.#crawl, asked, 1);
    for (let statements = 1; ; statements++) {
      const tools = {
        textOf: this.#textOf,
        software: 'test',
        files: this.#files,
        mostBytes: 2 ** 30,
      };
      const archive = { answer: none, ownAnswer: none, get: none };
      await this.#work(exportJobs({ ...tools, archive, pool: dying(this.#pool, statements) }), id);
      const [row] = await exportRows.find(this.#pool, this.#crawl, id);
      if (row?.state !== 'finished') continue;
      const file = path.join(this.#files.draftOf(row, row.progress.draft ?? ''), fileName(row));
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as PageView);
    }
  }

  /** What a search finds of the crawl: the URLs with what they are called, in their order. */
  async found(): Promise<(readonly [url: string, title: string | null])[]> {
    const [crawl] = await indexedCrawls(this.#pool, 1, [this.#crawl], 1);
    const { id, looked, configs } = crawl ?? { id: '', looked: 0, configs: [] };
    const asked = {
      crawls: [{ id, looked }],
      configs,
      terms: readQuery('text'),
      filter: {},
      limit: 50,
      offset: 0,
    };
    const { hits } = await new PostgresIndex(this.#pool).search(asked);
    return hits.map(({ url, title }) => [url, title] as const).sort();
  }

  async changes(): Promise<VersionChange[]> {
    const events = await readEvents(this.#pool, this.#crawl, '0', 10_000, ['page.changed']);
    return events.map(({ data }) => data as VersionChange);
  }

  async #work(job: Job, id: string): Promise<void> {
    const workOn = async (): Promise<void> => {
      for (;;) {
        const { over, waitMs } = await job.work(callOf(id));
        if (over || waitMs > 0) return;
      }
    };
    await unlessKilled(workOn());
  }
}

const none = (): Promise<null> => Promise.resolve(null);
