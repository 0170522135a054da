import { hash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileBlobStore } from '../../storage/blobs/index.ts';

const maxBytes = 1024 * 1024;
let folder: string;
let store: FileBlobStore;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-blobs-'));
  store = new FileBlobStore({ folder, maxBytes });
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const sha256 = (body: Uint8Array): Buffer => hash('sha256', body, 'buffer');
const put = async (body: Uint8Array): Promise<Buffer> => {
  const key = sha256(body);
  await store.put(key, body);
  return key;
};
const files = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
const onlyFile = (): string => {
  const [file, ...more] = files();
  if (file === undefined || more.length > 0) throw new Error(`${String(files().length)} files`);
  return file;
};
const text = (content: string): Buffer => Buffer.from(content);

describe('a blob that was put', () => {
  it('is answered whole, by this store and by another on the same folder', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), async (body) => {
        const key = await put(body);
        expect(await store.get(key)).toEqual(Buffer.from(body));
        expect(await new FileBlobStore({ folder, maxBytes }).get(key)).toEqual(Buffer.from(body));
      }),
      { numRuns: 25 },
    );
  });

  it('lies compressed under its own hash, with nothing beside it', async () => {
    const key = (await put(text('same again '.repeat(2_000)))).toString('hex');
    const file = onlyFile();
    expect(path.relative(folder, file)).toBe(path.join(key.slice(0, 2), `${key}.zst`));
    expect(readFileSync(file).length).toBeLessThan(200);
  });

  it.each([
    ['empty', 0],
    ['one byte', 1],
    // Too large for the synchronous path once compressed (random bytes do not shrink).
    ['large', 700_000],
    ['exactly as long as a body may be', maxBytes],
  ])('may be %s', async (_, bytes) => {
    const body = randomBytes(bytes);
    expect(await store.get(await put(body))).toEqual(body);
    expect(files()).toHaveLength(1);
  });

  it('is stored once, also when many put it at the same time', async () => {
    const small = text('a page that everybody has');
    const large = randomBytes(600_000);
    const others = new FileBlobStore({ folder, maxBytes });
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => {
        const body = at % 4 === 0 ? large : small;
        return (at % 2 === 0 ? store : others).put(sha256(body), body);
      }),
    );
    expect(files()).toHaveLength(2);
    expect(await store.get(sha256(small))).toEqual(small);
    expect(await store.get(sha256(large))).toEqual(large);
  });

  it('can be read at any instant while others put and read it', async () => {
    const body = randomBytes(300_000);
    const key = sha256(body);
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        if (at % 3 === 0) await store.put(key, body);
        return store.get(key);
      }),
    );
    for (const answer of answers) if (answer !== null) expect(body.equals(answer)).toBe(true);
    expect(await store.get(key)).toEqual(body);
  });
});

describe('a blob that is not there', () => {
  it('is answered as null where it never was', async () => {
    expect(await store.get(sha256(text('never put')))).toBeNull();
  });

  it.each<[string, (file: string) => void]>([
    ['was deleted', (file) => rmSync(file)],
    ['is empty after a power loss', (file) => truncateSync(file, 0)],
    ['is cut short', (file) => truncateSync(file, readFileSync(file).length - 3)],
    ['is no zstd', (file) => writeFileSync(file, 'garbage')],
    ['has a flipped bit', (file) => writeFileSync(file, flipped(readFileSync(file)))],
    ['holds another body', (file) => writeFileSync(file, zstdCompressSync(text('another body')))],
    [
      'unpacks to more than any body of ours',
      (file) => writeFileSync(file, zstdCompressSync(Buffer.alloc(maxBytes + 1))),
    ],
  ])('is missing where its file %s, and the next put stores it anew', async (_, damage) => {
    const body = text('one two three four five six seven eight nine ten');
    const key = await put(body);
    damage(onlyFile());
    expect(await store.get(key)).toBeNull();
    expect(files()).toEqual([]);
    await store.put(key, body);
    expect(await store.get(key)).toEqual(body);
  });
});

describe('a file system in trouble', () => {
  const bodies = [
    ['small', text('a small page')],
    ['large', randomBytes(600_000)],
  ] as const;

  it.each(bodies)(
    'a %s body that cannot be written is an error, and leaves nothing behind',
    async (_, body) => {
      // A file where the folder should be: nothing can be written below it.
      const key = sha256(body);
      const inTheWay = path.join(folder, key.toString('hex').slice(0, 2));
      writeFileSync(inTheWay, '');
      await expect(store.put(key, body)).rejects.toThrow(/ENOTDIR|EEXIST/);
      rmSync(inTheWay);
      await store.put(key, body);
      expect(await store.get(key)).toEqual(body);
      expect(files()).toHaveLength(1);
    },
  );

  it('a small body finds its folder again after somebody emptied the store', async () => {
    const [, body] = bodies[0];
    const key = await put(body);
    rmSync(folder, { recursive: true });
    await store.put(key, body).catch(() => undefined);
    await store.put(key, body);
    expect(existsSync(onlyFile())).toBe(true);
  });

  it('a large body finds its folder again after somebody emptied the store', async () => {
    const [, body] = bodies[1];
    const key = await put(body);
    rmSync(folder, { recursive: true });
    await store.put(key, body).catch(() => undefined);
    await store.put(key, body);
    expect(existsSync(onlyFile())).toBe(true);
  });
});

function flipped(bytes: Buffer): Buffer {
  const at = bytes.length - 5;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return bytes;
}

it('is closed to other users of the machine, bodies from before included', async () => {
  chmodSync(folder, 0o755);
  store = new FileBlobStore({ folder, maxBytes });
  await put(Buffer.from('small'));
  await put(randomBytes(600 * 1024));
  const modeOf = (path: string): number => statSync(path).mode & 0o777;
  expect(modeOf(folder)).toBe(0o700);
  expect(files()).toHaveLength(2);
  for (const file of files()) expect([modeOf(path.dirname(file)), modeOf(file)]).toEqual([0o700, 0o600]);
});
