/** Files as parts: they come back as they were, what is known is not stored again, and no damage goes unseen. */
import { hash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nameOf, newId, partBytes, type Manifest } from '../../backup/manifest.ts';
import { DamagedPart, filesOf, Packing } from '../../backup/parts.ts';
import { backupOf, MemoryRepository } from './memory.ts';

type Files = Readonly<Record<string, Buffer>>;
/** By their hashes: a comparison of megabytes byte by byte takes seconds. */
const hashes = (files: Files): unknown =>
  Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, hash('sha256', bytes)]));

const pieces = (bytes: Buffer): AsyncIterable<Buffer> =>
  Readable.from(
    bytes.length === 0 ? [] : [bytes.subarray(0, 7), bytes.subarray(7)].filter(({ length }) => length > 0),
  );

const whole = (id: string, { parts, files }: Pick<Manifest, 'parts' | 'files'>): Manifest =>
  backupOf({ id, parts, files });

/** Backs files up; those below `blobs/` grow. */
async function packed(
  repository: MemoryRepository,
  files: Files,
  earlier: readonly Manifest[] = [],
): Promise<Manifest> {
  const id = newId(new Date());
  const packing = new Packing(repository, id, earlier);
  for (const [name, bytes] of Object.entries(files))
    await (name.startsWith('blobs/')
      ? packing.addGrowing(name, bytes.length, (at) => pieces(bytes.subarray(at)))
      : packing.add(name, pieces(bytes), bytes.length));
  await packing.end();
  const made = whole(id, packing);
  await repository.put(nameOf(id), Buffer.from(JSON.stringify(made)));
  return made;
}

async function unpacked(repository: MemoryRepository, backup: Manifest): Promise<Files> {
  const found: Record<string, Buffer> = {};
  for (const { path, bytes } of filesOf(repository, backup)) found[path] = await buffer(bytes);
  return found;
}

it('gives back every file as it was, whatever its size', async () => {
  const sizes = fc.oneof(fc.nat(100), fc.constantFrom(0, 1024 ** 2 - 1, 1024 ** 2, partBytes, partBytes + 1));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ size: sizes, grows: fc.boolean() }), { maxLength: 6 }),
      async (all) => {
        const files = Object.fromEntries(
          all.map(({ size, grows }, at) => [
            `${grows ? 'blobs' : 'postgres'}/${String(at)}`,
            Buffer.alloc(size, at + 1),
          ]),
        );
        const repository = new MemoryRepository();
        expect(hashes(await unpacked(repository, await packed(repository, files)))).toEqual(hashes(files));
      },
    ),
    { numRuns: 5 },
  );
});

it('stores what has changed, and of a file that grows what is new, without reading the rest', async () => {
  const repository = new MemoryRepository();
  const [table, segment] = [randomBytes(2 * 1024 ** 2), randomBytes(partBytes + 1000)];
  const first = await packed(repository, {
    'postgres/1': table,
    'postgres/2': Buffer.from('a'),
    'blobs/s': segment,
  });
  const grown = Buffer.concat([segment, randomBytes(500)]);
  const files = { 'postgres/1': table, 'postgres/2': Buffer.from('b'), 'blobs/s': grown };
  const before = new Set(repository.objects.keys());
  const second = await packed(repository, files, [first]);
  const added = second.parts.filter(({ name }) => !before.has(name)).map(({ bytes }) => bytes);
  // The file of one byte, and the last part of the segment with what was added to it.
  expect(added.sort((a, b) => a - b)).toEqual([1, 1500]);
  expect(hashes(await unpacked(repository, second))).toEqual(hashes(files));
  expect((await unpacked(repository, first))['blobs/s']?.equals(segment)).toBe(true);
  const id = newId(new Date());
  const third = new Packing(repository, id, [first, second]);
  await third.addGrowing('blobs/s', grown.length, () => {
    throw new Error('nothing of it is to be read');
  });
  await third.end();
  expect(hashes(await unpacked(repository, whole(id, third)))).toEqual(hashes({ 'blobs/s': grown }));
});

it('a file that goes away while it is read is not in the backup, rather than short in it', async () => {
  const repository = new MemoryRepository();
  const packing = new Packing(repository, newId(new Date()), []);
  for (const left of ['', 'ab'])
    expect(await packing.addGrowing('blobs/s', 3, () => pieces(Buffer.from(left)))).toBe(false);
  expect(await packing.addGrowing('blobs/t', 3, () => pieces(Buffer.from('abc')))).toBe(true);
  await packing.end();
  const made = whole(newId(new Date()), packing);
  expect(hashes(await unpacked(repository, made))).toEqual(hashes({ 'blobs/t': Buffer.from('abc') }));
});

it('takes a file that was cut, as a restore leaves it, for what it is now', async () => {
  const repository = new MemoryRepository();
  const segment = randomBytes(partBytes + 1000);
  const first = await packed(repository, { 'blobs/s': segment });
  const files = { 'blobs/s': segment.subarray(0, partBytes + 10) };
  const second = await packed(repository, files, [first]);
  expect(hashes(await unpacked(repository, second))).toEqual(hashes(files));
});

it('tells of a part that is missing, cut short, or another', async () => {
  const repository = new MemoryRepository();
  const backup = await packed(repository, {
    'postgres/1': Buffer.from('one'),
    'blobs/s': Buffer.from('two'),
  });
  for (const { name } of backup.parts) {
    const good = repository.objects.get(name) ?? Buffer.alloc(0);
    const flipped = Buffer.from(good);
    flipped[good.length - 1] = (good.at(-1) ?? 0) ^ 1;
    const other = repository.objects.get(backup.parts.find((each) => each.name !== name)?.name ?? '');
    for (const bad of [null, good.subarray(1), flipped, other ?? null]) {
      if (bad === null) repository.objects.delete(name);
      else repository.objects.set(name, bad);
      await expect(unpacked(repository, backup)).rejects.toThrow(DamagedPart);
    }
    repository.objects.set(name, good);
  }
  expect(Object.keys(await unpacked(repository, backup))).toHaveLength(2);
});

it('fails where a part cannot be stored', async () => {
  const repository = new MemoryRepository();
  repository.left = 1;
  await expect(
    packed(repository, {
      'blobs/s': Buffer.from('one'),
      'blobs/t': Buffer.from('two'),
      'blobs/u': Buffer.from('three'),
    }),
  ).rejects.toThrow();
  expect(await repository.names('backups/')).toEqual([]);
});
