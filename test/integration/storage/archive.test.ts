/** Bodies in segments, with the rows that say where: what crashes, freezes and old disks do to them. */
import { hash as digest, randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  Archive,
  SegmentFolder,
  SegmentUpkeep,
  type Capture,
  type Kept,
  type SegmentRules,
} from '../../../storage/archive/index.ts';
import { committedSegments, holdArchive } from '../../../storage/backups/index.ts';
import { freeBodies, markRemoved, removeBatch } from '../../../storage/crawls/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { noteWorker } from '../../../storage/instance/index.ts';
import { addUrl, fromNow, holdQueue, tables, type UrlPlace } from '../../support/database/index.ts';
import { allMembers } from '../../support/all-members.ts';
import { flipBit } from '../../support/flip-bit.ts';
import { operationsSql } from '../../support/operations-sql.ts';
import { moveCrawl, result, runningCrawl, withFrontier } from './frontier.ts';

const { pool } = withFrontier();
let folder: string;
let crawl: number;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-archive-'));
  crawl = await runningCrawl(pool);
});
afterEach(async () => {
  for (const each of ['segment', 'body', 'revisit', 'freedBody', 'worker', 'content'] as const)
    await tables[each].remove(pool);
  rmSync(folder, { recursive: true, force: true });
});

const maxBytes = 1024 * 1024;

/** A worker process, as far as the archive goes. */
interface Process {
  readonly id: string;
  readonly archive: Archive;
  readonly upkeep: SegmentUpkeep;
  readonly writer: FrontierWriter;
  /** Segments of which the process was told that they are closed. */
  readonly closed: number[];
}

function startProcess(over: Partial<SegmentRules> = {}): Process {
  const id = randomUUID();
  const usual = { format: 'zstd', maxBytes: 2 ** 30, maxAgeMs: 3_600_000, software: 'Test/1.0' } as const;
  const rules: SegmentRules = { ...usual, owner: id, ...over };
  const store = new SegmentFolder(folder);
  const archive = new Archive(pool, store, maxBytes, rules);
  const closed: number[] = [];
  const onClosed = (segment: number): void => {
    closed.push(segment);
    void archive.own.giveUp(segment);
  };
  const writer = new FrontierWriter(pool, { onClosed });
  return { id, archive, upkeep: new SegmentUpkeep(pool, store, rules), writer, closed };
}

const sha256 = (body: Uint8Array): Buffer => digest('sha256', body, 'buffer');
const capture = (body: Uint8Array, url = 'https://a.example/'): Capture => ({
  ...{ hash: sha256(body), url, at: new Date(), remoteAddress: null, asked: {} },
  ...{ status: 200, headers: { 'content-type': 'text/html' }, body, truncated: false },
});

let urls = 0;
const leasedUrl = (token = 7) =>
  addUrl(pool, crawl, `https://a.example/${String(urls++)}`, {
    state: 'leased',
    lease_token: token,
  });

/** Commits the result of a fetch; answers whether the commit took it. */
async function commit(
  { writer }: Process,
  body: Uint8Array,
  kept: Kept,
  { hostId, key }: UrlPlace,
): Promise<boolean> {
  const place = { host_id: hostId, crawl_id: crawl, key: key.toString('hex'), token: 7 };
  const row = result(place, 'done', { stage: 1, content_hash: sha256(body).toString('hex'), ...kept });
  await writer.write({ results: [row] });
  const url = await tables.url.row(pool, { host_id: hostId, crawl_id: crawl, key });
  return url.state === 'done';
}

async function store(process: Process, body: Uint8Array): Promise<Kept> {
  const kept = await process.archive.put(capture(body));
  expect(await commit(process, body, kept, await leasedUrl())).toBe(true);
  return kept;
}
const nameOf = async (id: number): Promise<string> => (await tables.segment.row(pool, { id })).name;
const fileOf = async (id: number): Promise<string> => path.join(folder, await nameOf(id));
const typesIn = (file: string): (string | undefined)[] =>
  [
    ...allMembers(readFileSync(file), 'zstd')
      .toString('latin1')
      .matchAll(/^WARC-Type: (\w+)/gm),
  ].map(([, type]) => type);
