/**
 * Bodies in segments that settle in S3: two machines with folders of their own, one database, one bucket.
 * @module-tag long
 */
import { hash as digest, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { storedStages } from '../../../domain/stage.ts';
import { DependencyDown } from '../../../engine/breakers/dependency-down.ts';
import { watch } from '../../../engine/breakers/breakers.ts';
import {
  Archive,
  NotHereYet,
  openSegments,
  SegmentUpkeep,
  type Capture,
  type Kept,
  type SegmentStore,
} from '../../../storage/archive/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { startFaultyS3, type FaultyS3 } from '../../s3/faulty.ts';
import { s3Program } from '../../programs/s3-server.ts';
import { access, startS3, type S3Server } from '../../s3/server.ts';
import { addUrl, askDatabase, fromNow, hostRow, tables } from '../../support/database/index.ts';
import { flipBit } from '../../support/flip-bit.ts';
import { operationsSql } from '../../support/operations-sql.ts';
import { until } from '../../support/until.ts';
import { result, runningCrawl, withFrontier } from './frontier.ts';
import { unreadBodies } from './unread.ts';

const program = s3Program();
const maxBytes = 1024 * 1024;

/** A worker process on a machine. */
interface Process {
  readonly store: SegmentStore;
  readonly archive: Archive;
  readonly upkeep: SegmentUpkeep;
}

describe.skipIf(program === null)('with segments in S3 (needs `npm run test-programs`)', () => {
  const frontier = withFrontier();
  let server: S3Server;
  let network: FaultyS3;
  let folder: string;
  let crawl: number;
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
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-archive-'));
    crawl = await runningCrawl(frontier.pool);
  });
  afterEach(async () => {
    network.meet(null);
    network.hold(null);
    for (const each of ['segment', 'body', 'revisit', 'content'] as const)
      await tables[each].remove(frontier.pool);
    await tables.url.change(frontier.pool, {}, { stage: 0 });
    rmSync(folder, { recursive: true, force: true });
  });

  async function startProcess(machine: 'one' | 'two'): Promise<Process> {
    const { pool } = frontier;
    const bucket = {
      ...{ bucket: server.bucket, endpoint: `http://127.0.0.1:${String(network.port)}`, region: null },
      ...{ prefix: 'bodies/', pathStyle: true },
    };
    const store = await openSegments(path.join(folder, machine), bucket, { callMs: 60_000, partMs: 60_000 });
    const usual = { format: 'zstd', maxBytes: 2 ** 30, maxAgeMs: 3_600_000, software: 'Test/1.0' } as const;
    const rules = { ...usual, owner: randomUUID() };
    return {
      store,
      archive: new Archive(pool, store, maxBytes, rules),
      upkeep: new SegmentUpkeep(pool, store, rules),
    };
  }

  const sha256 = (body: Uint8Array): Buffer => digest('sha256', body, 'buffer');
  const capture = (body: Uint8Array): Capture => ({
    ...{ hash: sha256(body), url: 'https://a.example/', at: new Date(), remoteAddress: null, asked: {} },
    ...{ status: 200, headers: { 'content-type': 'text/html' }, body, truncated: false },
  });
  let urls = 0;

  async function keep({ archive }: Process, body: Uint8Array): Promise<Kept> {
    const { pool } = frontier;
    const url = `https://a.example/${String(urls++)}`;
    const { hostId, key } = await addUrl(pool, crawl, url, { state: 'leased', lease_token: 7 });
    const kept = await archive.put(capture(body));
    const place = { host_id: hostId, crawl_id: crawl, key: key.toString('hex'), token: 7 };
    const row = result(place, 'done', { stage: 1, content_hash: sha256(body).toString('hex'), ...kept });
    await new FrontierWriter(pool).write({ results: [row] });
    const which = { host_id: hostId, crawl_id: crawl, key };
    expect((await tables.url.row(pool, which)).state).toBe('done');
    await tables.url.change(pool, which, { stage: 2 });
    return kept;
  }
  const objectOf = async (id: number): Promise<string> =>
    server.fileOf(`bodies/${(await tables.segment.row(frontier.pool, { id })).name}`);
  /** Closes the open segments of the process's folder. */
  const close = ({ upkeep }: Process): Promise<number> => upkeep.closeLeft(0);
  async function closeAndSettle(process: Process): Promise<void> {
    await close(process);
    while (await process.upkeep.settle());
  }
  const text = (content: string): Buffer => Buffer.from(content);
  const readable = async ({ store }: Process): Promise<string[]> => {
    const [host] = await tables.host.rows(frontier.pool, { origin: 'https://a.example' });
    const { shard } = await hostRow(frontier.pool, host?.id ?? 0);
    const lane = { shard, lane: 0, lanes: 1 };
    const found = await unreadBodies(frontier.pool, storedStages.extract, lane, 100, store.folder);
    return found.map(({ content_hash: hash }) => hash.toString('hex'));
  };

  it('a body is not here yet for other machines, and not gone, until its segment has settled', async () => {
    const [one, two, alike] = [
      await startProcess('one'),
      await startProcess('two'),
      await startProcess('one'),
    ];
    const body = text('of the first machine');
    const { segment } = await keep(one, body);
    const own = text('of the second machine');
    await keep(two, own);
    expect(await alike.archive.get(sha256(body))).toEqual(body);
    await expect(two.archive.get(sha256(body))).rejects.toBeInstanceOf(NotHereYet);
    expect(await readable(alike)).toEqual([sha256(body).toString('hex')]);
    expect(await readable(two)).toEqual([sha256(own).toString('hex')]);
    // No other machine closes, cuts, looks at or uploads what it does not have.
    await tables.segment.change(frontier.pool, { id: segment }, { opened_at: fromNow(-100) });
    expect(await close(two)).toBe(1);
    expect((await tables.segment.row(frontier.pool, { id: segment })).state).toBe('open');
    await closeAndSettle(one);
    const listed = {
      ...(await tables.body.row(frontier.pool, { hash: sha256(body) })),
      name: '',
      folder: one.store.folder,
    };
    const { name } = await tables.segment.row(frontier.pool, { id: segment });
    expect(await two.archive.get(sha256(body), { ...listed, segment, name })).toEqual(body);
    expect((await readable(two)).sort()).toEqual(
      [sha256(body), sha256(own)].map((hash) => hash.toString('hex')).sort(),
    );
    expect(await tables.segment.row(frontier.pool, { id: segment })).toMatchObject({
      ...{ state: 'sealed', folder: null, settle_at: null },
    });
    expect(existsSync(path.join(folder, 'one', name))).toBe(false);
  });

  it('a body of a machine that will not come back counts as lost once an operator has said so', async () => {
    const [one, two] = [await startProcess('one'), await startProcess('two')];
    const body = text('lost with its machine');
    await keep(one, body);
    const givenUp = operationsSql('where folder =').replace(/[0-]{36}/, one.store.folder);
    expect(await frontier.pool.query(givenUp)).toMatchObject({ rowCount: 1 });
    rmSync(path.join(folder, 'one'), { recursive: true });
    expect(await readable(two)).toEqual([sha256(body).toString('hex')]);
    expect(await two.archive.get(sha256(body))).toBeNull();
    expect(await tables.body.count(frontier.pool)).toBe(0);
    while (await two.upkeep.look());
    await tables.segment.changeAny(frontier.pool, {}, { look_at: fromNow(-1) });
    while (await two.upkeep.look());
    expect(await tables.segment.count(frontier.pool)).toBe(0);
    expect(await keep(two, body)).toMatchObject({ known: false });
  });

  it('a segment whose process was killed between upload and commit is read, and noted by the next', async () => {
    const one = await startProcess('one');
    const body = text('uploaded, not noted');
    const { segment } = await keep(one, body);
    await close(one);
    const { name, length } = await tables.segment.row(frontier.pool, { id: segment });
    await one.store.settle(name, length ?? 0, () => Promise.resolve(true));
    expect(await one.archive.get(sha256(body))).toEqual(body);
    const two = await startProcess('two');
    await expect(two.archive.get(sha256(body))).rejects.toBeInstanceOf(NotHereYet);
    expect(await (await startProcess('one')).upkeep.settle()).toBe(true);
    expect(await two.archive.get(sha256(body))).toEqual(body);
  });

  it('a segment is uploaded by one process at a time', async () => {
    const [first, second] = [await startProcess('one'), await startProcess('one')];
    await keep(first, text('one upload'));
    await close(first);
    network.hold('PUT partNumber=1');
    const from = network.asked.length;
    const settling = first.upkeep.settle();
    await until('a part is on its way', () =>
      network.asked.slice(from).some((asked) => asked.startsWith('PUT')),
    );
    expect(await second.upkeep.settle()).toBe(false);
    network.hold(null);
    expect(await settling).toBe(true);
  });

  /** A segment whose only body is freed while the end of its upload is held, and which is due to be looked at. */
  async function freedInUpload(content: string) {
    const [one, other] = [await startProcess('one'), await startProcess('one')];
    const body = text(content);
    const { segment } = await keep(one, body);
    await close(one);
    const object = await objectOf(segment);
    network.hold('POST uploadId=');
    const from = network.asked.length;
    const settling = one.upkeep.settle().catch(() => 'failed');
    await until('the upload is about to end', () =>
      network.asked.slice(from).some((asked) => asked.startsWith('POST uploadId=')),
    );
    await tables.body.remove(frontier.pool, { hash: sha256(body) });
    await tables.segment.changeAny(frontier.pool, { id: segment }, { look_at: fromNow(-1) });
    return { other, object, settling };
  }

  it('a segment that is removed while it is uploaded leaves nothing in S3', async () => {
    const { other, object, settling } = await freedInUpload('freed meanwhile');
    network.hold(null);
    const removing = (async () => {
      while (await other.upkeep.look());
    })();
    await Promise.all([settling, removing]);
    while (await other.upkeep.look());
    expect(await tables.segment.count(frontier.pool)).toBe(0);
    expect([existsSync(object), await server.uploads()]).toEqual([false, []]);
  });

  it('a segment whose upload ends while it is removed leaves nothing in S3', async () => {
    const { other, object, settling } = await freedInUpload('freed as it settles');
    // S3 may end an upload after the object was removed: then it is there once more.
    const remove = other.store.remove.bind(other.store);
    vi.spyOn(other.store, 'remove').mockImplementation(async (name) => {
      await remove(name);
      mkdirSync(path.dirname(object), { recursive: true });
      writeFileSync(object, 'brought late');
      network.hold(null);
      await settling;
    });
    while (await other.upkeep.look());
    expect(await tables.segment.count(frontier.pool)).toBe(0);
    expect([existsSync(object), await server.uploads()]).toEqual([false, []]);
  });

  it('a segment that is mostly free is rewritten by any machine, while all read from it', async () => {
    const [one, two] = [await startProcess('one'), await startProcess('two')];
    const bodies = Array.from({ length: 30 }, () => randomBytes(2_000));
    const live = bodies.filter((_, at) => at % 3 === 0);
    const [first] = await Promise.all(bodies.map((body) => keep(one, body)));
    for (const body of bodies)
      if (!live.includes(body)) await tables.body.remove(frontier.pool, { hash: sha256(body) });
    await closeAndSettle(one);
    const object = await objectOf(first?.segment ?? 0);
    expect(existsSync(object)).toBe(true);
    let rewriting = true;
    let reads = 0;
    const reader = async ({ archive }: Process): Promise<void> => {
      while (rewriting)
        for (const body of live) {
          // A body that has moved is on the machine that moves it until its new segment has settled.
          const got = await archive.get(sha256(body)).catch((error: unknown) => error);
          if (!(got instanceof NotHereYet)) expect(got).toEqual(body);
          reads++;
        }
    };
    const reading = [reader(await startProcess('one')), reader(await startProcess('two'))];
    while (await two.upkeep.look());
    while (await two.upkeep.settle());
    rewriting = false;
    await Promise.all(reading);
    expect(reads).toBeGreaterThan(live.length);
    expect(existsSync(object)).toBe(false);
    for (const body of live) expect(await one.archive.get(sha256(body))).toEqual(body);
  });

  it('a flipped bit in S3 is told, the body is forgotten, and stored anew by the next put', async () => {
    const one = await startProcess('one');
    const body = text('one two three '.repeat(200));
    const { segment, at, length } = await keep(one, body);
    await closeAndSettle(one);
    flipBit(await objectOf(segment), at + Math.floor(length / 3));
    expect(await one.archive.get(sha256(body))).toBeNull();
    expect(await tables.body.count(frontier.pool)).toBe(0);
    expect(await keep(await startProcess('one'), body)).toMatchObject({ known: false });
    expect(await one.archive.get(sha256(body))).toEqual(body);
  });

  it('while S3 is down work is paused, no body is forgotten, and all goes on by itself', async () => {
    const one = await startProcess('one');
    const [body, waiting] = [text('in S3'), text('in the folder')];
    await keep(one, body);
    await closeAndSettle(one);
    await keep(await startProcess('one'), waiting);
    await close(one);
    const watched = watch(
      {
        pool: frontier.pool,
        fetcher: () => ({
          fetch: () => Promise.reject(new Error('sent')),
          addressOf: () => Promise.resolve(null),
          close: () => Promise.resolve(),
        }),
        resolver: { resolve: (name) => Promise.reject(new Error(`${name} is not asked for`)) },
      },
      {
        postgres: () => askDatabase(frontier.pool),
        blobs: (bytes) => one.store.probe(bytes),
        room: () => one.store.freeBytes(),
        dns: () => Promise.resolve(true),
      },
      pino({ level: 'silent' }),
    );
    onTestFinished(() => {
      watched.stop();
    });
    const blobs = watched.blobs(one.archive);
    network.meet('slow-down');
    await expect(blobs.get(sha256(body))).rejects.toThrow(/SlowDown/);
    expect(watched.outage()?.message).toMatch(/blob store is down.*SlowDown/s);
    await expect(blobs.get(sha256(body))).rejects.toBeInstanceOf(DependencyDown);
    await expect(blobs.put(capture(text('new')))).rejects.toBeInstanceOf(DependencyDown);
    await expect(one.upkeep.settle()).rejects.toThrow(/HTTP 503/);
    expect(await tables.body.count(frontier.pool)).toBe(2);
    network.meet(null);
    await expect.poll(() => watched.outage()).toBeNull();
    expect(await blobs.get(sha256(body))).toEqual(body);
    expect(await one.upkeep.settle()).toBe(true);
    expect(await (await startProcess('two')).archive.get(sha256(waiting))).toEqual(waiting);
  });
});
