/**
 * A real site on the whole embedded stack, each part of which is killed once in the middle: Debian's PostgreSQL
 * documentation, served by nginx. The files on disk and nginx's log are the judges (F08, G1, G2).
 *
 * @module-tag deep
 */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrawlView } from '../../contracts/http/crawls.ts';
import type { AuditView, PageView } from '../../contracts/http/results.ts';
import { startEmbedded, type Embedded, type EmbeddedPart } from '../support/embedded.ts';
import { folded, walkFiles, type FileSite } from '../support/html-files.ts';
import { hasNginx, startNginx, type Nginx } from '../support/nginx.ts';
import { until } from '../support/until.ts';
import { judge } from '../web/judge.ts';

const folder = '/usr/share/doc/postgresql-doc-15/html';
const delaySeconds = 0.03;
/** The most that the crawl may stand still once a part is back (F08). */
const goesOnWithinMs = 15_000;
/** Which part is killed, and after which share of the pages. */
const kills: readonly { readonly part: EmbeddedPart; readonly share: number }[] = [
  { part: 'worker', share: 0.15 },
  { part: 'api', share: 0.35 },
  { part: 'temporal', share: 0.5 },
  { part: 'postgres', share: 0.7 },
];

const absent = !existsSync(`${folder}/index.html`) || !hasNginx();

describe.skipIf(absent)('postgresql-doc-15 behind nginx, each part killed once', () => {
  let nginx: Nginx;
  let embedded: Embedded;
  let disk: FileSite;
  let crawlId: string;
  let pages: PageView[] = [];
  /** When each killed part was up again. */
  const returns: number[] = [];

  beforeAll(async () => {
    nginx = await startNginx(folder);
    disk = walkFiles(folder, nginx.origin, `${nginx.origin}/index.html`);
    embedded = await startEmbedded();
  });
  afterAll(async () => {
    await embedded.close();
    await nginx.stop();
  });

  it('goes on by itself within 15 s of each part’s return', async () => {
    expect(disk.pages.size).toBeGreaterThan(1_000);
    const created = await embedded.crawl({
      seeds: [`${nginx.origin}/index.html`],
      delaySeconds,
      allowPrivate: ['127.0.0.0/8'],
      maxLinksPerPage: 10_000,
    });
    crawlId = created.id;
    for (const { part, share } of kills) {
      await until(
        `${String(share)} of the pages were asked for`,
        () => nginx.log().length > share * disk.pages.size,
      );
      const back = await embedded.kill(part);
      returns.push(back);
      await until(`a request after ${part} is back`, () => nginx.log().some(({ start }) => start > back));
      const view = await embedded.ask<CrawlView>(`/v1/crawls/${crawlId}`);
      expect(view.state).toBe('running');
    }
    expect(await embedded.ended(crawlId, 200_000)).toMatchObject({ state: 'finished', reason: 'complete' });
    pages = await embedded.pages(crawlId, ['links']);
    const starts = nginx.log().map(({ start }) => start);
    expect(longestPause([...starts, ...returns])).toBeLessThan(goesOnWithinMs);
  });

  it('has every page that the files lead to, and no other', () => {
    const done = pages.filter(({ state }) => state === 'done').map(({ url }) => url);
    expect(done.toSorted()).toEqual([...disk.pages.keys()].toSorted());
    const others = pages.filter(({ state }) => state !== 'done').map(({ url }) => url);
    expect(others.toSorted()).toEqual([...disk.broken].toSorted());
  });

  it('has the title and the links of each file', () => {
    expect(pages.length).toBeGreaterThan(1_000);
    const wrong = pages.filter(({ url, title, links }) => {
      const file = disk.pages.get(url);
      if (file === undefined) return false;
      const found = new Set(links);
      return (
        folded(title ?? '') !== file.title ||
        found.size !== file.links.size ||
        [...file.links].some((link) => !found.has(link))
      );
    });
    expect(wrong.map(({ url }) => url)).toEqual([]);
  });

  it('has a ledger that adds up', async () => {
    const audit = await embedded.ask<AuditView>(`/v1/crawls/${crawlId}/audit`);
    expect(audit.differences).toEqual([]);
    expect(audit).toMatchObject({
      ok: true,
      balanced: true,
      ledger: {
        discovered: disk.pages.size + disk.broken.size,
        done: disk.pages.size,
        dead: disk.broken.size,
        queued: 0,
        leased: 0,
      },
    });
  });

  it('was polite all along: robots.txt first, one request at a time, none too soon, few repeated', () => {
    const requests = nginx.log();
    expect(requests[0]).toMatchObject({ url: `${nginx.origin}/robots.txt`, status: 404 });
    // nginx's clock is good to a millisecond.
    const verdict = judge(requests, { delayMs: delaySeconds * 1_000 - 1 });
    expect(verdict).toMatchObject({ overlaps: [], tooSoon: [], robotsNotFirst: [] });
    // What was in flight when a part was killed may be asked for again.
    const distinct = new Set(requests.map(({ url }) => url));
    expect(requests.length - distinct.size).toBeLessThanOrEqual(kills.length);
  });
});

/** The longest time between two moments that follow each other, in milliseconds. */
function longestPause(moments: readonly number[]): number {
  const sorted = moments.toSorted((a, b) => a - b);
  return Math.max(...sorted.slice(1).map((moment, index) => moment - (sorted[index] ?? moment)));
}
