/**
 * A running stack is backed up in the middle of a crawl, and the crawl goes on from the backup elsewhere (F49): with kills in
 * the middle of the backup and of the restore.
 * In small: test/integration/cli/backup.test.ts, test/integration/storage/restored.test.ts.
 * @module-tag deep
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { listBackups } from '../../backup/list.ts';
import { makeBackup } from '../../backup/make.ts';
import { bytesOf } from '../../backup/manifest.ts';
import { filesOf } from '../../backup/parts.ts';
import { openRepository } from '../../backup/open-repository.ts';
import type { AuditView } from '../../contracts/http/results.ts';
import { openDataFolder, restoringFile } from '../../stack/folder.ts';
import { lastBackup } from '../../storage/backups/index.ts';
import { createPool } from '../../storage/postgres/index.ts';
import { runCliProcess, startCli } from '../cli/run-cli.ts';
import { startEmbedded } from '../support/embedded.ts';
import { closedGate } from '../support/gate.ts';
import { testFolder } from '../support/given.ts';
import { until } from '../support/until.ts';
import { expectedOf } from '../web/expected.ts';
import { judge } from '../web/judge.ts';
import { startWeb } from '../web/server.ts';

const delaySeconds = 1;
const settings = { allowPrivate: ['127.0.0.0/8'] };

it('a crawl that is backed up while it runs goes on elsewhere, and nobody is hurried', async () => {
  // So the crawl is not over before it is backed up.
  const backedUp = closedGate();
  const web = await startWeb({
    ...{ seed: 94, hosts: 6, pages: 16 },
    held: { after: 40, until: backedUp.opened },
  });
  const [repository, restored] = [testFolder(), testFolder()];
  const old = await startEmbedded(settings);
  const on = (dataDir: string) => ({ ORBWEAVER_DATA: dataDir });
  let next;
  try {
    // Killed while it writes parts: there is no backup, and the next one is not in its way.
    const cut = startCli(['backup', repository], on(old.dataDir));
    await until('the first part is stored', () => existsSync(path.join(repository, 'parts')));
    cut.process.kill('SIGKILL');
    await cut.result;
    expect(existsSync(path.join(repository, 'backups'))).toBe(false);

    const key = randomBytes(32).toString('base64');
    writeFileSync(path.join(old.dataDir, 'secret-key'), key);
    const { id } = await old.crawl({ ...settings, seeds: web.seeds, scope: 'any', delaySeconds });
    await until('the crawl is under way', () => web.log().length > 30);
    const { config, postgresUrl } = old.stack;
    const place = await openRepository(repository, config);
    const made = await makeBackup(config, postgresUrl, place);
    expect(readdirSync(path.join(repository, 'backups'))).toEqual([`${made.id}.json`]);

    const secrets = ['admin-key', 'postgres.password'].map((name) =>
      readFileSync(path.join(old.dataDir, name), 'utf8').trim(),
    );
    for (const { path: name, bytes } of filesOf(place, made)) {
      const content = await buffer(bytes);
      for (const secret of [key, ...secrets]) expect(content.includes(secret), name).toBe(false);
    }
    expect(made.settings).not.toHaveProperty('ORBWEAVER_SECRET_KEY');

    // What happens from here on is lost.
    const fetched = web.log().length;
    backedUp.open();
    await until('more is fetched', () => web.log().length > fetched + 6);
    await old.stack.stop(true);

    const halfway = startCli(['backup', 'restore', repository], on(restored));
    await until('a part of Postgres is there', () => existsSync(path.join(restored, 'postgres', 'base')));
    halfway.process.kill('SIGKILL');
    await halfway.result;
    expect(existsSync(restoringFile(restored))).toBe(true);
    await expect(openDataFolder(restored)).rejects.toThrow(/restore .* was cut short/);

    const keys = path.join(repository, 'keys');
    writeFileSync(keys, randomBytes(32).toString('base64'));
    const other = await runCliProcess(['backup', 'restore', repository, '--keys', keys], on(restored));
    expect(other).toMatchObject({ code: 2, stderr: expect.stringMatching(/another key/) as string });
    writeFileSync(keys, key);
    const args = ['backup', 'restore', repository, '--keys', keys, '--json'];
    const whole = await runCliProcess(args, on(restored));
    expect(whole, whole.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(whole.stdout)).toMatchObject({ crawls: 1, faults: [] });
    expect(readFileSync(path.join(restored, 'secret-key'), 'utf8')).toBe(key);
    // A folder that has something is left alone.
    const again = await runCliProcess(['backup', 'restore', repository], on(restored));
    expect(again).toMatchObject({ code: 2, stderr: expect.stringMatching(/is not empty/) as string });

    next = await startEmbedded(settings, undefined, restored);
    expect(await next.ended(id, 240_000)).toMatchObject({ state: 'finished', reason: 'complete' });
    const verdict = judge(web.log(), { delayMs: delaySeconds * 1_000, expected: expectedOf(web.plan) });
    expect(verdict).toMatchObject({ overlaps: [], tooSoon: [], missing: [], disallowed: [], unexpected: [] });
    expect(await next.ask<AuditView>(`/v1/crawls/${id}/audit`)).toMatchObject({ ok: true, differences: [] });
    const pages = await next.pages(id, ['text']);
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.filter(({ text }) => typeof text !== 'string')).toEqual([]);
  } finally {
    await next?.close();
    await old.close();
    await web.stop();
  }
});

it('a stack backs itself up by a schedule, and knows how old the latest backup is', async () => {
  const repository = testFolder();
  const embedded = await startEmbedded({ backupTarget: repository, backupKeep: 2 });
  const { stack } = embedded;
  const pool = createPool(stack.postgresUrl, 1, () => undefined);
  try {
    const noted = () => lastBackup(pool).then(([latest]) => latest);
    // The first one is made at once.
    await until('a backup is noted', async () => (await noted()) !== undefined, 240_000);
    const [made] = await listBackups(await openRepository(repository, stack.config));
    expect(await noted()).toMatchObject({ bytes: made === undefined ? 0 : bytesOf(made) });
  } finally {
    await pool.end();
    await embedded.close();
  }
});
