/** What is refused before anything is placed. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { printsOf } from '../../backup/keys.ts';
import { placeBackup } from '../../backup/restore.ts';
import { testFolder } from '../support/given.ts';
import { backupOf, MemoryRepository } from './memory.ts';

it.each(['postgres/base/1', 'blobs/1.warc.zst'])(
  '%s does not fit on the disk: nothing is placed',
  async (file) => {
    const repository = new MemoryRepository();
    const name = 'parts/20260101T000000Z-000000/0';
    await repository.put(name, Buffer.from('packed'));
    const backup = backupOf({
      parts: [{ name, sha256: '0'.repeat(64), bytes: 6, stored: 6 }],
      files: [{ path: file, pieces: [[0, 0, 2 ** 52]] }],
    });
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

it('a file that has another key alone', async () => {
  const [own, old, other] = [1, 2, 3].map(() => randomBytes(32).toString('base64'));
  const backup = backupOf({
    ...{ keyPrint: printsOf(own ?? '')[0] ?? null, keyPrints: printsOf(`${own ?? ''} ${old ?? ''}`) },
    parts: [{ name: 'parts/20260101T000000Z-000000/0', sha256: '0'.repeat(64), bytes: 6, stored: 6 }],
  });
  const folder = { dataDir: testFolder(), blobDir: testFolder() };
  const place = (key = ''): Promise<void> => placeBackup(folder, new MemoryRepository(), backup, key);
  await expect(place(other)).rejects.toThrow(/another key/);
  // With one of its keys, it is refused for what comes next.
  for (const key of [own, old]) await expect(place(key)).rejects.toThrow(/is not whole/);
});
