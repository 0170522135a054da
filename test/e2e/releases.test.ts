/**
 * The data folder of each release, opened by this code: its crawl, left in the middle, goes on to its end.
 *
 * @module-tag long
 */
import { chmodSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import type { AuditView } from '../../contracts/http/results.ts';
import { startEmbedded } from '../support/embedded.ts';
import { testFolder } from '../support/given.ts';
import { releases, unpack } from '../releases/folder.ts';
import { allPages, startSite } from '../releases/site.ts';

/** Its Postgres has the byte order and alignment of the processor. */
const isItsMachine = process.platform === 'linux' && process.arch === 'x64';

it.skipIf(!isItsMachine).each(releases)('%s (needs Linux on x64)', async (release) => {
  const folder = testFolder();
  chmodSync(folder, 0o711);
  const dataDir = unpack(release, folder);
  const site = await startSite();
  onTestFinished(() => site.close());
  const embedded = await startEmbedded({ allowPrivate: ['127.0.0.0/8'] }, undefined, dataDir);
  onTestFinished(() => embedded.close());
  const { state, reason } = await embedded.ended('1', 300_000);
  expect({ state, reason }).toEqual({ state: 'finished', reason: 'complete' });
  const audit = await embedded.ask<AuditView>('/v1/crawls/1/audit');
  expect(audit).toMatchObject({ ok: true, differences: [], ledger: { done: allPages.length } });
  // What it had is kept, and nothing of that is asked for again, but for what was under way when it was left.
  const pages = await embedded.pages('1', ['text']);
  expect(pages.map(({ url }) => url).sort()).toEqual([...allPages].sort());
  expect(pages.filter(({ text }) => text === null || text === undefined)).toEqual([]);
  expect(new Set(site.asked).size).toBe(site.asked.length);
  expect(site.asked.length).toBeLessThan(allPages.length);
  expect(site.asked.length).toBeGreaterThan(0);
});
