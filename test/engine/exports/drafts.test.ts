/** The parts that files of exports are made of: drafts, sorting, zip, keys of CDXJ. */
import { appendFileSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sortKey } from '../../../engine/exports/cdxj.ts';
import { csvRow } from '../../../engine/exports/csv.ts';
import { sortedLines } from '../../../engine/exports/sorting.ts';
import {
  archiveEnd,
  directoryEntry,
  localHeader,
  smallFile,
  type ZipFile,
} from '../../../engine/exports/zip.ts';
import { Draft, DraftLost, ExportFiles, type ExportRow } from '../../../storage/exports/index.ts';
import { runs } from '../../support/runs.ts';
import { ownFolder } from '../../support/given.ts';

const root = ownFolder();
let count = 0;
const folder = (): string => path.join(root, String(++count));
const { signal } = new AbortController();

async function contents(draft: Draft, part: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of draft.read(part)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it('a draft goes on from what was noted, whatever was written behind it', async () => {
  const here = folder();
  const first = await Draft.open(here, {}, signal);
  await first.append('file', 'one ');
  await first.append('other', 'kept');
  const noted = await first.sync();
  await first.append('file', 'lost');
  await first.append('begun', 'lost as well');
  await first.sync();
  await first.close();
  appendFileSync(path.join(here, 'other'), ' and a torn tail');

  const second = await Draft.open(here, noted, signal);
  expect(readdirSync(here).sort()).toEqual(['file', 'other']);
  await second.append('file', 'two');
  expect([await contents(second, 'file'), await contents(second, 'other')]).toEqual(['one two', 'kept']);
  await second.overwrite('file', 0, Buffer.from('ONE'));
  await second.finish('file', 'whole');
  expect(readdirSync(here)).toEqual(['whole']);
  expect(readFileSync(path.join(here, 'whole'), 'utf8')).toBe('ONE two');
});

it('a process that still writes to a draft that was taken over changes nothing', async () => {
  const [here, there] = [folder(), folder()];
  const frozen = await Draft.open(here, {}, signal);
  await frozen.append('file', 'noted ');
  const noted = await frozen.sync();
  await Draft.copy(here, there, noted);
  const taken = await Draft.open(there, noted, signal);
  await frozen.append('file', 'by the frozen one');
  await taken.append('file', 'by the other');
  await Promise.all([frozen.sync(), taken.sync()]);
  expect(await contents(taken, 'file')).toBe('noted by the other');
  await Promise.all([frozen.close(), taken.close()]);
});

it('a draft whose files are gone or cut is lost, and says so', async () => {
  const here = folder();
  const draft = await Draft.open(here, {}, signal);
  await draft.append('file', 'bytes');
  const noted = await draft.sync();
  await draft.close();
  writeFileSync(path.join(here, 'file'), 'byt');
  await expect(Draft.open(here, noted, signal)).rejects.toThrow(DraftLost);
  await expect(Draft.copy(here, folder(), noted)).rejects.toThrow(DraftLost);
  await expect(Draft.open(here, { gone: 1 }, signal)).rejects.toThrow(DraftLost);
});

it('a fault of the disk is told as it is: the draft is not lost, and nothing is thrown away', async () => {
  const here = folder();
  const draft = await Draft.open(here, {}, signal);
  await draft.append('file', 'bytes');
  const noted = await draft.sync();
  await draft.close();
  rmSync(path.join(here, 'file'));
  symlinkSync('file', path.join(here, 'file'));
  const fault = { code: 'ELOOP' };
  await expect(Draft.open(here, noted, signal)).rejects.toMatchObject(fault);
  await expect(Draft.copy(here, folder(), noted)).rejects.toMatchObject(fault);
  const job = {
    detail: { folder: path.basename(root) },
    progress: { draft: path.basename(here) },
  } as unknown as ExportRow;
  const files = new ExportFiles(path.dirname(root), null);
  await expect(files.size(job, 'file')).rejects.toMatchObject(fault);
  expect(await files.size(job, 'other')).toBeNull();
});

it('lines are sorted as a whole, in runs of any length', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é', ' ', '{') }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      async (lines, run) => {
        const draft = await Draft.open(folder(), {}, signal);
        for (const line of lines) await draft.append('lines', `${line}\n`);
        const sorted: string[] = [];
        for await (const line of sortedLines(draft, 'lines', run)) sorted.push(line);
        await draft.close();
        expect(sorted).toEqual([...lines].sort());
      },
    ),
    { numRuns: runs(40) },
  ));

