/**
 * Jobs over the death of their worker: each kind is killed twice in its middle, all by the same two kills, and makes what a
 * job makes that nobody disturbs. (Webhooks, whose receivers see each try: test/integration/webhooks/killed.test.ts.)
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { startMissing } from '../../activities/open-workflows.ts';
import type { JobKind } from '../../contracts/jobs.ts';
import { storeEdit } from '../../storage/edits/index.ts';
import { addExport } from '../../storage/exports/index.ts';
import { startReextraction } from '../../storage/reextraction/index.ts';
import { askIndex, restartIndex } from '../../storage/search/index.ts';
import { storeCrawl, type Stored } from '../integration/api/exported.ts';
import { newCrawl } from '../integration/api/world.ts';
import { withDesk } from '../support/crawling.ts';
import {
  addHost,
  addUrls,
  setState,
  standStill,
  tables,
  urlStates,
  type Growing,
} from '../support/database/index.ts';
import { until } from '../support/until.ts';
import { makeBlobDir, startWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';

const folder = makeBlobDir();
const pages = 2_100;
const world = withWorld();
const desk = withDesk(world);
let stored: Stored;
/** One below the other, as jobs walk over them. */
const hosts: number[] = [];

interface Kind {
  readonly kind: JobKind;
  /** Puts another job on record. Answers its id. */
  readonly begin: () => Promise<string>;
  /** What grows in the rows that stand still, and the values at which they do, one for each kill. */
  readonly growing: Growing;
  readonly stops: () => readonly [number, number];
  /** How far it is, to be compared with the values at which it stands still. */
  readonly reached: (id: string) => Promise<number>;
  readonly over: (id: string) => Promise<boolean>;
  readonly made: (id: string) => Promise<unknown>;
}

const job = (kind: JobKind, id: string) => tables.job.row(desk.pool, { kind, id });

const filesOf: Kind = {
  kind: 'export',
  growing: { kind: 'export', noted: 'pages' },
  stops: () => [1, 1_100],
  begin: async () => {
    const choice = { fields: ['text'], filter: {} } as const;
    const [added] = await addExport(desk.pool, stored.id, { format: 'jsonl', choice, target: 'folder' }, 5);
    return added?.id ?? '';
  },
  reached: async (id) => Number((await job('export', id)).progress['pages']),
  over: async (id) => (await job('export', id)).state === 'finished',
  // No byte is lost, and none comes twice.
  made: async (id) => {
    const { detail, progress } = await job('export', id);
    const here = path.join(folder, 'blobs', 'exports', String(detail['folder']), String(progress['draft']));
    const text = readFileSync(path.join(here, `crawl-${stored.id}-export-${id}.jsonl`), 'utf8');
    expect(text.trimEnd().split('\n')).toHaveLength(pages + 4);
    return text;
  },
};

const rereadings: Kind = {
  kind: 'reextraction',
  growing: { kind: 'reextraction', noted: 'pages' },
  stops: () => [1, 1_100],
  begin: async () => {
    const id = await startReextraction(desk.pool, stored.id);
    if (typeof id !== 'string') throw new Error(id.refused);
    return id;
  },
  reached: async (id) => Number((await job('reextraction', id)).progress['pages']),
  over: async (id) => (await job('reextraction', id)).state === 'finished',
  // Each page is read once, and counted once.
  made: async (id) => {
    const { progress } = await job('reextraction', id);
    expect(progress['pages']).toBe(pages);
    const rows = await tables.reading.count(desk.pool, { job_id: Number(id) });
    return { tally: progress['tally'], rows };
  },
};

let isIndexed = false;
const indexes: Kind = {
  kind: 'search',
  growing: { kind: 'search', noted: 'looked' },
  stops: () => [1, 1_100],
  begin: async () => {
    await (isIndexed ? restartIndex : askIndex)(desk.pool, stored.id);
    isIndexed = true;
    return stored.id;
  },
  reached: async (id) => Number((await job('search', id)).progress['looked']),
  over: async (id) => (await job('search', id)).state === 'finished',
  made: async (id) => ({
    looked: (await job('search', id)).progress['looked'],
    rows: await tables.searchPage.count(desk.pool, { crawl_id: id }),
  }),
};

/** A paused crawl with so many URLs at each of the hosts. */
async function pausedCrawl(urls: number, columns: object): Promise<string> {
  const id = await newCrawl(desk.pool, { scope: 'any' });
  await setState(desk.pool, id, 'paused');
  for (const [at, host_id] of hosts.entries()) {
    const url = (n: number): string =>
      `https://www.${String(at)}.example/${n % 3 === 0 ? 'odd' : 'even'}/${String(n)}`;
    const rows = Array.from({ length: urls }, (_, n) => ({ host_id, url: url(n), ...columns }));
    await addUrls(desk.pool, id, rows);
  }
  return id;
}

