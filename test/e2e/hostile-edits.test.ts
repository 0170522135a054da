/**
 * Edits of every kind, one upon the other, with restores, pauses, seeds and kills in between, drawn from a seed. In the
 * end all is fetched that the last settings admit, nothing is kept out by others, and the sums are exact.
 *
 * @module-tag deep
 */
import { expect, it } from 'vitest';
import type { CrawlView, CreatedCrawl } from '../../contracts/http/crawls.ts';
import type { ConfigVersion } from '../../contracts/http/edits.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { ask } from '../integration/api/asking.ts';
import { not, urlLines } from '../support/database/index.ts';
import { until } from '../support/until.ts';
import { withServing } from '../support/serving.ts';
import { makeBlobDir } from '../support/worker.ts';
import { expectedOf } from '../web/expected.ts';
import { judge } from '../web/judge.ts';
import { randomFrom } from '../web/random.ts';
import { startWeb } from '../web/server.ts';

const serving = withServing({ blobDir: makeBlobDir() });
const { desk, api } = serving;
const delayMs = 60;
const open = {
  ...{ scope: 'any', include: [], exclude: [], excludeDomains: [], maxDepth: null, maxUrlLength: 2_048 },
  ...{ maxPagesPerHost: 100_000, contentTypes: [], delaySeconds: delayMs / 1_000 },
};
const edits: readonly object[] = [
  { scope: 'host' },
  { scope: 'any' },
  { scope: 'prefix' },
  { exclude: ['*1*'] },
  { exclude: ['*2*', '*3*'], maxDepth: 2 },
  { exclude: [] },
  { include: ['*4*', '*/'] },
  { include: [] },
  { maxDepth: 1 },
  { maxDepth: null },
  { maxUrlLength: 50 },
  { maxUrlLength: 2_048 },
  { maxPagesPerHost: 12 },
  { maxPagesPerHost: 30 },
  { maxPagesPerHost: 100_000 },
  { contentTypes: ['image/*'] },
  { contentTypes: [] },
  { delaySeconds: 0.3 },
  { delaySeconds: delayMs / 1_000, weight: 3 },
  { ...open },
];

it.each((process.env['HOSTILE_SEEDS'] ?? '5').split(',').map(Number))(
  'edits drawn from seed %i',
  async (seed) => {
    const random = randomFrom(seed, 0, 99);
    const web = await startWeb({ seed, hosts: 4, pages: 40, latencyMs: 5 });
    const call = async <T>(method: string, path: string, body?: object) => {
      const answer = await ask<T>(api.url, serving.key, method, path, body);
      // An edit may bring nothing new, and a pause may come when the crawl has ended.
      expect([answer.status, answer.body]).toEqual([
        expect.toSatisfy((status) => status === 200 || status === 201 || status === 202 || status === 409),
        expect.anything(),
      ]);
      return answer;
    };
    try {
      const seeds = [...web.seeds];
      const first = { seeds: seeds.splice(0, 1), allowPrivate: ['127.0.0.0/8'], ...open };
      const { id } = (await call<CreatedCrawl>('POST', '/v1/crawls', first)).body;
      const path = `/v1/crawls/${id}`;
      let version = 1;
      for (let turn = 0; turn < 40; turn++) {
        const drawn = random.below(20);
        if (drawn < 3)
          await call('POST', `${path}/versions/${String(1 + random.below(version))}/restore`, {});
        else if (drawn === 3) await call('POST', `${path}/pause`);
        else if (drawn < 7) await call('POST', `${path}/resume`);
        else if (drawn === 7 && seeds.length > 0)
          await call('POST', `${path}/seeds`, { urls: seeds.splice(0, 1) });
        else await call('PATCH', path, edits[random.below(edits.length)] ?? {});
        version = (await call<CrawlView>('GET', path)).body.configVersion;
        await new Promise((wake) => setTimeout(wake, random.below(500)));
        if (turn === 12 || turn === 28) {
          await serving.killWorker();
          await serving.nextWorker();
        }
      }
      await call('POST', `${path}/resume`);
      if (seeds.length > 0) await call('POST', `${path}/seeds`, { urls: seeds });
      const last = await call<ConfigVersion>('PATCH', path, open);
      const view = async () => (await call<CrawlView>('GET', path)).body;
      const applied = async () =>
        (await call<ConfigVersion>('GET', `${path}/versions/${String(last.body.version)}`)).body;
      await until('it is applied', async () => (await applied()).effect.state === 'applied');
      await until('it is over', async () => (await view()).endedAt !== null);
      expect((await auditCrawl(desk.pool, id))?.differences).toEqual([]);
      expect(await view()).toMatchObject({ state: 'finished', reason: 'complete', ledger: { failed: 0 } });
      const left = { crawl_id: id, state: 'excluded', reason: not('robots') };
      expect(await urlLines(desk.pool, left, 'reason', 'detail')).toEqual([]);
      const verdict = judge(web.log(), { delayMs, expected: expectedOf(web.plan) });
      expect(verdict).toMatchObject({
        ...{ overlaps: [], tooSoon: [], missing: [], unexpected: [], disallowed: [] },
      });
    } finally {
      await web.stop();
    }
  },
);
