/** What every repository does: a folder, and a bucket (needs `npm run test-programs`). */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync, utimesSync, writeFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openRepository } from '../../backup/open-repository.ts';
import { BucketRepository, type Repository } from '../../backup/repository.ts';
import { loadConfig } from '../../config/config.ts';
import { s3Program } from '../programs/s3-server.ts';
import { access, startS3, type S3Server } from '../s3/server.ts';
import { ownFolder, testFolder } from '../support/given.ts';
import { makeSmallDisk, mayMount } from '../support/small-disk.ts';

const program = s3Program();
const folder = ownFolder();
let server: S3Server | null = null;
beforeAll(async () => {
  if (program === null) return;
  vi.stubEnv('AWS_ACCESS_KEY_ID', access.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', access.secretAccessKey);
  server = await startS3(program);
});
afterAll(async () => {
  await server?.stop();
  vi.unstubAllEnvs();
});

const places = {
  'a folder': () => openRepository(path.join(folder, 'new', 'backups'), loadConfig()),
  'a bucket': () =>
    openRepository(`s3://${server?.bucket ?? ''}/some/where`, {
      ...loadConfig(),
      s3Endpoint: `http://127.0.0.1:${String(server?.port)}`,
      s3PathStyle: 'on',
    }),
} satisfies Record<string, () => Promise<Repository>>;

describe.each(Object.entries(places))('%s', (name, open) => {
  it.skipIf(name === 'a bucket' && program === null)('gives back what was stored, and lists it', async () => {
    const repository = await open();
    expect([await repository.names('parts/'), await repository.get('backups/none.json')]).toEqual([[], null]);
    const bytes = randomBytes(6 * 1024 ** 2);
    await repository.put('parts/a/0', bytes);
    await repository.put('parts/a/1', Buffer.from('one'));
    await repository.put('backups/a.json', Buffer.from('{}'));
    expect((await repository.get('parts/a/0'))?.equals(bytes)).toBe(true);
    expect(await repository.names('parts/')).toEqual(['parts/a/0', 'parts/a/1']);
    await repository.remove('parts/a/1');
    await repository.remove('parts/a/1');
    expect([await repository.names('parts/'), await repository.get('parts/a/1')]).toEqual([
      ['parts/a/0'],
      null,
    ]);
  });
});

it('a part of a bucket that is slow or away for a moment is read by pieces, and stored and read again', async () => {
  const objects = new Map<string, Buffer>();
  const reads: number[] = [];
  let [failing, refused] = [0, 0];
  const once = <T>(work: () => T): Promise<T> => {
    if (failing-- <= 0) return Promise.resolve(work());
    refused++;
    return Promise.reject(new Error('no answer within 30 s'));
  };
  const store: ConstructorParameters<typeof BucketRepository>[1] = {
    put: (name, bytes) => once(() => void objects.set(name, Buffer.from(bytes))),
    size: (name) => once(() => objects.get(name)?.length ?? null),
    read: (name, at, length) =>
      once(() => {
        reads.push(length);
        return objects.get(name)?.subarray(at, at + length) ?? null;
      }),
    list: () => Promise.resolve([]),
    remove: () => Promise.resolve(),
  };
  const repository = new BucketRepository('s3://here', store, [0, 0]);
  const bytes = randomBytes(9 * 1024 ** 2);
  failing = 2;
  await repository.put('parts/a/0', bytes);
  failing = 2;
  expect((await repository.get('parts/a/0'))?.equals(bytes)).toBe(true);
  // Each has the patience of a call to itself.
  expect([refused, reads]).toEqual([4, [4, 4, 1].map((each) => each * 1024 ** 2)]);
  failing = 3;
  await expect(repository.get('parts/a/0')).rejects.toThrow('no answer within 30 s');
});

it('a folder is closed to others, and what a killed process began to write goes after a while', async () => {
  const root = testFolder();
  const repository = await openRepository(root, loadConfig());
  await repository.put('parts/a/0', Buffer.from('one'));
  expect([
    statSync(path.join(root, 'parts')).mode & 0o77,
    statSync(path.join(root, 'parts/a/0')).mode & 0o77,
  ]).toEqual([0, 0]);
  mkdirSync(path.join(root, 'drafts'), { recursive: true });
  const [old, young] = [path.join(root, 'drafts', 'old'), path.join(root, 'drafts', 'young')];
  for (const file of [old, young]) writeFileSync(file, 'cut');
  utimesSync(old, 1, 1);
  await repository.tidy(Date.now() - 60_000);
  expect(await repository.names('drafts')).toEqual(['drafts/young']);
});

describe('a folder that takes no backup', () => {
  const refusal = async (target: string): Promise<unknown> =>
    (await openRepository(target, loadConfig()))
      .put('parts/a', randomBytes(70_000))
      .catch((error: unknown) => error);
  const sentence = (place: string, why: string) => ({
    name: 'StackError',
    message: expect.stringMatching(
      new RegExp(`^No backup can be stored in ${place}: ${why}\\. [A-Z].*(another place|a folder)`),
    ) as string,
  });

  it('is said to be a file', async () => {
    const place = path.join(testFolder(), 'file');
    writeFileSync(place, '');
    expect(await refusal(place)).toMatchObject(sentence(place, 'a file is where a folder would have to be'));
    const below = path.join(place, 'below');
    expect(await refusal(below)).toMatchObject(sentence(below, 'a file is where a folder would have to be'));
  });

  it.skipIf(!mayMount())('is said to be full, or read-only (needs the right to mount)', async () => {
    const disk = makeSmallDisk(131_072);
    onTestFinished(() => {
      disk.unmount();
    });
    disk.fill();
    expect(await refusal(disk.folder)).toMatchObject(sentence(disk.folder, 'its disk is full'));
    disk.free();
    spawnSync('mount', ['-o', 'remount,ro', disk.folder]);
    expect(await refusal(disk.folder)).toMatchObject(sentence(disk.folder, 'its file system is read-only'));
  });
});

it('a bucket that cannot be used is named, with what to look at', async () => {
  const config = { ...loadConfig(), s3Endpoint: 'http://127.0.0.1:1', s3PathStyle: 'on' as const };
  const refused = (await openRepository('s3://none/some', config)).names('parts/');
  await expect(refused).rejects.toMatchObject({
    name: 'StackError',
    message: expect.stringMatching(
      /^No backup can be looked for in s3:\/\/none\/some: .*ORBWEAVER_S3_ENDPOINT/,
    ) as string,
  });
});
