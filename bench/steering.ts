/**
 * `npm run bench -- steering`: how soon a crawl obeys while thousands of slow hosts are at work. It is looked at, paused and
 * resumed, a worker is killed and one frozen, another crawl ends by its time, and the crawl is cancelled. Times and
 * manners are those of the web's own log. Exits 1 where a target is missed or a host was asked impolitely.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlView } from '../contracts/http/crawls.ts';
import type { AuditView } from '../contracts/http/results.ts';
import { startEmbedded } from '../test/support/embedded.ts';
import { number, script, whole } from '../test/support/script.ts';
import { until } from '../test/support/until.ts';
import { pidOf } from '../test/stack/world.ts';
import { complaints, judge } from '../test/web/judge.ts';
import { spawnWeb } from '../test/web/spawn.ts';
import { median, table } from './figures.ts';

const { hosts, delay: delaySeconds } = script('bench -- steering', 'How soon a crawl of slow hosts obeys.')
  .option('--hosts <count>', 'at work', whole(), 2_000)
  .option('--delay <seconds>', 'of each host', number(0.1), 10)
  .parse()
  .opts<{ hosts: number; delay: number }>();
const reads = 50;
const freezeMs = 40_000;
const crawlSeconds = 20;
/** Long enough for what was in flight to be answered, and for what must not be sent to show. */
const quietMs = 15_000;
const longestMs = 300_000;
/**
 * Seconds, at most: between a command and the last request after it; for a status; past the end by time; from a kill to the
 * first request (a lease of 15 s runs out, is looked at twice, and its host is owed a full delay); to half the rate.
 */
const targets = { command: 2, status: 0.5, end: 10, first: 45, recovery: 120 };

/** The crawl that ends by its time has hosts of its own: a host gets the requests of two crawls closer together. */
const others = 100;
const web = await spawnWeb({
  ...{ seed: 6, hosts: hosts + others, pages: 60, bytes: 24_000, links: 40, crossShare: 0 },
  ...{ latencyMs: 200, warm: true },
});
const embedded = await startEmbedded({ allowPrivate: ['127.0.0.0/8'] });
const rows: (readonly [what: string, seconds: number, target: number])[] = [];
const tell = (what: string, seconds: number, target: number): void => {
  rows.push([what, seconds, target]);
  process.stderr.write(`${what}: ${seconds.toFixed(2)} s (at most ${String(target)})\n`);
};
const faults: string[] = [];
try {
  const seeds = web.seeds.slice(0, hosts);
  const { id } = await embedded.crawl({ seeds, scope: 'any', delaySeconds });
  const rate = async (ms: number): Promise<number> => {
    const before = await web.count();
    await sleep(ms);
    return ((await web.count()) - before) / (ms / 1_000);
  };
  const permitted = hosts / delaySeconds;
  await until('the hosts are at work', async () => (await rate(5_000)) > 0.8 * permitted, longestMs);

  const waits: number[] = [];
  for (let n = 0; n < reads; n++) {
    const from = performance.now();
    await embedded.ask<CrawlView>(`/v1/crawls/${id}`);
    waits.push(performance.now() - from);
    await sleep(100);
  }
  tell(`status, median of ${String(reads)}`, median(waits) / 1_000, targets.status);
  tell('status, slowest', Math.max(...waits) / 1_000, targets.command);

  /** Seconds from before the command to the last request that was sent. */
  const silencedBy = async (what: string, command: () => Promise<unknown>): Promise<void> => {
    const from = web.now();
    await command();
    tell(`${what}: answer`, (web.now() - from) / 1_000, targets.command);
    await sleep(quietMs);
    const last = Math.max(from, ...(await web.log()).map(({ start }) => start));
    tell(`${what}: last request`, (last - from) / 1_000, targets.command);
  };
  /** Seconds until the rate is back at half of what is permitted. */
  const backAtWork = async (what: string, from: number, target: number): Promise<void> => {
    await until(what, async () => (await rate(1_000)) > 0.5 * permitted, longestMs);
    tell(what, (web.now() - from) / 1_000, target);
  };
  await silencedBy('pause', () => embedded.ask(`/v1/crawls/${id}/pause`, {}));
  const resumed = web.now();
  await embedded.ask(`/v1/crawls/${id}/resume`, {});
  await backAtWork('resume: half the rate', resumed, targets.recovery);

  const killed = web.now();
  await embedded.kill('worker');
  await backAtWork('kill -9 of the process that fetches: half the rate', killed, targets.recovery);
  const again = Math.min(...(await web.log()).map(({ start }) => start).filter((start) => start > killed));
  tell('kill -9 of the process that fetches: first request', (again - killed) / 1_000, targets.first);

  const pid = pidOf(embedded.dataDir, 'worker');
  process.kill(pid, 'SIGSTOP');
  await sleep(freezeMs);
  process.kill(pid, 'SIGCONT');
  await backAtWork('half the rate after a freeze', web.now(), targets.recovery);

  const begun = performance.now();
  const other = await embedded.crawl({
    ...{ seeds: web.seeds.slice(hosts), scope: 'any', delaySeconds, maxSeconds: crawlSeconds },
  });
  await embedded.ended(other.id, longestMs);
  tell(
    `a crawl of ${String(crawlSeconds)} s: past its end`,
    (performance.now() - begun) / 1_000 - crawlSeconds,
    targets.end,
  );

  await silencedBy('cancel', () => embedded.ask(`/v1/crawls/${id}/cancel`, {}));
  await embedded.ended(id, longestMs);
  const audit = await embedded.ask<AuditView>(`/v1/crawls/${id}/audit`);
  if (!audit.ok) faults.push('the audit finds differences');
  const verdict = judge(await web.log(), { delayMs: delaySeconds * 1_000 });
  // What a killed process had in flight is fetched again.
  process.stderr.write(`${String(verdict.repeated.size)} URLs were fetched twice\n`);
  faults.push(...complaints({ ...verdict, repeated: new Map(), robotsRepeated: new Map() }));
} finally {
  await embedded.close();
  await web.stop();
}
const missed = rows.filter(([, seconds, target]) => seconds > target);
process.stdout.write(
  `${table([
    ['', 's', 'at most'],
    ...rows.map(([what, seconds, target]) => [what, seconds.toFixed(2), String(target)]),
  ])}\n`,
);
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(missed.length + faults.length === 0 ? 'targets: met\n' : 'targets: MISSED\n');
process.exitCode = missed.length + faults.length === 0 ? 0 : 1;
