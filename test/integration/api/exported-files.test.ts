/**
 * Exports read by programs that know nothing of us: each test is skipped where `npm run test-programs` was never run.
 *
 * @module-tag long
 */
import { hash } from 'node:crypto';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { exportFiles, type ExportFormat } from '../../../contracts/http/exports.ts';
import type { PageField } from '../../../contracts/page-fields.ts';
import { makeExport } from '../../support/stints.ts';
import { addExport, exportRows } from '../../../storage/exports/index.ts';
import { exportReaders } from '../../programs/exports.ts';
import { warcio } from '../../programs/warcio.ts';
import { storeCrawl, toolsFor, type Stored } from './exported.ts';
import { withServices } from './world.ts';
import { ownFolder } from '../../support/given.ts';

const readers = exportReaders();
const checker = warcio();
const pages = 3_100;
const { pool } = withServices();
const folder = ownFolder();
let crawl: Stored;
beforeAll(async () => {
  if (readers !== null || checker !== null) crawl = await storeCrawl(pool, folder, pages);
});

async function made(format: ExportFormat, fields: readonly PageField[] = []): Promise<string> {
  const tools = toolsFor(pool, crawl.archive, folder);
  const asked = { format, choice: { fields, filter: {} }, target: 'folder' } as const;
  const [added] = await addExport(pool, crawl.id, asked, 10);
  const id = added?.id ?? '';
  await makeExport(tools, id, () => true, new AbortController().signal);
  const [row] = await exportRows.find(pool, crawl.id, id);
  if (row === undefined) throw new Error('the export is gone');
  const chunks: Buffer[] = [];
  const name = `crawl-${crawl.id}-export-${id}.${exportFiles[format].ending}`;
  for await (const chunk of tools.files.read(row, name, 0, row.progress.bytes)) chunks.push(chunk);
  const file = path.join(folder, name);
  writeFileSync(file, Buffer.concat(chunks));
  return file;
}

it.skipIf(checker === null)('warcio checks every digest of a WARC', { tags: ['long'] }, async () => {
  const file = await made('warc');
  const checked = spawnSync(checker ?? '', ['check', '-v', file], { encoding: 'utf8' });
  expect([checked.status, checked.stdout]).toEqual([0, expect.not.stringMatching(/fail|invalid/i)]);
});

it.skipIf(readers === null)('py-wacz finds a WACZ valid', { tags: ['long'] }, async () => {
  const file = await made('wacz', ['text']);
  const judged = spawnSync(readers?.wacz ?? '', ['validate', '--file', file], { encoding: 'utf8' });
  expect([judged.status, judged.stdout + judged.stderr]).toEqual([0, expect.stringMatching(/valid/i)]);
  expect(judged.stdout).not.toMatch(/invalid|mismatch|not match/i);
});

it.skipIf(readers === null)('wabac plays a WACZ back, byte for byte', { tags: ['long'] }, async () => {
  const file = await made('wacz');
  const urls = [...crawl.bodies.keys(), 'https://www.a.example/copy', 'https://www.a.example/again'];
  const player = fileURLToPath(new URL('../../programs/play-wacz.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [player, readers?.wabac ?? '', file], {
    ...{ input: urls.join('\n'), encoding: 'utf8', maxBuffer: 2 ** 28 },
  });
  const [first] = crawl.bodies.values();
  const expected = urls.map((url) => ({
    status: 200,
    sha: hash('sha256', crawl.bodies.get(url) ?? first ?? ''),
  }));
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
    stderr.slice(-2_000),
  ).toEqual(expected);
});

it.skipIf(readers === null)('DuckDB reads Parquet back', { tags: ['long'] }, async () => {
  const file = await made('parquet', ['links', 'text']);
  const query = `
import duckdb, json, sys
rows = duckdb.sql(f"""select count(*), count(distinct url), sum(bytes), min(fetchedAt)::varchar,
  count(*) filter (where links[1] like 'https://www.a.example/p/%'), count(text),
  max(title) filter (where url like '%/p/7') from '{sys.argv[1]}'""").fetchone()
print(json.dumps([str(each) for each in rows]))`;
  const told = execFileSync(readers?.python ?? '', ['-c', query, file], { encoding: 'utf8' });
  const bytes = [...crawl.bodies.values()].reduce((sum, { length }) => sum + length, 0);
  const all = String(pages + 4);
  expect(JSON.parse(told)).toEqual([
    ...[all, all, String(bytes + 2), expect.stringMatching(/^2026-01-01 00:00:00/) as unknown],
    ...[String(pages + 2), String(pages + 2), 'Page 7, “ü”'],
  ]);
});