const text = (content: string): Buffer => Buffer.from(content);

describe('a body', () => {
  it('is there for every process once its result is committed, and not before', async () => {
    const process = startProcess();
    const body = text('one');
    const kept = await process.archive.put(capture(body));
    expect(await startProcess().archive.get(sha256(body))).toBeNull();
    expect(await commit(process, body, kept, await leasedUrl())).toBe(true);
    expect(await startProcess().archive.get(sha256(body))).toEqual(body);
  });

  it('that comes with a lost lease is not stored', async () => {
    const process = startProcess();
    const body = text('late');
    expect(await commit(process, body, await process.archive.put(capture(body)), await leasedUrl(8))).toBe(
      false,
    );
    expect(await tables.body.count(pool)).toBe(0);
  });

  it('that is known makes a revisit, with a head of its own', async () => {
    const [first, second] = [startProcess(), startProcess()];
    const body = text('the same '.repeat(1_000));
    expect(await store(first, body)).toMatchObject({ known: false });
    expect(await store(second, body)).toMatchObject({ known: true });
    const [row] = await tables.revisit.rows(pool);
    if (row === undefined) throw new Error('no revisit');
    const read = await first.archive.ownAnswer(row.host_id, String(row.crawl_id), row.key, sha256(body));
    expect(
      await first.archive.ownAnswer(row.host_id, String(row.crawl_id), row.key, sha256(text('another'))),
    ).toBeNull();
    expect([read?.head.split('\r\n')[0], read?.body.length]).toEqual(['HTTP/1.1 200 OK', 0]);
    expect(typesIn(await fileOf(row.segment))).toEqual(['warcinfo', 'revisit', 'request']);
  });

  it('that many bring at once is stored once', async () => {
    const processes = [startProcess(), startProcess()];
    const body = text('everybody has this page');
    const all = Array.from({ length: 8 }, (_, at) => processes[at % 2] ?? startProcess());
    await Promise.all(all.map((process) => store(process, body)));
    expect(await tables.body.count(pool)).toBe(1);
    expect(await startProcess().archive.get(sha256(body))).toEqual(body);
  });

  it('with a flipped bit is told, forgotten, and stored anew by the next put', async () => {
    const process = startProcess();
    const body = text('one two three '.repeat(200));
    const { segment, at, length } = await store(process, body);
    flipBit(await fileOf(segment), at + Math.floor(length / 3));
    expect(await process.archive.get(sha256(body))).toBeNull();
    expect(await tables.body.count(pool)).toBe(0);
    expect(await store(process, body)).toMatchObject({ known: false });
    expect(await process.archive.get(sha256(body))).toEqual(body);
  });

  it('whose segment is gone is told too', async () => {
    const process = startProcess();
    const body = text('one');
    const { segment } = await store(process, body);
    rmSync(await fileOf(segment));
    expect(await process.archive.get(sha256(body))).toBeNull();
    expect(await process.archive.get(sha256(body))).toBeNull();
  });

  it('whose segment an operator has given up is missed by no backup, and forgotten', async () => {
    const process = startProcess();
    const body = text('lost for good');
    const { segment } = await store(process, body);
    const name = await nameOf(segment);
    await process.upkeep.closeLeft(0);
    rmSync(path.join(folder, name));
    expect(await committedSegments(pool)).toMatchObject([{ name, length: expect.any(Number) as number }]);
    await pool.query(operationsSql('where name in').replace('…', name));
    expect(await committedSegments(pool)).toMatchObject([{ name, length: 0 }]);
    expect(await process.archive.get(sha256(body))).toBeNull();
    expect(await tables.body.count(pool)).toBe(0);
    await tables.segment.changeAny(pool, {}, { look_at: fromNow(-1) });
    expect(await process.upkeep.look()).toBe(true);
    expect(await tables.segment.count(pool)).toBe(0);
  });

  it('cannot be read from a place that holds another', async () => {
    const process = startProcess();
    const [one, two] = [text('one'), text('two')];
    const [first, second] = [await store(process, one), await store(process, two)];
    await tables.body.change(pool, { hash: sha256(one) }, { at: second.at, length: second.length });
    expect(second.at).toBeGreaterThan(first.at);
    expect(await process.archive.get(sha256(one))).toBeNull();
    expect(await process.archive.get(sha256(two))).toEqual(two);
  });
});

