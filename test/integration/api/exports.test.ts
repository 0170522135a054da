/**
 * Exports as jobs: whole in every format, wherever a process dies; by the API, and by the verbs.
 * @module-tag long
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { exportFormats, type ExportFormat, type ExportView } from '../../../contracts/http/exports.ts';
import { storedKinds } from '../../../domain/url-kind.ts';
import { makeExport } from '../../support/stints.ts';
import { clearExports } from '../../../engine/exports/upkeep.ts';
import { exportRows, ExportFiles } from '../../../storage/exports/index.ts';
import { runCli } from '../../cli/run-cli.ts';
import { allMembers } from '../../support/all-members.ts';
import { addUrl, tables } from '../../support/database/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { dyingAt, filesIn, Killed, told, toolsFor, withStored } from './exported.ts';
import { withServices, withServed } from './world.ts';
import { ownFolder } from '../../support/given.ts';

const pages = 230;
const { pool } = withServices();
const folder = ownFolder();
const crawl = withStored(pool, folder, pages);
const tools = toolsFor(pool, crawl.archive, folder);
const api = withServed(pool, { archive: crawl.archive, exports: { files: tools.files, days: 7 } });
let path0: string;
beforeAll(() => {
  path0 = `/v1/crawls/${crawl.id}/exports`;
});
beforeEach(() => tables.job.remove(pool));
const rowOf = async (id: string) => {
  const [row] = await exportRows.find(pool, crawl.id, id);
  if (row === undefined) throw new Error(`there is no export ${id}`);
  return row;
};

const never = new AbortController().signal;
const start = async (format: ExportFormat, more: object = {}): Promise<string> =>
  (await ask<ExportView>(api.url, api.key, 'POST', path0, { format, ...more })).body.id;
const view = async (id: string): Promise<ExportView> =>
  (await ask<ExportView>(api.url, api.key, 'GET', `${path0}/${id}`)).body;
const file = async (id: string): Promise<Buffer> => {
  const answer = await fetch(`${api.url}${path0}/${id}/file`);
  expect(
    answer.status,
    await answer
      .clone()
      .text()
      .then((text) => text.slice(0, 200)),
  ).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
};

/** Kills the job at every few statements until it has ended. Answers how many died. */
async function madeByMany(id: string, every: number): Promise<number> {
  for (let deaths = 0; ; deaths++) {
    try {
      const dying = { ...tools, pool: dyingAt(pool, every + (deaths % 9)) };
      await makeExport(dying, id, () => true, never);
      return deaths;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
}

describe.each(exportFormats.filter((format) => format !== 'wacz' && format !== 'parquet'))(
  'as %s',
  (format) => {
    it('has the same bytes, however often the process dies', async () => {
      const whole = await start(format);
      expect(await makeExport(tools, whole, () => true, never)).toBeNull();
      const broken = await start(format);
      expect(await madeByMany(broken, 3)).toBeGreaterThan(1);
      const [one, other] = [await file(whole), await file(broken)];
      expect(told(format, other)).toBe(told(format, one));
      expect(await view(broken)).toMatchObject({ state: 'finished', pages: pages + 4, bytes: other.length });
      // Nothing is left of the drafts of those who died.
      const { detail, progress } = await rowOf(broken);
      const here = path.join(folder, 'exports', detail.folder);
      expect(readdirSync(here)).toEqual([progress.draft]);
      expect(readdirSync(path.join(here, progress.draft ?? ''))).toEqual([(await view(broken)).file]);
    });
  },
);

it('an archive has files that pages need, and counts pages alone', async () => {
  const url = 'https://www.a.example/app.js';
  const answered = { state: 'done', status: 204, fetched_at: new Date(), kind: storedKinds.requisite };
  await addUrl(pool, crawl.id, url, answered);
  onTestFinished(() => tables.url.remove(pool, { url }));
  const id = await start('warc');
  await makeExport(tools, id, () => true, never);
  expect(await view(id)).toMatchObject({ state: 'finished', pages: pages + 4 });
});

it('JSON lines are those that the pages feed has', async () => {
  const id = await start('jsonl', { fields: ['links'], status: '2xx' });
  await makeExport(tools, id, () => true, never);
  const streamed = await fetch(`${api.url}/v1/crawls/${crawl.id}/export?fields=links&status=2xx`);
  expect((await file(id)).toString()).toBe(await streamed.text());
});

it('the graph of links has an edge for each link, redirect and copy', async () => {
  const id = await start('links');
  await makeExport(tools, id, () => true, never);
  const lines = (await file(id)).toString().trim().split('\r\n');
  expect(lines).toHaveLength(1 + pages + 3);
  expect(lines.slice(0, 3)).toEqual([
    'source,target,kind',
    ...['https://www.a.example/p/0?b=2&a=1,https://www.a.example/p/1,link'],
    'https://www.a.example/moved,https://www.a.example/p/0,redirect',
  ]);
  expect(lines.slice(-2)).toEqual(
    ['copy', 'again'].map(
      (each) => `https://www.a.example/${each},https://www.a.example/p/0?b=2&a=1,duplicate`,
    ),
  );
});

it('Parquet is read back, after deaths too', async () => {
  const id = await start('parquet', { fields: ['links', 'text'] });
  expect(await madeByMany(id, 4)).toBeGreaterThan(1);
  const bytes = await file(id);
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
  expect(rows).toHaveLength(pages + 4);
  const found = rows.find(({ url }) => url === 'https://www.a.example/p/1') ?? {};
  expect(found).toMatchObject({ status: 200, title: 'Page 1, “ü”', links: ['https://www.a.example/p/2'] });
  expect([found['fetchedAt'], found['bytes']]).toEqual([
    new Date(Date.UTC(2026, 0, 1) + 1_000),
    BigInt(crawl.bodies.get('https://www.a.example/p/1')?.length ?? 0),
  ]);
  expect(found['text']).toContain('words and more');
});

it('Markdown has a file for each page but copies', async () => {
  const id = await start('markdown');
  await makeExport(tools, id, () => true, never);
  const files = filesIn(await file(id));
  expect(files.size).toBe(pages);
  const [name, text] =
    [...files].find(([each]) => /^www\.a\.example\/p\/7-[0-9a-f]{12}\.md$/.test(each)) ?? [];
  expect(name).toBeDefined();
  expect(text?.toString()).toMatch(
    /^---\nurl: "https:\/\/www\.a\.example\/p\/7"\ntitle: "Page 7, “ü”"\n[^]*\n# Page 7\n/,
  );
});

it('a corpus has each page but copies, with its quality, its rights and the words of links to it', async () => {
  const id = await start('corpus');
  await makeExport(tools, id, () => true, never);
  const lines = (await file(id)).toString().trim().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { url: string; anchors: object; quality: object });
  expect(rows.map(({ url }) => url)).toEqual([...crawl.bodies.keys()].sort());
  const row = (url: string) => rows.find((each) => each.url === url);
  expect(row('https://www.a.example/p/9?b=2&a=1')).toMatchObject({
    ...{ title: 'Page 9, “ü”', language: 'en', rights: {}, versions: null },
    markdown: expect.stringMatching(/^# Page 9\n/) as string,
    quality: { languageScore: 1, lines: 2, functionWords: expect.any(Number) as number },
    // Of the page before it.
    anchors: { links: 1, words: [{ text: 'next', links: 1 }] },
  });
  expect(row('https://www.a.example/p/1')).toMatchObject({ anchors: { links: 0, words: [] } });
});

it.each(['markdown', 'corpus'] as const)(
  '%s has no page that is held, or that has no words',
  async (format) => {
    const held = { crawl_id: crawl.id, url: 'https://www.a.example/p/5' };
    const { key } = await tables.url.row(pool, { ...held, url: 'https://www.a.example/p/7' });
    const silent = { crawl_id: crawl.id, key };
    await tables.url.change(pool, held, { state: 'excluded', reason: 'soft-404' });
    await tables.reading.change(pool, silent, { words: 0 });
    onTestFinished(async () => {
      await tables.url.change(pool, held, { state: 'done', reason: null });
      await tables.reading.change(pool, silent, { words: 5 });
    });
    const id = await start(format);
    await makeExport(tools, id, () => true, never);
    const text =
      format === 'corpus' ? (await file(id)).toString() : [...filesIn(await file(id)).values()].join('');
    expect(text).toContain('"https://www.a.example/p/8"');
    expect(text).not.toContain('"https://www.a.example/p/5"');
    expect(text).not.toContain('"https://www.a.example/p/7"');
  },
);

it('a WACZ is made by many that die, and plays back byte for byte', async () => {
  const id = await start('wacz');
  expect(await madeByMany(id, 4)).toBeGreaterThan(1);
  const bytes = await file(id);
  const files = filesIn(bytes);
  expect([...files.keys()].sort()).toEqual([
    ...['archive/data-00001.warc.gz', 'datapackage-digest.json', 'datapackage.json'],
    ...['indexes/index.cdx.gz', 'indexes/index.idx', 'pages/pages.jsonl'],
  ]);
  const lines = allMembers(files.get('indexes/index.cdx.gz') ?? Buffer.of(), 'gzip')
    .toString()
    .trim()
    .split('\n');
  expect(lines).toEqual([...lines].sort());
  expect(lines).toHaveLength(pages + 2);
  const played = new Map<string, Buffer>();
  for (const line of lines) {
    const { url, offset, length, mime, filename } = JSON.parse(line.slice(line.indexOf(' {'))) as Record<
      string,
      string
    >;
    const member = files
      .get(`archive/${filename ?? ''}`)
      ?.subarray(Number(offset), Number(offset) + Number(length));
    const record = allMembers(member ?? Buffer.of(), 'gzip');
    expect(record.toString('latin1')).toContain(`WARC-Target-URI: ${url ?? ''}\r\n`);
    if (mime === 'warc/revisit') continue;
    const block = record.subarray(record.indexOf('\r\n\r\n') + 4);
    played.set(url ?? '', block.subarray(block.indexOf('\r\n\r\n') + 4, -4));
  }
  expect(played).toEqual(crawl.bodies);
  const listed = (files.get('pages/pages.jsonl') ?? '').toString().trim().split('\n');
  expect(listed).toHaveLength(1 + pages + 2);
});

it('an activity that was only frozen writes nothing more that counts', async () => {
  const id = await start('jsonl');
  const frozen = { ...tools, pool: dyingAt(pool, 5) };
  await expect(makeExport(frozen, id, () => true, never)).rejects.toThrow(Killed);
  const { owner } = await tables.job.row(pool, { id });
  expect(owner).not.toBeNull();
  // It wakes up, and notes what it has.
  const next = JSON.stringify({ state: 'running', place: null, progress: { pages: 1, bytes: 1 } });
  const notes = () => exportRows.note(pool, id, owner ?? '', next, true);
  await makeExport(tools, id, () => false, never);
  expect((await view(id)).state).toBe('running');
  expect(await notes()).toEqual([]);
  await makeExport(tools, id, () => true, never);
  expect(await notes()).toEqual([]);
  expect(await view(id)).toMatchObject({ state: 'finished', pages: pages + 4 });
});

it('an activity that gives up when the job is no longer its own leaves the file of the other alone', async () => {
  const id = await start('csv');
  const files = new ExportFiles(path.join(folder, 'exports'), null);
  files.freeBytes = async () => {
    // Meanwhile another one has taken the job over and ended it.
    await makeExport(tools, id, () => true, never);
    return 1_000;
  };
  expect(await makeExport({ ...tools, files }, id, () => true, never)).toBeNull();
  const { state, bytes } = await view(id);
  expect([state, bytes]).toEqual(['finished', (await file(id)).length]);
});

it('is given up with a clear reason if the disk or the folder is full, and gives its room back', async () => {
  const onFullDisk = new ExportFiles(path.join(folder, 'full'), null);
  onFullDisk.freeBytes = () => Promise.resolve(1_000);
  const id = await start('csv');
  await makeExport({ ...tools, files: onFullDisk }, id, () => true, never);
  expect(await view(id)).toMatchObject({
    state: 'failed',
    reason: 'the disk of the folder of exports is full',
  });
  expect(readdirSync(path.join(folder, 'full'))).toEqual([]);

  const large = await start('warc');
  await makeExport({ ...tools, mostBytes: 10_000 }, large, () => true, never);
  expect(await view(large)).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('reached the size') as unknown,
  });
});

