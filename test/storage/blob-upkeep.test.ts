/** What keeps a blob folder usable: the probe of its disk, and the sweeping up after killed processes. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileBlobStore, sweepTemporaries } from '../../storage/blobs/index.ts';
import { makeSmallDisk, mayMount } from '../support/small-disk.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-upkeep-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const open = (place: string): FileBlobStore => new FileBlobStore({ folder: place, maxBytes: 1_000_000 });
const all = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('.'))
    .sort();

describe('the probe', () => {
  it('passes where there is room, and leaves nothing behind', async () => {
    await open(folder).probe(100_000);
    expect(all()).toEqual([]);
  });

  it('makes a folder anew that has gone', async () => {
    const store = open(folder);
    rmSync(folder, { recursive: true });
    await store.probe(10);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(!mayMount())(
    'says so where there is none, and passes when there is again (needs the right to mount)',
    async () => {
      const disk = makeSmallDisk(512 * 1024);
      try {
        const store = open(disk.folder);
        await store.probe(200_000);
        disk.fill();
        await expect(store.probe(200_000)).rejects.toMatchObject({ code: 'ENOSPC' });
        expect(readdirSync(disk.folder)).toEqual(['ballast']);
        disk.free();
        await store.probe(200_000);
        await expect(store.probe(900_000)).rejects.toMatchObject({ code: 'ENOSPC' });
      } finally {
        disk.unmount();
      }
    },
  );
});

describe('sweeping', () => {
  const write = (name: string, ageMinutes: number): void => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, 'bytes');
    const at = new Date(Date.now() - ageMinutes * 60_000);
    utimesSync(file, at, at);
  };

  it('removes temporaries older than an hour, and nothing else', async () => {
    write('ab/abcd.zst', 90);
    write('ab/abcd.zst.x-1.tmp', 90);
    write('cd/cdef.zst.x-2.tmp', 61);
    write('cd/cdef.zst.y-3.tmp', 59);
    write('probe.x-4.tmp', 9_000);
    expect(await sweepTemporaries(folder, new AbortController().signal)).toBe(3);
    expect(all()).toEqual(['ab/abcd.zst', 'cd/cdef.zst.y-3.tmp']);
  });

  it('by several processes at once fails nowhere, and counts each file once', async () => {
    for (let file = 0; file < 200; file++) write(`ab/${String(file)}.zst.x-1.tmp`, 120);
    const { signal } = new AbortController();
    const counts = await Promise.all([1, 2, 3].map(() => sweepTemporaries(folder, signal)));
    expect(counts.reduce((sum, removed) => sum + removed, 0)).toBe(200);
    expect(all()).toEqual([]);
  });

  it('stops when the process leaves', async () => {
    write('ab/abcd.zst.x-1.tmp', 120);
    expect(await sweepTemporaries(folder, AbortSignal.abort())).toBe(0);
    expect(all()).toEqual(['ab/abcd.zst.x-1.tmp']);
  });
});
