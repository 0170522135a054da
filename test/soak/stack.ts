/** The whole product for a soak: services, workers and the API, on ports of their own, in a folder that goes with it. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLocalKey } from '../../cli/api/local-key.ts';
import { prepareDatabase } from '../../cli/stack/prepare-database.ts';
import { loadConfig } from '../../config/config.ts';
import { entryScript } from '../../config/package.ts';
import { crawlView, createdCrawl, type CrawlView } from '../../contracts/http/crawls.ts';
import { startStack } from '../../stack/embedded.ts';
import { createPool, type Pool } from '../../storage/postgres/index.ts';

export interface SoakStack {
  readonly folder: string;
  readonly pool: Pool;
  /** GET, or POST where there is a body. @throws where the answer is no success */
  ask(where: string, body?: object): Promise<unknown>;
  start(seeds: readonly string[], settings: object): Promise<string>;
  view(crawlId: string): Promise<CrawlView>;
  /** Resolves when the crawl is over. @param look called twice a second until then */
  ended(crawlId: string, look?: (view: CrawlView) => void): Promise<CrawlView>;
  close(): Promise<void>;
}

const lookMs = 500;

/** @param script of the workers; null: the project's own */
export async function openSoakStack(
  settings: Readonly<Record<string, string>>,
  workers: readonly string[],
  script: string | null,
  prepare: (folder: string) => void = () => undefined,
): Promise<SoakStack> {
  const folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-soak-'));
  // Postgres runs as a user of its own when we are root, and has to pass through.
  chmodSync(folder, 0o711);
  prepare(folder);
  const own = loadConfig();
  const config = loadConfig({
    ORBWEAVER_DATA: folder,
    ORBWEAVER_CACHE: own.cacheDir,
    ...(own.temporalCli === null ? {} : { ORBWEAVER_TEMPORAL_CLI: own.temporalCli }),
    ORBWEAVER_ALLOW_PRIVATE: '127.0.0.0/8',
    ...settings,
  });
  const stack = await startStack({
    config,
    owner: 'up',
    ports: 'any',
    workers: workers.map((name) => ({ name, roles: config.roles })),
    migrate: async (databaseUrl) => {
      await prepareDatabase(databaseUrl, config);
    },
    ...(script === null ? {} : { scripts: { worker: script, api: entryScript('api/main') } }),
  });
  const pool = createPool(stack.postgresUrl, 3, () => undefined);
  const ask = async (where: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${stack.apiUrl ?? ''}${where}`, {
      headers: { authorization: `Bearer ${readLocalKey(folder) ?? ''}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${where}: ${String(response.status)} ${await response.text()}`);
    return response.json();
  };
  const view = async (id: string): Promise<CrawlView> => crawlView.parse(await ask(`/v1/crawls/${id}`));
  return {
    ...{ folder, pool, ask, view },
    start: async (seeds, crawl) => createdCrawl.parse(await ask('/v1/crawls', { seeds, ...crawl })).id,
    async ended(id, look) {
      for (;;) {
        const now = await view(id);
        look?.(now);
        if (now.endedAt !== null) return now;
        await sleep(lookMs);
      }
    },
    async close() {
      await pool.end();
      await stack.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