it('is tried again after a fault, and ends with one that comes again and again', async () => {
  const id = await start('jsonl', { fields: ['text'] });
  const broken = { ...tools, textOf: () => Promise.reject(new Error('nobody can read this page')) };
  await expect(makeExport(broken, id, () => true, never, 19)).rejects.toThrow('nobody can read this page');
  expect(await view(id)).toMatchObject({ state: 'running', reason: null });
  expect(await makeExport(broken, id, () => true, never, 20)).toBeNull();
  expect(await view(id)).toMatchObject({
    state: 'failed',
    reason: 'the same fault came 20 times: nobody can read this page',
  });
});

it('is cancelled, removed, and goes with its time or its crawl', async () => {
  const cancelled = await start('jsonl');
  await makeExport(tools, cancelled, () => false, never);
  expect((await ask(api.url, api.key, 'POST', `${path0}/${cancelled}/cancel`)).status).toBe(200);
  expect(await makeExport(tools, cancelled, () => true, never)).toBeNull();
  expect(await view(cancelled)).toMatchObject({ state: 'cancelled', file: null });
  expect((await ask(api.url, api.key, 'POST', `${path0}/${cancelled}/cancel`)).status).toBe(409);
  expect((await fetch(`${api.url}${path0}/${cancelled}/file`)).status).toBe(409);

  const kept = await start('csv');
  await makeExport(tools, kept, () => true, never);
  const { folder: of } = (await rowOf(kept)).detail;
  await clearExports(pool, tools.files, 7);
  expect(await view(kept)).toMatchObject({ state: 'finished' });
  await tables.job.change(pool, { id: kept }, { ended_at: new Date(Date.now() - 8 * 86_400_000) });
  await clearExports(pool, tools.files, 7);
  expect((await ask(api.url, api.key, 'GET', `${path0}/${kept}`)).status).toBe(404);
  expect(readdirSync(path.join(folder, 'exports'))).not.toContain(of);

  const removed = await start('csv');
  expect((await ask(api.url, api.key, 'DELETE', `${path0}/${removed}`)).status).toBe(409);
  await makeExport(tools, removed, () => true, never);
  expect((await ask(api.url, api.key, 'DELETE', `${path0}/${removed}`)).status).toBe(200);
  expect((await ask(api.url, api.key, 'GET', `${path0}/${removed}`)).status).toBe(404);

  const orphan = await start('csv');
  await makeExport(tools, orphan, () => true, never);
  await tables.job.change(pool, { id: orphan }, { crawl_id: 999_999 });
  await clearExports(pool, tools.files, null);
  expect(await tables.job.count(pool, { id: orphan })).toBe(0);
});