describe('a segment', () => {
  it('belongs to one process: two write to two', async () => {
    const [first, second] = [startProcess(), startProcess()];
    const [a, b] = [await store(first, text('a')), await store(second, text('b'))];
    expect(a.segment).not.toBe(b.segment);
    expect((await store(first, text('c'))).segment).toBe(a.segment);
  });

  it('gives way to a new one when it is large or old enough', async () => {
    const large = startProcess({ maxBytes: 500 });
    expect((await store(large, randomBytes(900))).segment).not.toBe((await store(large, text('x'))).segment);
    const old = startProcess({ maxAgeMs: 0 });
    const first = await store(old, text('y'));
    await old.archive.own.turn();
    expect((await store(old, text('z'))).segment).not.toBe(first.segment);
  });

  it('of a dead process is cut where the last commit ends; that of a living one is left alone', async () => {
    const [dead, living] = [startProcess(), startProcess()];
    await noteWorker(pool, living.id, ['fetch'], null);
    const kept = await store(dead, text('kept '.repeat(100)));
    await dead.archive.put(capture(text('appended, never committed')));
    const file = await fileOf(kept.segment);
    appendFileSync(file, randomBytes(777));
    const other = await store(living, text('other'));
    await tables.segment.change(pool, {}, { opened_at: fromNow(-100) });
    expect(await startProcess().upkeep.closeLeft(60)).toBe(1);
    expect(await tables.segment.row(pool, { id: kept.segment })).toMatchObject({
      ...{ state: 'sealed', length: kept.at + kept.length },
    });
    expect(readFileSync(file).length).toBe(kept.at + kept.length);
    expect(typesIn(file)).toEqual(['warcinfo', 'response', 'request']);
    expect(await tables.segment.row(pool, { id: other.segment })).toMatchObject({ state: 'open' });
    expect(await living.archive.get(sha256(text('kept '.repeat(100))))).not.toBeNull();
  });

  it('that was closed while its process was frozen between append and commit takes no commit', async () => {
    const process = startProcess();
    const [kept, late] = [text('kept'), text('late')];
    const first = await store(process, kept);
    const appended = await process.archive.put(capture(late));
    await startProcess().upkeep.closeLeft(0);
    expect(await commit(process, late, appended, await leasedUrl())).toBe(false);
    expect(process.closed).toEqual([appended.segment]);
    expect(await process.archive.get(sha256(late))).toBeNull();
    // The page is fetched again, and goes to a new segment.
    const again = await store(process, late);
    expect(again.segment).not.toBe(first.segment);
    expect(await process.archive.get(sha256(late))).toEqual(late);
    expect(await process.archive.get(sha256(kept))).toEqual(kept);
    expect(typesIn(await fileOf(first.segment))).toEqual(['warcinfo', 'response', 'request']);
  });

  it('that is closed while a commit waits has all of it, or nothing', async () => {
    const [process, other] = [startProcess(), startProcess()];
    const body = text('in the balance');
    await store(process, text('before'));
    const kept = await process.archive.put(capture(body));
    const url = await leasedUrl();
    const queue = await holdQueue(pool, url.hostId, crawl);
    const committing = commit(process, body, kept, url);
    await expect.poll(() => queue.waiting()).toBe(1);
    let isClosed = false;
    const closing = other.upkeep.closeLeft(0).then(() => (isClosed = true));
    await expect.poll(async () => isClosed || (await queue.waiting()) === 2).toBe(true);
    await queue.release();
    const taken = await committing;
    await closing;
    const { length } = await tables.segment.row(pool, { id: kept.segment });
    expect((length ?? 0) >= kept.at + kept.length).toBe(taken);
    expect((await other.archive.get(sha256(body))) !== null).toBe(taken);
  });

  it('that its process ends in order is whole and sealed at once', async () => {
    const process = startProcess();
    const kept = await store(process, text('one'));
    const ended = await process.archive.own.end();
    if (ended === null) throw new Error('no segment');
    await process.upkeep.close(ended);
    expect(await tables.segment.row(pool, { id: kept.segment })).toMatchObject({ state: 'sealed' });
  });

  it('without any commit is removed', async () => {
    const process = startProcess();
    const { segment } = await process.archive.put(capture(text('never committed')));
    const file = await fileOf(segment);
    await process.upkeep.closeLeft(0);
    expect(await process.upkeep.look()).toBe(true);
    expect([existsSync(file), await tables.segment.count(pool)]).toEqual([false, 0]);
  });
});

