/** Goals for the freshness of a crawl (F33): what can be reached is told before they are set, and what was afterwards. */
import { describe, expect, it } from 'vitest';
import type { CrawlReport } from '../../../contracts/http/report.ts';
import type { FreshnessPreview, FreshnessView } from '../../../contracts/http/freshness.ts';
import { defaultKeepFresh } from '../../../domain/recrawl/keep-fresh.ts';
import { runRecrawl } from '../../../engine/recrawl/run.ts';
import { addUrl, fromNow, setState, tables } from '../../support/database/index.ts';
import { runCli } from '../../cli/run-cli.ts';
import { ask as askAt, type Answer } from './asking.ts';
import { newCrawl, withApi } from './world.ts';

const { pool, api } = withApi();

const ask = <T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
  askAt<T>(api.url, null, method, path, body);

const pages = 120;
/** Pages that were visited often: the first matters most and changes least. */
async function standing(): Promise<string> {
  const id = await newCrawl(pool, { keepFresh: { ...defaultKeepFresh, requestsPerDay: 20 } });
  await setState(pool, id, 'running');
  await tables.standing.add(pool, { crawl_id: Number(id), pages, allowance: 0, queued: 7 });
  for (let at = 1; at <= pages; at++) {
    const { hostId, key } = await addUrl(pool, id, `https://fresh-${id}.example/${String(at)}`, {
      state: 'done',
    });
    await tables.history.add(pool, {
      ...{ crawl_id: Number(id), host_id: hostId, key, class: 1, visits: 9, dead_visits: 0 },
      ...{ importance: 1 / at, rate: at / 100, unchanged_in_row: 0, unchanged_days: 3, changed_after: [] },
      ...{ seen_at: fromNow(-at * 600), body_sign: key.subarray(0, 8) },
      next_due: fromNow(at <= 5 ? -60 : 3_600 * at),
    });
  }
  return id;
}

describe('a goal for freshness', () => {
  it('is told what can be reached, and refused if it cannot be met', async () => {
    const id = await standing();
    const path = `/v1/crawls/${id}/freshness/preview`;
    const { body: modest } = await ask<FreshnessPreview>('POST', path, { requestsPerDay: 20, share: 50 });
    expect(modest).toMatchObject({ pages, ratesKnown: pages, met: true });
    const best = modest.best?.share ?? 0;
    expect(best).toBeGreaterThan(60);
    expect(best).toBeLessThan(95);
    expect(modest.best?.leftOut).toBeGreaterThan(0);
    expect(modest.needed?.share).toBeGreaterThanOrEqual(50);
    expect(modest.needed?.requestsPerDay).toBeLessThan(20);
    // More may be outdated for a while: more is reached.
    const lenient = await ask<FreshnessPreview>('POST', path, { requestsPerDay: 20, withinSeconds: 86_400 });
    expect(lenient.body.best?.share).toBeGreaterThan(best);

    const proud = { requestsPerDay: 20, share: 99 };
    expect((await ask<FreshnessPreview>('POST', path, proud)).body.met).toBe(false);
    const refused = await ask<{ detail: string }>('PATCH', `/v1/crawls/${id}`, { keepFresh: proud });
    expect(refused.status).toBe(422);
    const asked =
      /no number of requests reaches 99 %.*since intervals\.generic\.floorSeconds is 86,400; with ([\d,]+) it can/;
    expect(refused.body.detail).toMatch(asked);
    // What the refusal says is true.
    const floorSeconds = Number(asked.exec(refused.body.detail)?.[1]?.replaceAll(',', ''));
    const generic = { floorSeconds, ceilingSeconds: 30 * 86_400 };
    const eager = { requestsPerDay: 1e6, share: 99, intervals: { generic } };
    expect((await ask('PATCH', `/v1/crawls/${id}`, { keepFresh: eager })).status).toBe(200);

    const poor = { requestsPerDay: 3, share: 70 };
    const short = await ask<{ detail: string }>('PATCH', `/v1/crawls/${id}`, { keepFresh: poor });
    expect(short.body.detail).toMatch(/at most [\d.]+ % can.*leaves out \d+ of 120 pages; 70 % takes about/);
    const set = await ask('PATCH', `/v1/crawls/${id}`, { keepFresh: { requestsPerDay: 20, share: 50 } });
    expect(set.status).toBe(200);
    const { stdout } = await runCli([
      'freshness',
      id,
      '--server',
      api.url,
      '--preview',
      JSON.stringify(proud),
    ]);
    expect(stdout).toContain('The goal cannot be met, and would be refused.');
  });

  it('is followed over time', async () => {
    const id = await standing();
    const view = async (): Promise<FreshnessView> =>
      (await ask<FreshnessView>('GET', `/v1/crawls/${id}/freshness`)).body;
    expect(await view()).toMatchObject({ pages, plan: null, overdue: 5, samples: [] });
    await runRecrawl(pool, id, () => true);
    const now = await view();
    expect(now.plan?.share).toBeGreaterThan(60);
    expect(now.plan?.ratesKnown).toBe(pages);
    expect(now.samples).toMatchObject([{ pages, requests: 7, checked: null }]);
    expect(now.samples[0]?.fresh).toBeGreaterThan(50);
    const report = await ask<CrawlReport>('GET', `/v1/crawls/${id}/report?format=json`);
    expect(report.body.freshness).toEqual(now.samples);
    const { stdout } = await runCli(['freshness', id, '--server', api.url]);
    expect(stdout).toMatch(/Goal: as much as possible .* with 20 requests a day\.\n/);
    expect(stdout).toMatch(/at +fresh +checked +pages +left out +requests/);
  });

  it('is unknown of a crawl that has noted nothing, and absent from one that fetches once', async () => {
    const id = await newCrawl(pool);
    const told = await ask<FreshnessPreview>('POST', `/v1/crawls/${id}/freshness/preview`, { share: 99 });
    expect(told.body).toEqual({ pages: 0, ratesKnown: 0, best: null, needed: null, floor: null, met: true });
    expect((await ask('GET', `/v1/crawls/${id}/freshness`)).body).toMatchObject({
      keepFresh: null,
      plan: null,
    });
    expect((await ask('GET', '/v1/crawls/999999/freshness')).status).toBe(404);
  });
});
