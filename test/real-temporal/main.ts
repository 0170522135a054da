/**
 * `npm run real-temporal`: an end-to-end crawl, and the tests that kill and freeze workers, against a Temporal server
 * with its history and visibility in Postgres instead of the development server on SQLite. Builds the server the first
 * time. Prints what the crawl took, beside the same crawl on the development server; exits 1 where the crawl or a test
 * fails.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../config/config.ts';
import { codeRoot } from '../../config/package.ts';
import { usageOf } from '../../bench/meter.ts';
import { pidOf } from '../stack/world.ts';
import { startEmbedded } from '../support/embedded.ts';
import { startOwnStack } from '../support/start-stack.ts';
import { expectedOf } from '../web/expected.ts';
import { complaints, judge } from '../web/judge.ts';
import { spawnWeb } from '../web/spawn.ts';
import { temporalPrograms } from './programs.ts';
import { startRealTemporal } from './server.ts';

const suites = ['test/e2e/crawl.test.ts', 'test/e2e/crash.test.ts'];
const [hosts, pages] = [20, 100];
/** A busy machine takes minutes; a crawl that stands still takes for ever. */
const crawlMs = 900_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Crawls a web of 20 hosts without delay. @param real null: with the development server */
async function crawl(
  name: string,
  real: { readonly address: string; readonly pid: number } | null,
): Promise<boolean> {
  const embedded = await startEmbedded({
    allowPrivate: ['127.0.0.0/8'],
    ...(real !== null && { temporalAddress: real.address }),
  });
  const web = await spawnWeb({ seed: 3, hosts, pages, bytes: 24_000, links: 40 });
  try {
    const temporal = real?.pid ?? pidOf(embedded.dataDir, 'temporal');
    const before = usageOf(temporal).cpuSeconds;
    const { id } = await embedded.crawl({ seeds: web.seeds, scope: 'any', delaySeconds: 0 });
    const { state, seconds, pages: fetched } = await embedded.ended(id, crawlMs);
    const cpuMs = ((usageOf(temporal).cpuSeconds - before) * 1_000) / fetched;
    const faults = complaints(judge(await web.log(), { delayMs: 0, expected: expectedOf(web.plan) }));
    const { ok } = await embedded.ask<{ readonly ok: boolean }>(`/v1/crawls/${id}/audit`);
    say(
      `${name}: ${String(fetched)} pages of ${String(hosts)} hosts in ${(seconds ?? 0).toFixed(1)} s; ` +
        `Temporal took ${cpuMs.toFixed(2)} ms of processor time a page; the crawl is ${state}, ` +
        `its audit ${ok ? 'finds no difference' : 'FINDS DIFFERENCES'}`,
    );
    for (const fault of faults) say(`  ${fault}`);
    return ok && state === 'finished' && faults.length === 0;
  } finally {
    await web.stop();
    await embedded.close();
  }
}

async function testsPass(address: string): Promise<boolean> {
  const tests = spawn('sh', ['stack/bootstrap.sh', 'vitest', 'run', ...suites], {
    cwd: codeRoot,
    stdio: 'inherit',
    env: { ...process.env, TEST_TEMPORAL_ADDRESS: address },
  });
  const [code] = (await once(tests, 'close')) as [number | null];
  return code === 0;
}

const { cacheDir } = loadConfig();
const programs = await temporalPrograms(cacheDir, say);
const folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-real-temporal-'));
const store = await startOwnStack({ workers: [], api: false, services: 'postgres' });
let passed = false;
try {
  const began = performance.now();
  const temporal = await startRealTemporal(programs, store.stack.postgresUrl, folder);
  say(
    `Temporal's server is up after ${((performance.now() - began) / 1_000).toFixed(1)} s, at ${temporal.address}`,
  );
  try {
    const crawled = await crawl('server on Postgres', temporal);
    passed = (await testsPass(temporal.address)) && crawled;
  } finally {
    await temporal.stop();
  }
} finally {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}
passed = (await crawl('development server', null)) && passed;
process.exitCode = passed ? 0 : 1;