it('no segment is removed, rewritten or merged while a backup copies the archive', async () => {
  const process = startProcess();
  const { segment } = await process.archive.put(capture(text('never committed')));
  const file = await fileOf(segment);
  await process.upkeep.closeLeft(0);
  const backup = await pool.connect();
  await holdArchive(backup);
  expect([await process.upkeep.look(), await process.upkeep.merge(), existsSync(file)]).toEqual([
    false,
    false,
    true,
  ]);
  // As when it is killed: its session ends.
  backup.release(true);
  await expect.poll(() => process.upkeep.look()).toBe(true);
  expect(existsSync(file)).toBe(false);
});

it('a segment of which Postgres knows nothing, as after a restore, is left alone, and any tool reads it', async () => {
  const process = startProcess();
  const kept = await store(process, text('known before'));
  const file = await fileOf(kept.segment);
  for (const table of ['body', 'revisit', 'segment'] as const) await tables[table].remove(pool);
  const next = startProcess();
  await store(next, text('known now'));
  await next.upkeep.closeLeft(0);
  while (await next.upkeep.look());
  expect(await next.upkeep.merge()).toBe(false);
  expect(typesIn(file)).toEqual(['warcinfo', 'response', 'request']);
  expect((await next.archive.get(sha256(text('known now'))))?.toString()).toBe('known now');
});

