/**
 * A process that is frozen (SIGSTOP, a machine that is suspended) between the decision to send and the sending, when
 * the connection stands already (docs/design.md, "Crash safety").
 *
 * @module-tag long
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { hostRow } from '../../support/database/index.ts';
import { freezingLine, stopped } from '../../support/freezing.ts';
import { makeBlobDir } from '../../support/worker.ts';
import { withWorld, withPool } from '../../support/world.ts';
import { cutVisit } from '../../../storage/leases/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { admission, expectExact, newHost, runningCrawl } from '../storage/frontier.ts';
import type { HostRef } from '../../../contracts/activities.ts';
import type { SliceOrder } from './slice-process.ts';
import { gaps, page, startSite, status, type Site } from './site.ts';

const world = withWorld();
const pool = withPool(world, 4);

const blobDir = makeBlobDir();
const delayMs = 300;

interface SliceProcess {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly output: () => string;
  readonly ended: Promise<unknown>;
}

/** @param agent what the site sees it by. */
function startSlice(agent: string, leaseSeconds: number, order: SliceOrder): SliceProcess {
  const script = fileURLToPath(new URL('slice-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(order)], {
    env: {
      ...{ PATH: process.env['PATH'], HOME: process.env['HOME'] },
      ORBWEAVER_DATABASE_URL: world.databaseUrl,
      ORBWEAVER_TEMPORAL_ADDRESS: world.temporalAddress,
      ORBWEAVER_BLOBS: blobDir,
      ORBWEAVER_LEASE_SECONDS: String(leaseSeconds),
      ORBWEAVER_USER_AGENT: agent,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  return { child, output: () => output, ended: once(child, 'close') };
}

/** A site whose every answer ends its connection, so that each request has one of its own. */
async function visited(): Promise<{ site: Site; host: HostRef; crawl: number; port: number }> {
  const closing = { connection: 'close' };
  const site = await startSite({
    '/robots.txt': status(404, closing),
    ...Object.fromEntries(['/a', '/b', '/c'].map((path) => [path, page(path, closing)])),
  });
  const { origin } = site;
  const id = await newHost(pool, origin);
  const config = { scope: 'any', delaySeconds: delayMs / 1_000, allowPrivate: ['127.0.0.0/8'] } as const;
  const crawl = await runningCrawl(pool, config);
  const admissions = ['/a', '/b', '/c'].map((path, at) =>
    admission(id, crawl, origin + path, { priority: 1 / (1 + at) }),
  );
  await new FrontierWriter(pool).write({ admissions });
  return { site, host: { hostId: String(id), origin }, crawl, port: Number(new URL(origin).port) };
}

/** `agent path` of each request that reached the site. */
const sent = (site: Site): string[] =>
  site.hits.map(({ headers, path }) => `${headers['user-agent'] ?? ''} ${path}`);

/** Ends the visit once the crawl has its pages: a visit waits a minute for what is read of them, and nobody reads here. */
async function endVisit({ hostId }: HostRef, crawl: number): Promise<void> {
  await expect.poll(async () => (await expectExact(pool, crawl)).done).toBe(3);
  await cutVisit(pool, hostId);
}

const leaseIsOver = async ({ hostId }: HostRef): Promise<boolean> =>
  (await hostRow(pool, hostId)).lease_until_ms < 0;

it.each([
  ['robots.txt', 1, []],
  ['a page', 3, ['frozen /robots.txt', 'frozen /a']],
])(
  'frozen before it sends for %s until its lease is another’s, it does not send',
  { tags: ['long'] },
  async (_what, nth, before) => {
    const { site, host, crawl, port } = await visited();
    const frozen = startSlice('frozen', 6, { host, freeze: { port, nth } });
    await expect.poll(frozen.output).toContain(freezingLine);
    await stopped(frozen.child.pid);
    expect(sent(site)).toEqual(before);

    await expect.poll(() => leaseIsOver(host)).toBe(true);
    const other = startSlice('other', 30, { host, freeze: null });
    await endVisit(host, crawl);
    await other.ended;
    const rest = ['/robots.txt', '/a', '/b', '/c'].slice(before.length).map((path) => `other ${path}`);
    expect([other.output(), sent(site)]).toEqual([expect.stringContaining('fetched'), [...before, ...rest]]);

    frozen.child.kill('SIGCONT');
    await frozen.ended;
    expect(frozen.output()).toContain(`fetched ${before.length === 0 ? '0' : '1'}\n`);
    expect(sent(site)).toEqual([...before, ...rest]);
    expect(site.together()).toBe(1);
    expect(Math.min(...gaps(site))).toBeGreaterThanOrEqual(delayMs);
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 3, leased: 0 });
  },
);

it('frozen there for a moment of a long lease, it goes on and sends', async () => {
  const { site, host, crawl, port } = await visited();
  const frozen = startSlice('frozen', 300, { host, freeze: { port, nth: 3 } });
  await expect.poll(frozen.output).toContain(freezingLine);
  await stopped(frozen.child.pid);
  expect(site.hits).toHaveLength(2);
  frozen.child.kill('SIGCONT');
  await endVisit(host, crawl);
  await frozen.ended;
  expect(frozen.output()).toContain('fetched 3\n');
  expect(site.paths()).toEqual(['/robots.txt', '/a', '/b', '/c']);
  expect(await expectExact(pool, crawl)).toMatchObject({ done: 3 });
});
