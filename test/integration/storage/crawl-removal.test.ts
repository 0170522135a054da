/** Crawls are deleted with all that is theirs, batch by batch, and bodies only where nothing else has them. */
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { auditCrawl } from '../../../storage/reports/index.ts';
import {
  findCrawl,
  freeBodies,
  removeBatch,
  markExpired,
  markRemoved,
} from '../../../storage/crawls/index.ts';
import { addPage, newCrawl, newRunningCrawl, withServices } from '../api/world.ts';
import {
  addHost,
  addLetter,
  addUrl,
  changeCrawl,
  fromNow,
  rowsOfCrawl,
  setState,
  tables,
} from '../../support/database/index.ts';

const { pool } = withServices();

const bodyOf = (text: string) => ({ text, hash: hash('sha256', Buffer.from(text), 'buffer') });
const isStored = async (text: string): Promise<boolean> =>
  (await tables.body.count(pool, { hash: bodyOf(text).hash })) === 1;
const stored = async (text: string): Promise<void> => {
  if (await isStored(text)) return;
  await tables.body.add(pool, { hash: bodyOf(text).hash, segment: 1, at: 0, length: 1 });
};

/** A crawl that is over, with something in as many tables as possible. */
async function crawlWith(texts: readonly string[]): Promise<string> {
  const id = await newCrawl(pool, {}, ['https://a.example/', 'nonsense']);
  for (const [at, text] of texts.entries()) {
    await stored(text);
    const url = `https://${at % 2 === 0 ? 'a' : 'b'}.example/${String(at)}`;
    await addPage(pool, id, url, { title: text, text, links: ['/x'] });
  }
  const bad = await addUrl(pool, id, 'https://b.example/bad', { state: 'failed', reason: 'timeout' });
  await addLetter(pool, id, bad, 'timeout', { message: 'slow', attempts: 5 });
  await tables.revisit.add(pool, {
    ...{ host_id: bad.hostId, crawl_id: id, key: bad.key, segment: 1, at: 0, length: 1 },
  });
  await tables.attempt.add(pool, {
    ...{ host_id: bad.hostId, crawl_id: id, key: bad.key, class: 'timeout', message: 'slow' },
  });
  await addUrl(pool, id, 'https://c.example/waits');
  // Hosts below a domain are watched and held under the domain, where the crawl has no URL.
  const domain = { host_id: await addHost(pool, 'https://d-domain.example'), crawl_id: id };
  await tables.trapWatch.add(pool, { ...domain, state: {} });
  await tables.quarantine.add(pool, {
    ...{ ...domain, shape: 'hosts below d-domain.example', rule: 'names', evidence: {} },
    ...{ verdict: 'held', revision: 1 },
  });
  await setState(pool, id, 'finished', 'complete');
  return id;
}

/** Rows of a crawl, in every table that says whose its rows are. */
async function rowsOf(id: string): Promise<Record<string, number>> {
  const counts = Object.entries(await rowsOfCrawl(pool, id));
  expect(counts.length).toBeGreaterThan(14);
  return Object.fromEntries(counts.filter(([, n]) => n > 0));
}

async function until(step: () => Promise<boolean>): Promise<number> {
  for (let steps = 0; ; steps++) if (!(await step())) return steps;
}

describe('a crawl that is deleted', () => {
  it('leaves nothing behind, in small steps, and others alone', async () => {
    const other = await crawlWith(['shared', 'other']);
    const before = await rowsOf(other);
    const id = await crawlWith(['shared', 'own 1', 'own 2', 'own 3']);
    expect(await rowsOf(id)).toMatchObject({
      crawl: 1,
      url: 6,
      content: 4,
      reading: 4,
      dead_letter: 1,
      attempt: 1,
      seed: 2,
    });
    const [first] = await markRemoved(pool, id);
    expect(first).toMatchObject({ removed: true, urls: 6 });
    expect(await findCrawl(pool, id)).toBeNull();
    // What was done is done, whoever does the rest: each step stands by itself.
    expect(await removeBatch(pool, 1)).toBe(true);
    const [second] = await markRemoved(pool, id);
    expect(second).toMatchObject({ removed: true, urls: 5 });
    expect(await until(() => removeBatch(pool, 1))).toBeGreaterThan(6);
    expect(await rowsOf(id)).toEqual({});
    expect(await markRemoved(pool, id)).toEqual([]);
    expect(await rowsOf(other)).toEqual(before);
    expect(await auditCrawl(pool, other)).toMatchObject({ ok: true });

    await until(() => freeBodies(pool, 0));
    expect(await isStored('shared')).toBe(true);
    expect(await isStored('other')).toBe(true);
    for (const text of ['own 1', 'own 2', 'own 3']) expect(await isStored(text)).toBe(false);
    expect(await tables.freedBody.count(pool)).toBe(0);
  });

  it('is refused while it is not over, and waits for what is in flight', async () => {
    const id = await newRunningCrawl(pool);
    const [asked] = await markRemoved(pool, id);
    expect(asked).toMatchObject({ state: 'running', removed: false });
    expect(await findCrawl(pool, id)).not.toBeNull();
    const { hostId, key } = await addUrl(pool, id, 'https://d.example/', { state: 'leased' });
    await setState(pool, id, 'cancelled', null);
    await markRemoved(pool, id);
    expect(await removeBatch(pool)).toBe(false);
    await tables.url.change(
      pool,
      { host_id: hostId, crawl_id: id, key },
      { state: 'excluded', reason: 'dropped' },
    );
    await until(() => removeBatch(pool));
    expect(await rowsOf(id)).toEqual({});
  });

  it('keeps a body that is not read yet, and looks at no body too early', async () => {
    const id = await crawlWith(['unread', 'gone']);
    await markRemoved(pool, id);
    await until(() => removeBatch(pool));
    const open = await newCrawl(pool);
    await addUrl(pool, open, 'https://e.example/', {
      state: 'done',
      stage: 1,
      content_hash: bodyOf('unread').hash,
    });
    await freeBodies(pool, 60);
    expect(await isStored('gone')).toBe(true);
    await freeBodies(pool, 0);
    expect(await isStored('unread')).toBe(true);
    expect(await isStored('gone')).toBe(false);
    expect(await tables.freedBody.count(pool)).toBe(0);
  });
});

describe('retention', () => {
  it('is that of the crawl, else that of the instance, from the end of the crawl on', async () => {
    const ended = async (config: object, daysAgo: number): Promise<string> => {
      const id = await newCrawl(pool, config);
      await setState(pool, id, 'finished', 'complete');
      await changeCrawl(pool, id, { ended_at: fromNow(-daysAgo * 24 * 3_600) });
      return id;
    };
    const own = await ended({ retentionDays: 2 }, 3);
    const kept = await ended({ retentionDays: 30 }, 20);
    const common = await ended({}, 20);
    expect((await markExpired(pool, null)).map(({ id }) => id)).toEqual([own]);
    expect((await markExpired(pool, 10)).map(({ id }) => id)).toContain(common);
    expect(await findCrawl(pool, kept)).not.toBeNull();
    expect(await findCrawl(pool, common)).toBeNull();
  });
});