it('goes although the file of another one cannot be removed, which is told and tried again', async () => {
  const [stuck, other] = [await start('csv'), await start('csv')];
  for (const id of [stuck, other]) {
    await makeExport(tools, id, () => true, never);
    await tables.job.change(pool, { id }, { crawl_id: 999_999 });
  }
  const files = {
    bucket: tools.files.bucket,
    clear: (job: { readonly id: string }, keep: null) =>
      job.id === stuck ? Promise.reject(new Error('busy')) : tools.files.clear(job as never, keep),
  } as unknown as typeof tools.files;
  await expect(clearExports(pool, files, null)).rejects.toThrow('the files of 1 exports could not');
  expect(await tables.job.count(pool, { id: other })).toBe(0);
  await clearExports(pool, tools.files, null);
  expect(await tables.job.count(pool, { id: stuck })).toBe(0);
});

it('is refused what makes no sense, and shown to no other tenant', async () => {
  const refused = async (body: object): Promise<number> =>
    (await ask(api.url, api.key, 'POST', path0, body)).status;
  expect(await refused({ format: 'markdown', fields: ['text'] })).toBe(422);
  expect(await refused({ format: 'docx' })).toBe(422);
  expect(await refused({ format: 'csv', to: 'bucket' })).toBe(409);
  const other = await newKey(pool, await newTenant(pool), 'admin');
  const id = await start('csv');
  for (const [method, below] of [
    ['GET', ''],
    ['POST', ''],
    ['GET', `/${id}`],
    ['POST', `/${id}/cancel`],
    ['DELETE', `/${id}`],
    ['GET', `/${id}/file`],
  ] as const)
    expect(
      (
        await ask(
          api.url,
          other,
          method,
          path0 + below,
          method === 'POST' && below === '' ? { format: 'csv' } : undefined,
        )
      ).status,
    ).toBe(404);
  for (let each = 1; each < 10; each++) await start('csv');
  expect(await refused({ format: 'csv' })).toBe(409);
});

