/**
 * The compatible routes (F34, F35) before real workers: jobs that end, and a standing crawl that seeds set going.
 * @module-tag long
 */
import { describe, expect, it } from 'vitest';
import type * as compat from '../../contracts/http/compat.ts';
import type { CrawlView } from '../../contracts/http/crawls.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { startSite, status, type Answer, type Site } from '../integration/activities/site.ts';
import { ask } from '../integration/api/asking.ts';
import { tables } from '../support/database/index.ts';
import { closedGate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { withServing } from '../support/serving.ts';
import { makeBlobDir } from '../support/worker.ts';

const serving = withServing({ blobDir: makeBlobDir() });
const { desk, api } = serving;

/** Of no two sites the same body: that would be a duplicate, of which no links are read. */
const linking =
  (...paths: readonly string[]): Answer =>
  (response, request) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      `<p>${String(request.headers.host)}</p>` +
        paths.map((path) => `<a href="${path}">${path}</a>`).join(''),
    );
  };
/** `/` links to /1 and /2; /2 to /deep. */
const smallSite = async (): Promise<Site> => {
  const site = await startSite();
  site.answers = { '/': linking('/1', '/2'), '/2': linking('/deep') };
  return site;
};
const pages = (site: Site): string[] => site.paths().filter((path) => path !== '/robots.txt');
const get = <T>(path: string) => ask<T>(api.url, serving.key, 'GET', path);
const post = <T>(path: string, body?: unknown) => ask<T>(api.url, serving.key, 'POST', path, body);
const statusOf = (url: string) => get<compat.UrlStatusAnswer>(`/api/v1/${encodeURIComponent(url)}/status`);
const completed = (url: string) =>
  until(`${url} is completed`, async () => (await statusOf(url)).body.status === 'COMPLETED');
const over = (id: string) =>
  until(`crawl ${id} is over`, async () => (await get<CrawlView>(`/v1/crawls/${id}`)).body.endedAt !== null);
const ended = (id: string) =>
  until(
    `job ${id} is over`,
    async () =>
      (await get<compat.JobStatusAnswer>(`/v1/job/status?job_id=${id}`)).body.job_status === 'success',
  );
const expectExact = async (id: string): Promise<void> => {
  expect((await auditCrawl(desk.pool, id))?.differences).toEqual([]);
};

describe('a job', () => {
  it('runs from scan to its URLs, within its criteria', async () => {
    const site = await smallSite();
    const looked = closedGate();
    site.answers = { ...site.answers, '/2': looked.behind(linking('/deep')) };
    const finish_criteria = { max_depth: 1 };
    const asked = { root_url: `${site.origin}/`, user_id: 17, finish_criteria };
    const { body } = await post<compat.ScanAnswer>('/v1/url/scan', asked);
    const early = await get<compat.JobUnderWay>(`/v1/urls?job_id=${body.jobId}`);
    expect(early).toMatchObject({ status: 202, body: { job_id: body.jobId } });
    looked.open();
    await ended(body.jobId);
    const urls = await get<compat.JobUrls>(`/v1/urls?job_id=${body.jobId}`);
    expect(urls).toMatchObject({ status: 200, body: { job_id: body.jobId, job_status: 'success' } });
    // /deep lies beyond the criteria: nobody asked for it.
    const expected = ['/', '/1', '/2'].map((path) => site.origin + path);
    expect([...urls.body.extracted_urls].sort()).toEqual(expected);
    expect(pages(site).sort()).toEqual(['/', '/1', '/2']);
    const { id } = await tables.crawl.row(desk.pool, { job_id: body.jobId });
    await expectExact(String(id));
  });
});

describe('the standing crawl', () => {
  it(
    'runs whenever it is given seeds, those of other hosts with all they link to',
    { tags: ['long'] },
    async () => {
      const [one, two] = [await smallSite(), await smallSite()];
      const first = await post<compat.SeedUrlsAnswer>('/seed/urls', { urls: [`${one.origin}/`, 'mailto:x'] });
      const { crawl_id } = first.body;
      expect(first).toMatchObject({
        status: 200,
        body: { accepted: 1, rejected_count: 1, rejected: [{ url: 'mailto:x' }] },
      });
      // From the answer on, it is known.
      expect((await statusOf(`${one.origin}/`)).body).toMatchObject({ url: `${one.origin}/` });
      await completed(`${one.origin}/deep`);
      await over(crawl_id);

      const second = await post<compat.SeedUrlsAnswer>('/api/v1/seed', {
        urls: `${two.origin}/, ${one.origin}/`,
      });
      expect(second.body).toMatchObject({ crawl_id, accepted: 2 });
      await completed(`${two.origin}/deep`);
      await over(crawl_id);
      for (const site of [one, two]) expect(pages(site).sort()).toEqual(['/', '/1', '/2', '/deep']);
      await expectExact(crawl_id);
    },
  );

  it('loses no seed to kill -9, and sends nothing while it is paused', { tags: ['long'] }, async () => {
    const [going, next] = [await smallSite(), await smallSite()];
    const killed = closedGate();
    next.answers = { ...next.answers, '/robots.txt': killed.behind(status(404)) };
    going.answers = { '/': linking(...Array.from({ length: 300 }, (_, index) => `/${String(index)}`)) };
    const { body } = await post<compat.SeedUrlsAnswer>('/seed/urls', { urls: [`${going.origin}/`] });
    await completed(`${going.origin}/`);
    expect((await post<compat.PauseAnswer>('/api/v1/pause')).body).toEqual({
      crawl_id: body.crawl_id,
      state: 'paused',
    });
    await post('/seed/urls', { urls: [`${next.origin}/`] });
    expect((await statusOf(`${next.origin}/`)).body.status).toBe('PENDING');
    expect((await post<compat.PauseAnswer>('/api/v1/resume')).body.state).toBe('running');
    await serving.killWorker();
    expect(pages(next)).toEqual([]);
    killed.open();
    await serving.nextWorker();
    await completed(`${next.origin}/deep`);
    expect(pages(next).sort()).toEqual(['/', '/1', '/2', '/deep']);
    await post(`/v1/crawls/${body.crawl_id}/cancel`);
  });
});