describe('a segment that is mostly free', () => {
  const bodies = Array.from({ length: 120 }, () => randomBytes(2_000));
  const live = bodies.filter((_, at) => at % 3 === 0);

  /** Stores all bodies and a revisit, and frees two thirds. */
  async function halfFree(): Promise<{ process: Process; segment: number; file: string }> {
    const process = startProcess();
    const kept = await Promise.all(bodies.map((body) => store(process, body)));
    await store(process, live[0] ?? text(''));
    const segment = kept[0]?.segment ?? 0;
    for (const body of bodies)
      if (!live.includes(body)) await tables.body.remove(pool, { hash: sha256(body) });
    const file = await fileOf(segment);
    await process.upkeep.closeLeft(0);
    return { process, segment, file };
  }

  async function expectMoved(process: Process, file: string): Promise<void> {
    expect(existsSync(file)).toBe(false);
    for (const body of live)
      expect(body.equals((await process.archive.get(sha256(body))) ?? text(''))).toBe(true);
    const [segment, ...others] = (await tables.segment.rows(pool)).filter(({ length }) => length !== 0);
    expect([segment?.state, others]).toEqual(['sealed', []]);
    const moved = await fileOf(segment?.id ?? 0);
    expect(typesIn(moved).filter((type) => type === 'response')).toHaveLength(live.length);
    expect(typesIn(moved).filter((type) => type === 'revisit')).toHaveLength(1);
    const [revisit] = await tables.revisit.rows(pool);
    if (revisit === undefined) throw new Error('no revisit');
    expect(
      await process.archive.ownAnswer(
        ...([revisit.host_id, String(revisit.crawl_id), revisit.key] as const),
        sha256(live[0] ?? text('')),
      ),
    ).not.toBeNull();
  }

  it('is rewritten while others read from it, and no reader misses anything', async () => {
    const { process, file } = await halfFree();
    let rewriting = true;
    let reads = 0;
    const readers = [1, 2, 3].map(async () => {
      const { archive } = startProcess();
      while (rewriting)
        for (const body of live) {
          expect(await archive.get(sha256(body))).not.toBeNull();
          reads++;
        }
    });
    while (await process.upkeep.look());
    rewriting = false;
    await Promise.all(readers);
    expect(reads).toBeGreaterThan(live.length);
    await expectMoved(process, file);
  });

  it('is rewritten once by two processes that try at the same time', async () => {
    const { process, segment, file } = await halfFree();
    const others = [startProcess(), startProcess()];
    const again = () => tables.segment.changeAny(pool, { id: segment }, { look_at: fromNow(-1) });
    await Promise.all(
      others.map(async ({ upkeep }) => {
        for (let looks = 0; looks < 5; looks++) {
          await again();
          await upkeep.look();
        }
      }),
    );
    await again();
    while (await process.upkeep.look());
    for (const body of live) expect(await process.archive.get(sha256(body))).not.toBeNull();
    expect(existsSync(file)).toBe(false);
  });

  it('is rewritten to its end by the next process, if one is killed in the middle', async () => {
    const { process, segment, file } = await halfFree();
    let looks = 0;
    expect(await startProcess().upkeep.look(() => looks++ < 1)).toBe(true);
    expect(existsSync(file)).toBe(true);
    await tables.segment.change(pool, { id: segment }, { look_at: fromNow(-1) });
    while (await process.upkeep.look());
    for (const body of live) expect(await process.archive.get(sha256(body))).not.toBeNull();
    expect(existsSync(file)).toBe(false);
  });
});

describe('small segments', () => {
  /** A segment for each list of bodies, as short crawls leave them; the last body of each comes twice. */
  async function segments(lists: readonly (readonly Buffer[])[]): Promise<string[]> {
    const files: string[] = [];
    for (const bodies of lists) {
      const process = startProcess();
      for (const body of bodies) files[files.length] = await fileOf((await store(process, body)).segment);
      await store(process, bodies.at(-1) ?? text(''));
      const ended = await process.archive.own.end();
      if (ended !== null) await process.upkeep.close(ended);
    }
    return [...new Set(files)];
  }
  const some = (count: number, bytes: number): Buffer[] =>
    Array.from({ length: count }, () => randomBytes(bytes));
  const readable = async (bodies: readonly Buffer[]): Promise<void> => {
    for (const body of bodies) expect(await startProcess().archive.get(sha256(body))).toEqual(body);
  };

  it('become one, once there are eight of about a size, while others read from them', async () => {
    const lists = Array.from({ length: 7 }, () => some(2, 900));
    const large = some(1, 90_000);
    const files = await segments([...lists, large]);
    const { upkeep } = startProcess();
    expect(await upkeep.merge()).toBe(false);
    lists.push(some(2, 900));
    files.push(...(await segments(lists.slice(7))));
    const over = new AbortController();
    const reading = (async () => {
      while (!over.signal.aborted) await readable(lists.flat());
    })();
    while (await upkeep.merge());
    over.abort();
    await reading;
    expect(files.map((file) => existsSync(file))).toEqual(files.map((_, at) => at === 7));
    const left = await tables.segment.rows(pool);
    expect(left.map(({ state }) => state)).toEqual(['sealed', 'sealed']);
    await readable([...lists.flat(), ...large]);
    const merged = await fileOf(left[1]?.id ?? 0);
    expect(typesIn(merged).filter((type) => type === 'response')).toHaveLength(16);
    expect(typesIn(merged).filter((type) => type === 'revisit')).toHaveLength(8);
  });

  it('become one, if one process is killed in the middle, and two others do it at the same time', async () => {
    const lists = Array.from({ length: 11 }, () => some(2, 900));
    const files = await segments(lists);
    const existing = (): string[] => files.filter((file) => existsSync(file));
    // Two are moved, and of the third its records, but not the row that says so.
    let steps = 0;
    expect(await startProcess().upkeep.merge(() => steps++ < 5)).toBe(true);
    expect(existing()).toEqual(files.slice(2));
    await readable(lists.flat());
    await Promise.all([startProcess().upkeep.merge(), startProcess().upkeep.merge()]);
    expect(existing()).toEqual(files.slice(10));
    await readable(lists.flat());
  });

  it('stay as they are where they are few, or large', async () => {
    const lists = Array.from({ length: 8 }, () => some(1, 900));
    const files = await segments(lists);
    expect(await startProcess({ maxBytes: 8_000 }).upkeep.merge()).toBe(false);
    expect(files.every((file) => existsSync(file))).toBe(true);
  });
});