it('is started, watched and written by the verbs, and downloaded from any byte on', async () => {
  const env = { ORBWEAVER_SERVER: api.url, ORBWEAVER_API_KEY: api.key, ORBWEAVER_DATA: folder };
  const out = path.join(folder, 'pages.csv');
  const running = runCli(['export', 'start', crawl.id, '--format', 'csv', '--out', out], env);
  await expect.poll(() => tables.job.count(pool)).toBe(1);
  const { id } = await tables.job.row(pool, {});
  await makeExport(tools, String(id), () => true, never);
  expect(await running).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`bytes were written to ${out}`) as unknown,
  });
  const whole = await file(String(id));
  expect(readFileSync(out)).toEqual(whole);
  const shown = await runCli(['export', 'show', crawl.id, String(id)], env);
  expect(shown.stdout).toContain(`is finished: ${String(pages + 4)} pages`);
  expect((await runCli(['export', 'list', crawl.id], env)).stdout).toContain('finished');
  const got = await runCli(['export', 'get', crawl.id, String(id), '--out', `${out}.2`], env);
  expect([got.code, readFileSync(`${out}.2`)]).toEqual([0, whole]);

  const rest = await fetch(`${api.url}${path0}/${String(id)}/file`, { headers: { range: 'bytes=1000-' } });
  expect([rest.status, rest.headers.get('content-range')]).toEqual([
    206,
    `bytes 1000-${String(whole.length - 1)}/${String(whole.length)}`,
  ]);
  expect(Buffer.from(await rest.arrayBuffer())).toEqual(whole.subarray(1_000));
  const beyond = await fetch(`${api.url}${path0}/${String(id)}/file`, {
    headers: { range: `bytes=${String(whole.length)}-` },
  });
  expect(beyond.status).toBe(416);
  const middle = await fetch(`${api.url}${path0}/${String(id)}/file`, {
    headers: { range: 'bytes=1000-1099' },
  });
  expect(Buffer.from(await middle.arrayBuffer())).toEqual(whole.subarray(1_000, 1_100));
  const last = (count: string) =>
    fetch(`${api.url}${path0}/${String(id)}/file`, { headers: { range: `bytes=-${count}` } });
  const tail = await last('22');
  expect([tail.status, tail.headers.get('content-range')]).toEqual([
    206,
    `bytes ${String(whole.length - 22)}-${String(whole.length - 1)}/${String(whole.length)}`,
  ]);
  expect(Buffer.from(await tail.arrayBuffer())).toEqual(whole.subarray(-22));
  expect(Buffer.from(await (await last('99999999')).arrayBuffer())).toEqual(whole);
  expect((await last('0')).status).toBe(416);
});
