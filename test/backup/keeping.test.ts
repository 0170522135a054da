/** Which backups stay: a named one is whole whatever dies, and whoever works beside it. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { findBackup, keepLatest, listBackups, nameBackup } from '../../backup/list.ts';
import { garbage, graceDays, idOf, nameOf, newId, timeOf, type Manifest } from '../../backup/manifest.ts';
import { filesOf, Packing } from '../../backup/parts.ts';
import { backupOf, Killed, MemoryRepository } from './memory.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);
/** Of the stack that backs up. */
const { instance } = backupOf({});

it('ids are in the order of time, and tell it', () => {
  expect(timeOf(newId(new Date(start + 1_234_000)))).toBe(start + 1_234_000);
  expect(newId(new Date(start)) < newId(new Date(start + 1_000))).toBe(true);
  expect(idOf(nameOf(newId(new Date(start))))).not.toBeNull();
  expect(idOf('backups/notes.json')).toBeNull();
});

it.each([
  ['a part that a backup names', `parts/${newId(new Date(start))}/0`, true, false],
  ['a part of a backup that was killed long ago', `parts/${newId(new Date(start))}/0`, false, true],
  ['a part of a backup that may be under way', `parts/${newId(new Date(start + 8 * day))}/0`, false, false],
  ['a backup that was removed long ago', `removed/${newId(new Date(start))}_x.json`, false, true],
  ['a backup that was removed just now', `removed/${newId(new Date(start + 8 * day))}_x.json`, false, false],
  ['what somebody else has put there', 'parts/readme.txt', false, false],
])('%s', (_, name, named, goes) => {
  expect(garbage([name], new Set(named ? [name] : []), start + (graceDays + 2) * day)).toEqual(
    goes ? [name] : [],
  );
});

/** A backup at a time: a segment that all have, and a file of its own. */
async function backUp(
  repository: MemoryRepository,
  at: number,
  beforeNamed: () => Promise<void> = () => Promise.resolve(),
  of = instance,
): Promise<Manifest> {
  const id = newId(new Date(at));
  const packing = new Packing(repository, id, await listBackups(repository));
  const own = randomBytes(10);
  await packing.addGrowing('blobs/s', 3, () => Readable.from([Buffer.from('abc')]));
  await packing.add('postgres/own', Readable.from([own]), own.length);
  await packing.end();
  await beforeNamed();
  const { parts, files } = packing;
  const made = backupOf({ id, moment: new Date(at).toISOString(), parts, files, instance: of });
  await repository.put(nameOf(id), Buffer.from(JSON.stringify(made)));
  return made;
}

async function allWhole(repository: MemoryRepository): Promise<number> {
  const backups = await listBackups(repository);
  for (const backup of backups) for (const { bytes } of filesOf(repository, backup)) await buffer(bytes);
  return backups.length;
}

it('every backup that is named is whole, wherever a backup or a removal was killed', async () => {
  for (let steps = 0; ; steps++) {
    const repository = new MemoryRepository();
    for (let n = 0; n < 4; n++) await backUp(repository, start + n * day);
    await keepLatest(repository, 3, instance, start + 4 * day);
    repository.left = steps;
    const ends = await backUp(repository, start + 20 * day)
      .then(() => keepLatest(repository, 1, instance, start + 20 * day))
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof Killed) return false;
          throw error;
        },
      );
    repository.left = Infinity;
    expect(await allWhole(repository)).toBeGreaterThanOrEqual(1);
    // Whoever comes next goes on.
    await backUp(repository, start + 21 * day);
    expect(await keepLatest(repository, 1, instance, start + 21 * day)).not.toEqual([]);
    expect(await allWhole(repository)).toBe(1);
    if (ends) break;
  }
});

it('a backup stays whole that names parts of one that is removed before it has its name', async () => {
  const repository = new MemoryRepository();
  await backUp(repository, start);
  await backUp(repository, start + 3 * day, async () => {
    expect(await keepLatest(repository, 0, instance, start + 3 * day)).toHaveLength(1);
    // By now its parts are old, and no backup names them yet.
    await keepLatest(repository, 0, instance, start + 8 * day);
  });
  await keepLatest(repository, 1, instance, start + 8 * day);
  await keepLatest(repository, 1, instance, start + 30 * day);
  expect(await allWhole(repository)).toBe(1);
  // The parts of the last one go with it.
  await keepLatest(repository, 0, instance, start + 30 * day);
  await keepLatest(repository, 0, instance, start + 40 * day);
  expect([...repository.objects.keys()]).toEqual([]);
});

it('a stack removes backups of its own alone, and none without a whole one for it', async () => {
  const repository = new MemoryRepository();
  const by = (at: number, of: string) => backUp(repository, start + at * day, undefined, of);
  const theirs = await by(0, 'b');
  expect((await findBackup(repository, null)).id).toBe(theirs.id);
  const first = await by(1, 'a');
  const lacking = await by(2, 'a');
  const { segments } = lacking;
  await repository.remove(nameOf(lacking.id));
  await nameBackup(repository, { ...lacking, segments: { ...segments, missing: ['s'] } });
  await expect(findBackup(repository, null)).rejects.toThrow(/2 stacks.*--backup/);
  expect(await findBackup(repository, theirs.id)).toEqual(theirs);
  const ids = async () => (await listBackups(repository)).map(({ id }) => id);
  expect(await keepLatest(repository, 1, 'a', start + 3 * day)).toEqual([]);
  const whole = await by(4, 'a');
  expect(await keepLatest(repository, 2, 'a', start + 5 * day)).toEqual([]);
  expect(await keepLatest(repository, 1, 'a', start + 5 * day)).toEqual([first.id, lacking.id]);
  expect(await ids()).toEqual([theirs.id, whole.id]);
});
