/** What is refused before anything is placed. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Manifest } from '../../backup/manifest.ts';
import { placeBackup } from '../../backup/restore.ts';
import { testFolder } from '../support/given.ts';
import { MemoryRepository } from './memory.ts';

it.each(['postgres/base/1', 'blobs/1.warc.zst'])(
  '%s does not fit on the disk: nothing is placed',
  async (file) => {
    const repository = new MemoryRepository();
    const name = 'parts/20260101T000000Z-000000/0';
    await repository.put(name, Buffer.from('packed'));
    const backup: Manifest = {
      format: 1,
      id: '20260101T000000Z-000000',
      version: '0',
      instance: '',
      moment: '2026-01-01T00:00:00.000Z',
      seconds: 0,
      hasTemporal: false,
      segments: { copied: 0, elsewhere: 0, missing: [] },
      keyPrint: null,
      settings: {},
      folders: [],
      parts: [{ name, sha256: '0'.repeat(64), bytes: 6, stored: 6 }],
      files: [{ path: file, pieces: [[0, 0, 2 ** 52]] }],
    };
    const dataDir = path.join(testFolder(), 'data');
    const blobDir = path.join(testFolder(), 'bodies', 'here');
    await expect(placeBackup({ dataDir, blobDir }, repository, backup, null)).rejects.toThrow(
      /^The disk of \S+ has [\d.]+ GB free, and the backup takes 4503599\.6 GB there/,
    );
    // The folder is as empty as it was, for a stack or another restore.
    expect(readdirSync(dataDir).filter((each) => each !== 'run' && each !== 'logs')).toEqual([]);
    expect(existsSync(blobDir)).toBe(false);
  },
);