describe('a body that is freed while somebody brings it again', () => {
  const body = text('known to all');

  it('before the commit: the commit is refused, and the page is fetched again', async () => {
    const process = startProcess();
    await store(process, body);
    await tables.url.change(pool, { crawl_id: crawl }, { stage: 0 });
    const again = await process.archive.put(capture(body));
    expect(again.known).toBe(true);
    await tables.freedBody.add(pool, { hash: sha256(body) });
    await freeBodies(pool, 0);
    expect(await commit(process, body, again, await leasedUrl())).toBe(false);
    expect(await store(process, body)).toMatchObject({ known: false });
    expect(await process.archive.get(sha256(body))).toEqual(body);
  });

  it('after the commit: it is kept', async () => {
    const process = startProcess();
    await store(process, body);
    await tables.url.change(pool, { crawl_id: crawl }, { stage: 0 });
    await tables.freedBody.add(pool, { hash: sha256(body) });
    await store(process, body);
    await freeBodies(pool, 0);
    expect(await process.archive.get(sha256(body))).toEqual(body);
  });

  it('at any time: no page is left without its body', async () => {
    const process = startProcess();
    for (let round = 0; round < 15; round++) {
      const each = text(`round ${String(round)}`);
      await store(process, each);
      await tables.url.change(pool, { crawl_id: crawl }, { stage: 0 });
      await tables.freedBody.add(pool, { hash: sha256(each) });
      const again = await process.archive.put(capture(each));
      const url = await leasedUrl();
      const [taken] = await Promise.all([commit(process, each, again, url), freeBodies(pool, 0)]);
      expect((await process.archive.get(sha256(each))) !== null).toBe(taken);
    }
  });
});

it('a crawl that is deleted gives its room back, but for what another crawl has too', async () => {
  const process = startProcess();
  const [shared, own] = [text('shared'), text('own '.repeat(500))];
  const first = await store(process, own);
  await store(process, shared);
  const ended = await process.archive.own.end();
  if (ended === null) throw new Error('no segment');
  await process.upkeep.close(ended);
  const file = await fileOf(first.segment);
  const deleted = crawl;
  crawl = await runningCrawl(pool);
  const again = startProcess();
  await store(again, shared);
  await moveCrawl(pool, deleted, 'cancelled');
  await tables.url.change(pool, { crawl_id: deleted }, { stage: 0 });
  await markRemoved(pool, String(deleted));
  while (await removeBatch(pool));
  while (await freeBodies(pool, 0));
  while (await process.upkeep.look());
  expect(existsSync(file)).toBe(false);
  expect(await again.archive.get(sha256(own))).toBeNull();
  expect(await again.archive.get(sha256(shared))).toEqual(shared);
});