const edits: Kind = {
  kind: 'edit',
  growing: { table: 'crawl_config', column: 'judged' },
  stops: () => [1_000, 2_000],
  begin: async () => {
    const id = await pausedCrawl(1_000, {});
    await storeEdit(desk.pool, id, {
      change: (config) => ({ ...config, exclude: ['*/odd/*'] }),
      ...{ seen: null, author: 'a test', note: null, restores: null, mayEnd: false },
    });
    return id;
  },
  reached: async (id) => (await tables.config.row(desk.pool, { crawl_id: id, version: 2 })).judged,
  over: async (id) => (await tables.config.row(desk.pool, { crawl_id: id, version: 2 })).state === 'applied',
  made: async (id) => {
    const { judged, excluded } = await tables.config.row(desk.pool, { crawl_id: id, version: 2 });
    expect([judged, excluded]).toEqual([3_000, 1_002]);
    return urlStates(desk.pool, { crawl_id: id });
  },
};

const redrives: Kind = {
  kind: 'redrive',
  growing: { table: 'dead_letter', column: 'host_id' },
  stops: () => [hosts[1] ?? 0, hosts[2] ?? 0],
  begin: async () => {
    const id = await pausedCrawl(1_100, { state: 'dead', reason: 'client-error' });
    const urls = await tables.url.rows(desk.pool, { crawl_id: id });
    await tables.letter.addAll(
      desk.pool,
      urls.map(({ host_id, key }) => ({
        ...{ host_id, key, crawl_id: Number(id), class: 'client-error', message: '', attempts: 1 },
      })),
    );
    return id;
  },
  // The host at which the letters are that are left.
  reached: async (id) => {
    const left = await tables.letter.count(desk.pool, { crawl_id: id });
    return hosts[Math.floor((3_300 - left + 900) / 1_100)] ?? 0;
  },
  over: async (id) => (await tables.letter.count(desk.pool, { crawl_id: id })) === 0,
  made: (id) => urlStates(desk.pool, { crawl_id: id }),
};

/** So many at a time that those which stand still leave the worker connections for the others. */
const groups = [
  [filesOf, rereadings, indexes],
  [edits, redrives],
];

beforeAll(async () => {
  stored = await storeCrawl(desk.pool, folder, pages);
  for (const at of [0, 1, 2]) hosts.push(await addHost(desk.pool, `https://www.${String(at)}.example`));
});

const start = async ({ kind, begin }: Kind): Promise<string> => {
  const id = await begin();
  await startMissing.job(desk.client.workflow, kind, id);
  return id;
};
const allOver = async (kinds: readonly Kind[], ids: readonly string[]): Promise<void> => {
  for (const [at, { kind, over }] of kinds.entries())
    await until(`${kind} is over`, () => over(ids[at] ?? ''));
};

// A killed worker is noticed after eight seconds.
it.each(groups.map((kinds) => [kinds.map(({ kind }) => kind).join(', '), kinds] as const))(
  'kill -9 of the worker in the middle of each: they make what they make undisturbed: %s',
  { tags: ['long'] },
  async (_, kinds) => {
    const settings = { blobDir: path.join(folder, 'blobs') };
    const broken: string[] = [];
    for (const each of kinds) broken.push(await start(each));
    for (const stop of [0, 1] as const) {
      const middles = await Promise.all(
        kinds.map(({ growing, stops }) => standStill(desk.pool, growing, stops()[stop])),
      );
      const killed = await startWorker(world, settings);
      for (const [at, { kind, reached, stops }] of kinds.entries())
        await until(
          `${kind} is in its middle`,
          async () => (await reached(broken[at] ?? '')) >= stops()[stop],
        );
      await killed.kill();
      for (const [at, { kind, over }] of kinds.entries())
        expect(await over(broken[at] ?? ''), kind).toBe(false);
      for (const { goOn } of middles) await goOn();
    }
    const worker = await startWorker(world, settings);
    await allOver(kinds, broken);
    const made = await Promise.all(kinds.map((each, at) => each.made(broken[at] ?? '')));
    const whole: string[] = [];
    for (const each of kinds) whole.push(await start(each));
    await allOver(kinds, whole);
    for (const [at, each] of kinds.entries())
      expect(made[at], each.kind).toEqual(await each.made(whole[at] ?? ''));
    expect(await worker.drain()).toBe(0);
  },
);