it('a merge of many runs holds about as much as one', async () => {
  const draft = await Draft.open(folder(), {}, signal);
  for (let line = 0; line < 6_000; line++) await draft.append('lines', `${String(line).padStart(99, '0')}\n`);
  let largest = 0;
  const read = draft.read.bind(draft);
  draft.read = async function* (part, ...more) {
    for await (const chunk of read(part, ...more)) {
      if (part === 'runs') largest = Math.max(largest, chunk.length);
      yield chunk;
    }
  };
  let count = 0;
  // Ten runs.
  for await (const line of sortedLines(draft, 'lines', 60_000)) expect(Number(line)).toBe(count++);
  expect([count, largest]).toEqual([6_000, 6_000]);
  await draft.close();
});

it('a small file in a zip has its bytes, checksum and lengths; large ones are zip64', () => {
  const bytes = Buffer.from('the same words, the same words, the same words');
  const { stored, entry } = smallFile('a/ü.md', bytes, 7);
  const nameLength = stored.readUInt16LE(26);
  expect(stored.toString('utf8', 30, 30 + nameLength)).toBe('a/ü.md');
  expect([stored.readUInt32LE(22), stored.readUInt16LE(28)]).toEqual([bytes.length, 0]);
  expect(inflateRawSync(stored.subarray(30 + nameLength))).toEqual(bytes);
  expect([entry.readUInt32LE(16), entry.readUInt32LE(42), entry.readUInt16LE(30)]).toEqual([
    crc32(bytes),
    7,
    0,
  ]);

  const large: ZipFile = { name: 'x', method: 0, crc: 1, packed: 5e9, size: 5e9, at: 6e9 };
  const far = directoryEntry(large);
  expect(far.length).toBe(46 + 1 + 4 + 24);
  expect([0, 8, 16].map((at) => Number(far.readBigUInt64LE(51 + at)))).toEqual([5e9, 5e9, 6e9]);
  const near = localHeader(large);
  expect([near.length, Number(near.readBigUInt64LE(35)), near.readUInt32LE(18)]).toEqual([
    51, 5e9, 0xffffffff,
  ]);
  const growing = { ...large, packed: 3e9, size: 3e9 };
  expect(localHeader(growing).length).toBe(localHeader({ ...growing, packed: 0, size: 0, crc: 0 }).length);
});

// The largest number of a field says that the number stands in the zip64 part (APPNOTE 4.4.1.4).
it.each([
  [3, 100, 200, false],
  [65_534, 100, 200, false],
  [65_535, 100, 200, true],
  [70_000, 100, 200, true],
  [3, 0xfffffffe, 200, false],
  [3, 0xffffffff, 200, true],
  [3, 100, 0xffffffff, true],
])('the end of an archive of %i files, at %i, with a directory of %i bytes, is zip64: %s', (...shape) => {
  const [files, at, bytes, isLarge] = shape;
  expect(archiveEnd(files, at, bytes).length).toBe(isLarge ? 22 + 56 + 20 : 22);
});

it.each(['=1+1', '+1', '-1+cmd', '@sum(a1)', '\t=1', '\r=1'])('%j is no formula in CSV', (title) => {
  expect(csvRow([title])).toMatch(/^"?'/);
});

it.each([
  ['https://www.Example.com/A?b=2&a=1', 'com,example)/a?a=1&b=2'],
  ['http://127.0.0.1:8080/x', '1,0,0,127:8080)/x'],
  ['https://sub.example.com', 'com,example,sub)/'],
  ['https://example.com/?', 'com,example)/'],
  ['urn:view:https://Example.com/A?b', 'urn:view:https://Example.com/A?b'],
])('the key of %s is %s', (url, key) => {
  expect(sortKey(url)).toBe(key);
});
