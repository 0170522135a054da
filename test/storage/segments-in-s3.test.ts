/**
 * Segments in S3: what any store must do, and what the network and a store in trouble do to it.
 *
 * @module-tag long
 */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSegments, type SegmentStore } from '../../storage/archive/index.ts';
import { startFaultyS3, type FaultyS3, type S3Trouble } from '../s3/faulty.ts';
import { s3Program } from '../programs/s3-server.ts';
import { access, startS3, type S3Server } from '../s3/server.ts';
import { until } from '../support/until.ts';
import { segmentStoreConformance } from './segment-store.conformance.ts';

const program = s3Program();
const mib = 1024 ** 2;
const goesOn = (): Promise<boolean> => Promise.resolve(true);

describe.skipIf(program === null)('in S3 (needs `npm run test-programs`)', () => {
  let server: S3Server;
  let network: FaultyS3;
  let folder: string;
  beforeAll(async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', access.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', access.secretAccessKey);
    server = await startS3(program ?? '');
    network = await startFaultyS3(server.port);
  });
  afterAll(async () => {
    await network.close();
    await server.stop();
    vi.unstubAllEnvs();
  });
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-segments-'));
  });
  afterEach(() => {
    network.meet(null);
    network.hold(null);
    rmSync(folder, { recursive: true, force: true });
  });

  const bucket = (over: object = {}) => ({
    ...{ bucket: server.bucket, endpoint: `http://127.0.0.1:${String(network.port)}`, region: null },
    ...{ prefix: 'some/', pathStyle: true, ...over },
  });
  /** As another process on the same machine opens it. */
  const open = (callMs = 30_000): Promise<SegmentStore> =>
    openSegments(folder, bucket(), { callMs, partMs: 2 * callMs });
  /** As a process on another machine does. */
  const openElsewhere = (): Promise<SegmentStore> => openSegments(path.join(folder, 'other'), bucket());

  async function closedSegment(...parts: readonly Buffer[]): Promise<string> {
    const name = `${randomUUID()}.warc.zst`;
    const writer = await (await open()).create(name);
    await writer.append(parts);
    await writer.close();
    return name;
  }
  async function settled(...parts: readonly Buffer[]): Promise<string> {
    const name = await closedSegment(...parts);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    expect(await (await open()).settle(name, length, goesOn)).toBe(true);
    return name;
  }

  segmentStoreConformance('in S3', open);

  it('are read by other machines once they have settled, and the folder has let go of them', async () => {
    const [first, second] = [randomBytes(9 * mib), randomBytes(1_000)];
    const name = await closedSegment(first, second);
    const elsewhere = await openElsewhere();
    expect(await elsewhere.read(name, 0, 10)).toBeNull();
    await (await open()).settle(name, first.length + second.length, goesOn);
    expect(existsSync(path.join(folder, name))).toBe(false);
    expect(await elsewhere.read(name, first.length, second.length)).toEqual(second);
    expect(first.equals((await elsewhere.read(name, 0, first.length)) ?? second)).toBe(true);
    expect(Buffer.concat([first, second]).equals(readFileSync(server.fileOf(`some/${name}`)))).toBe(true);
    await elsewhere.remove(name);
    expect(existsSync(server.fileOf(`some/${name}`))).toBe(false);
    expect(await (await open()).read(name, 0, 1)).toBeNull();
  });

  it('of which the disk has lost the end settle with what is left', async () => {
    const name = await closedSegment(Buffer.from('12345'));
    truncateSync(path.join(folder, name), 3);
    await (await open()).settle(name, 5, goesOn);
    const elsewhere = await openElsewhere();
    expect(await elsewhere.read(name, 0, 3)).toEqual(Buffer.from('123'));
    expect(await elsewhere.read(name, 3, 2)).toBeNull();
  });

  it('stay in the folder, whole, if their upload is ended in the middle, and nothing of it stays in S3', async () => {
    const body = randomBytes(17 * mib);
    const name = await closedSegment(body);
    let steps = 0;
    const twice = (): Promise<boolean> => Promise.resolve(steps++ < 2);
    expect(await (await open()).settle(name, body.length, twice)).toBe(false);
    expect(await server.uploads()).toEqual([]);
    expect(await (await open()).read(name, body.length - 5, 5)).toEqual(body.subarray(-5));
  });

  it('whose process is killed in the middle of the upload are uploaded by the next one', async () => {
    const body = randomBytes(17 * mib);
    const name = await closedSegment(body);
    network.hold('PUT partNumber=2');
    const script = new URL('./settle.child.ts', import.meta.url).pathname;
    const child = spawn(
      process.execPath,
      [script, folder, JSON.stringify(bucket()), name, String(body.length)],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    await until('the second part is on its way', () => network.asked.at(-1)?.startsWith('PUT partNumber=2'));
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await ended;
    network.hold(null);
    expect(await server.uploads()).toEqual([`some/${name}`]);
    expect(await (await openElsewhere()).read(name, 0, 1)).toBeNull();
    await (await open()).settle(name, body.length, goesOn);
    expect(await server.uploads()).toEqual([]);
    expect(body.equals((await (await openElsewhere()).read(name, 0, body.length)) ?? Buffer.of())).toBe(true);
  });

  it('whose upload ended unheard are not uploaded again', async () => {
    const body = randomBytes(mib);
    const name = await settled(body);
    const writer = await (await open()).create(name);
    await writer.append([body]);
    await writer.close();
    const from = network.asked.length;
    await (await open()).settle(name, body.length, goesOn);
    expect(network.asked.slice(from).filter((asked) => asked.startsWith('PUT'))).toEqual([]);
    expect(readdirSync(folder)).not.toContain(name);
  });

  it('leave no upload behind: those begun before a time are given up, and what is not ours is left alone', async () => {
    const store = await open();
    const body = randomBytes(9 * mib);
    const name = await closedSegment(body);
    network.hold('PUT partNumber=1');
    const from = network.asked.length;
    const settling = store.settle(name, body.length, goesOn);
    await until('a part is on its way', () =>
      network.asked.slice(from).some((asked) => asked.startsWith('PUT')),
    );
    await store.tidy(new Date(Date.now() - 60_000));
    expect(await server.uploads()).toEqual([`some/${name}`]);
    await (await openSegments(folder, bucket({ prefix: 'so' }))).tidy(new Date(Date.now() + 60_000));
    expect(await server.uploads()).toEqual([`some/${name}`]);
    await store.tidy(new Date(Date.now() + 60_000));
    expect(await server.uploads()).toEqual([]);
    network.hold(null);
    // The process that is still at it fails, and the folder keeps the segment.
    await expect(settling).rejects.toMatchObject({ code: 'EIO' });
    expect(await store.read(name, 0, 3)).toEqual(body.subarray(0, 3));
  });

  it.each<[S3Trouble, number]>([
    ['slow-down', 2],
    ['gone', 2],
    ['half', 2],
  ])('are read through a store that is %s for a moment', async (trouble, times) => {
    const name = await settled(Buffer.from('12345'));
    network.meet(trouble, times);
    expect(await (await openElsewhere()).read(name, 1, 3)).toEqual(Buffer.from('234'));
  });

  it.each<S3Trouble>(['slow-down', 'gone', 'half', 'silent'])(
    'are not taken for gone while the store is %s',
    async (trouble) => {
      const name = await settled(Buffer.from('12345'));
      network.meet(trouble);
      const store = await open(600);
      await expect(store.read(name, 0, 5)).rejects.toMatchObject({ code: 'EIO' });
      if (trouble !== 'half') await expect(store.probe(10)).rejects.toMatchObject({ code: 'EIO' });
      network.meet(null);
      // In the end: a busy machine may take longer than the time that this store allows for a call.
      const read = () => store.read(name, 0, 5).catch(() => null);
      await expect.poll(read).toEqual(Buffer.from('12345'));
      const probe = () =>
        store.probe(10).then(
          () => true,
          () => false,
        );
      await expect.poll(probe).toBe(true);
    },
  );

  it.each<S3Trouble>(['slow-down', 'gone', 'silent'])(
    'stay in the folder while the store is %s, and settle afterwards',
    async (trouble) => {
      const name = await closedSegment(Buffer.from('12345'));
      const store = await open(600);
      network.meet(trouble);
      await expect(store.settle(name, 5, goesOn)).rejects.toMatchObject({ code: 'EIO' });
      expect(await store.read(name, 0, 5)).toEqual(Buffer.from('12345'));
      network.meet(null);
      const settle = () => store.settle(name, 5, goesOn).catch(() => false);
      await expect.poll(settle).toBe(true);
      expect(await (await openElsewhere()).read(name, 0, 5)).toEqual(Buffer.from('12345'));
    },
  );

  it('are not taken for gone where the bucket is missing or the keys are wrong, and no key is told', async () => {
    const name = await settled(Buffer.from('12345'));
    const missing = await openSegments(path.join(folder, 'other'), bucket({ bucket: 'nowhere' }));
    await expect(missing.read(name, 0, 5)).rejects.toThrow(/nowhere.*NoSuchBucket/);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another-secret');
    const refused = await openElsewhere();
    const error = await refused.read(name, 0, 5).catch((thrown: unknown) => thrown);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', access.secretAccessKey);
    expect(error).toMatchObject({ code: 'EIO' });
    const told = JSON.stringify(error) + String(error) + String((error as Error).stack);
    expect(told).toContain('SignatureDoesNotMatch');
    for (const secret of ['another-secret', access.accessKeyId]) expect(told).not.toContain(secret);
  });
});
