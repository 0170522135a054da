/** Segments in a folder: what any store must do, and what disks and other users do to files. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SegmentFolder } from '../../storage/archive/index.ts';
import { makeSmallDisk, mayMount } from '../support/small-disk.ts';
import { segmentStoreConformance } from './segment-store.conformance.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-segments-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
const open = (): SegmentFolder => new SegmentFolder(folder);

segmentStoreConformance('in a folder', open);

it('is closed to other users of the machine', async () => {
  chmodSync(folder, 0o755);
  await (await open().create('one')).close();
  const modeOf = (file: string): number => statSync(file).mode & 0o777;
  expect([modeOf(folder), modeOf(path.join(folder, 'one'))]).toEqual([0o700, 0o600]);
});

it('makes its folder anew after somebody emptied the store', async () => {
  const store = open();
  rmSync(folder, { recursive: true });
  const writer = await store.create('one');
  await writer.append([Buffer.from('1')]);
  expect(await store.read('one', 0, 1)).toEqual(Buffer.from('1'));
  await writer.close();
});

describe.skipIf(!mayMount())('a disk that becomes full (needs the right to mount)', () => {
  it('in the middle of an append takes nothing of it, and what was there stays', async () => {
    const disk = makeSmallDisk(1024 * 1024);
    try {
      const store = new SegmentFolder(disk.folder);
      const writer = await store.create('one');
      const [kept, lost, later] = [randomBytes(300_000), randomBytes(900_000), randomBytes(300_000)];
      await writer.append([kept]);
      await expect(writer.append([later.subarray(0, 10), lost])).rejects.toMatchObject({ code: 'ENOSPC' });
      expect([writer.length, writer.broken]).toEqual([kept.length, false]);
      expect(statSync(path.join(disk.folder, 'one')).size).toBe(kept.length);
      await writer.append([later]);
      expect(await store.read('one', 0, kept.length)).toEqual(kept);
      expect(await store.read('one', kept.length, later.length)).toEqual(later);
      await writer.close();
    } finally {
      disk.unmount();
    }
  });

  it('is told by a probe, and so is the room that came free', async () => {
    const disk = makeSmallDisk(512 * 1024);
    try {
      const store = new SegmentFolder(disk.folder);
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
  });
});

it.runIf(process.platform === 'linux')(
  'a probe that writes has no file that a kill could leave behind',
  async () => {
    const writes = (): boolean =>
      readdirSync('/proc/self/fd').some((fd) => {
        const place = `/proc/self/fd/${fd}`;
        try {
          return readlinkSync(place).startsWith(path.join(folder, 'probe.')) && statSync(place).size > 0;
        } catch {
          // Closed by now, as is the folder that is read here.
          return false;
        }
      });
    const probe = open().probe(60_000_000);
    const over = new AbortController();
    void probe.finally(() => {
      over.abort();
    });
    const found: string[][] = [];
    while (!over.signal.aborted) {
      if (writes()) found.push(readdirSync(folder));
      await new Promise((next) => setImmediate(next));
    }
    await probe;
    expect(found.length).toBeGreaterThan(0);
    expect(found.flat()).toEqual([]);
  },
);

it('a probe passes where there is room, and leaves nothing behind, also where the folder had gone', async () => {
  await open().probe(100_000);
  rmSync(folder, { recursive: true });
  await open().probe(10);
  expect(readdirSync(folder)).toEqual([]);
});
