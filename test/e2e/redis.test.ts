/**
 * Redis is only ever a cache (docs/design.md, "Who owns what"): whatever happens to it in the middle of a crawl, no URL is
 * lost, and none is fetched twice (F44).
 *
 * @module-tag deep
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { auditCrawl } from '../../storage/reports/index.ts';
import { openDesk } from '../support/crawling.ts';
import { startNameServer } from '../support/name-server.ts';
import { hasRedis, startRedis, type RedisServer } from '../support/redis-server.ts';
import { bare, startOwnStack } from '../support/start-stack.ts';
import { until } from '../support/until.ts';
import { makeBlobDir, startWorker } from '../support/worker.ts';
import { createWorld } from '../support/world.ts';
import { expectedOf, pageKey } from '../web/expected.ts';
import { complaints, judge } from '../web/judge.ts';
import { startWeb, type Web } from '../web/server.ts';

const delaySeconds = 0.15;
const own: { close(): Promise<unknown> }[] = [];
const kept = <T extends { close(): Promise<unknown> }>(one: T): T => {
  own.push(one);
  return one;
};
afterEach(async () => {
  for (const each of own.splice(0).toReversed()) await each.close();
});

const pagesOf = (web: Web): number => web.log().filter(({ url }) => !url.endsWith('/robots.txt')).length;
const untilAsked = (web: Web, pages: number): Promise<unknown> =>
  until(`${String(pages)} pages were asked for`, () => pagesOf(web) >= pages);

/** With owners and modes: the embedded Postgres may run as a user of its own. */
const copy = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to]);

/** Every key is replaced: what is no set where sets belong, lists of addresses that are none, or have no end. */
async function poison({ ask }: RedisServer): Promise<number> {
  const names = await ask.keys('*');
  for (const [at, name] of names.entries()) {
    if (name.startsWith('seen:')) await ask.set(name, 'no set');
    else await ask.set(name, ['x'.repeat(20_000_000), '256.1.1.1,', '{}'][at % 3] ?? '', 'PX', 2 ** 40);
  }
  return names.length;
}

/** Not a byte more goes in: each write is refused, or pushes something out. */
async function fill({ ask }: RedisServer, policy: 'noeviction' | 'allkeys-lru'): Promise<void> {
  await ask.config('SET', 'maxmemory-policy', policy);
  await ask.config('SET', 'maxmemory', '1');
  if (policy === 'noeviction') await expect(ask.set('more', 'x')).rejects.toThrow('OOM');
}

describe.skipIf(!hasRedis())('Redis in the middle of a crawl (needs redis-server)', () => {
  it('may be flushed, full, frozen, killed, poisoned or older than it was: each page is fetched once', async () => {
    const redis = kept(await startRedis());
    const names = kept(await startNameServer('127.0.0.1'));
    const world = kept(await createWorld());
    const desk = kept(await openDesk(world));
    const settings = { blobDir: makeBlobDir(), dns: names.address };
    const withRedis = { ...world, redisUrl: redis.url };
    const workers = await Promise.all([startWorker(withRedis, settings), startWorker(withRedis, settings)]);
    for (const worker of workers) kept({ close: () => worker.kill() });
    const web = await startWeb({
      seed: 41,
      hosts: 6,
      pages: 50,
      wrinkles: 2,
      spread: 'names',
      latencyMs: 10,
    });
    kept({ close: () => web.stop() });
    const id = await desk.start(web.seeds, { scope: 'any', delaySeconds });

    await untilAsked(web, 25);
    // Nothing else is shared: what robots.txt says is in Postgres, under its own life.
    const kinds = async () => new Set((await redis.ask.keys('*')).map((name) => name.split(':', 1)[0]));
    await until('Redis knows URLs and names', async () => (await kinds()).size > 1);
    expect([...(await kinds())].toSorted()).toEqual(['dns', 'seen']);
    await redis.save();
    await untilAsked(web, 50);
    await redis.ask.flushall();
    await untilAsked(web, 75);
    await redis.freeze();
    await untilAsked(web, 110);
    redis.thaw();
    await untilAsked(web, 125);
    await redis.restart('empty');
    await untilAsked(web, 150);
    await fill(redis, 'noeviction');
    await untilAsked(web, 175);
    await fill(redis, 'allkeys-lru');
    await untilAsked(web, 200);
    // It knows some of the URLs of the crawl's beginning and none of the later ones.
    await redis.restart('saved');
    expect(await redis.ask.dbsize()).toBeGreaterThan(0);
    await untilAsked(web, 225);
    expect(await poison(redis)).toBeGreaterThan(0);
    await untilAsked(web, 250);
    await redis.kill();

    expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
    const verdict = judge(web.log(), { delayMs: delaySeconds * 1_000, expected: expectedOf(web.plan) });
    expect(complaints(verdict)).toEqual([]);
    expect(verdict.requests).toBeGreaterThan(300);
    expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
  });

  it('that knows more than a Postgres which was restored from a backup loses none of what the backup lacks', async () => {
    const redis = kept(await startRedis());
    const first = await startOwnStack(bare);
    const { dataDir } = first;
    let stack = first.stack;
    kept({
      close: async () => {
        await stack.stop();
        rmSync(dataDir, { recursive: true, force: true });
      },
    });
    const [data, backup] = [path.join(dataDir, 'postgres'), path.join(dataDir, 'backup')];
    const blobDir = makeBlobDir();
    const web = await startWeb({ seed: 43, hosts: 3, pages: 40, latencyMs: 10 });
    kept({ close: () => web.stop() });

    const work = async () => {
      const world = {
        ...{
          databaseUrl: stack.postgresUrl,
          temporalAddress: stack.temporalAddress,
          redisUrl: redis.url,
        },
        namespace: stack.temporalNamespace,
      };
      return { desk: await openDesk(world), worker: await startWorker(world, { blobDir }) };
    };
    const again = async (change: () => void): Promise<void> => {
      await stack.stop();
      change();
      stack = (await startOwnStack({ ...bare, dataDir })).stack;
    };

    let { desk, worker } = await work();
    const id = await desk.start(web.seeds, { scope: 'any', delaySeconds });
    await untilAsked(web, 20);
    await worker.kill();
    await desk.close();
    await again(() => copy(data, backup));
    ({ desk, worker } = await work());
    await untilAsked(web, 70);
    await worker.kill();
    await desk.close();
    // Redis knows URLs that nobody has heard of any more.
    await again(() => {
      rmSync(data, { recursive: true });
      copy(backup, data);
    });
    const restoredAt = web.log().length;
    ({ desk, worker } = await work());
    kept({ close: () => desk.close() });
    kept({ close: () => worker.kill() });

    expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
    const verdict = judge(web.log(), { delayMs: delaySeconds * 1_000, expected: expectedOf(web.plan) });
    expect(verdict).toMatchObject({ missing: [], unexpected: [], overlaps: [], tooSoon: [] });
    // Since the backup, each page that it did not know as done was asked for once.
    const since = web
      .log()
      .slice(restoredAt)
      .filter(({ url }) => !url.endsWith('/robots.txt'));
    const keys = since.map(({ url }) => pageKey(url));
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.length).toBeGreaterThan(90);
    expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
  });
});
