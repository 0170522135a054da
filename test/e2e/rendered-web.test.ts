/**
 * Every kind of page of the web for rendering, through the whole product: the web's own log is the judge of its manners, each
 * page ends as people see it, and the WACZ of the crawl plays back in a browser.
 *
 * @module-tag deep
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExportView } from '../../contracts/http/exports.ts';
import { exportReaders } from '../programs/exports.ts';
import { hasBrowser } from '../support/browser.ts';
import { startEmbedded } from '../support/embedded.ts';
import { given } from '../support/given.ts';
import { openReplay } from '../support/replay.ts';
import { hasChromium } from '../support/temporal-web.ts';
import { until } from '../support/until.ts';
import { judge } from '../web/judge.ts';
import { differs } from '../web/rendering/compare.ts';
import { inLanes } from '../web/rendering/given.ts';
import { failed } from '../web/rendering/kinds/loads.ts';
import { storyAt, storyText } from '../web/rendering/story.ts';
import { startRenderingWeb, type RenderingPage } from '../web/rendering/server.ts';

const delaySeconds = 0.15;
const readers = exportReaders();
/** What people see of these in a player, where they saw something else. */
const playsOtherwise: Readonly<Record<string, (page: RenderingPage) => string>> = {
  // All that is archived is of one origin there.
  'cors-without': ({ url }) => storyText(storyAt(new URL(url).pathname)),
  // Sockets stay silent there, instead of failing.
  'socket-or-fetch': () => '',
  // Each has a gap, and says so.
  'cookie-api': () => failed,
  graphql: () => failed,
};
/**
 * What is asked for in a player and not in the file, by kind of page, with `…` for the page. No picture that `--requisites`
 * would bring is there, and none that a script asks for; no POST was sent; and where a script goes is a page of its own, which
 * this crawl does not reach.
 */
const notInTheFile: Readonly<Record<string, readonly string[]>> = {
  gallery: ['image /lib/1.png', 'image /lib/2.png'],
  beacons: ['POST …/seen', 'image …/pixel.png'],
  graphql: ['POST …/graphql'],
  'script-redirect': ['navigation …/a'],
};

/** Kinds that need what is not asked for. */
const gapsOf = (pages: readonly RenderingPage[]): string[] =>
  pages.filter(({ kind }) => kind.gap !== undefined).map(({ kind }) => kind.name);

describe.skipIf(!hasBrowser)('a crawl of every kind of page (needs a browser)', () => {
  const web = given(
    () => startRenderingWeb(),
    (opened) => opened.stop(),
  );
  const embedded = given(
    () => startEmbedded({ browser: null }),
    (opened) => opened.close(),
  );
  const crawl = given(
    async () => {
      const seeds = [`${web.origin}/`];
      const { id } = await embedded.crawl({
        ...{ seeds, delaySeconds, allowPrivate: ['127.0.0.0/8'] },
        // Each kind once; what a page needs is not bound by that.
        ...{ render: 'always', maxDepth: 1 },
      });
      return { id };
    },
    () => undefined,
  );
  /** Of a busy machine pages that are rendered get the least. */
  const isOver = () => embedded.ended(crawl.id, 800_000);

  it('asks no host twice at once or too soon, and ends each page as people see it', async () => {
    await isOver();
    const verdict = judge(web.log(), { delayMs: delaySeconds * 1_000 });
    expect(verdict).toMatchObject({ overlaps: [], tooSoon: [], robotsNotFirst: [], hosts: 2 });
    const wrong: string[] = [];
    for (const page of web.pages) {
      const body = await embedded.bytes(`/v1/crawls/${crawl.id}/body?url=${encodeURIComponent(page.url)}`);
      const difference = differs(page, body);
      if (difference !== null) wrong.push(`${page.kind.name}: ${difference}`);
    }
    expect(
      wrong.map((each) => each.split(':')[0]),
      wrong.join('\n'),
    ).toEqual(gapsOf(web.pages));
    expect(await embedded.ask(`/v1/crawls/${crawl.id}/audit`)).toMatchObject({ ok: true });
  });

  describe.skipIf(readers === null || !hasChromium())(
    'as a WACZ (needs chromium and `npm run test-programs`)',
    () => {
      it('plays back in a browser, which shows what people have seen, lacks no request and asks nobody else', async () => {
        await isOver();
        const at = `/v1/crawls/${crawl.id}/exports`;
        const { id } = await embedded.ask<ExportView>(at, { format: 'wacz' });
        const isMade = async () => (await embedded.ask<ExportView>(`${at}/${id}`)).state === 'finished';
        await until('the WACZ is made', isMade, 120_000);
        const folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-wacz-'));
        const file = path.join(folder, 'crawl.wacz');
        writeFileSync(file, await embedded.bytes(`${at}/${id}/file`));
        const before = web.log().length;
        const replay = await openReplay(readers?.wabac ?? '', file);
        try {
          const missing: Record<string, readonly string[]> = {};
          await inLanes(web.pages, async (page) => {
            const { kind, url, truth } = page;
            const played = await replay.play(url, playsOtherwise[kind.name]?.(page) ?? truth.text);
            const told = played.missing.map((each) => each.replace(url, '…').replace(web.origin, ''));
            if (told.length > 0) missing[kind.name] = told.toSorted();
          });
          expect(missing).toEqual(notInTheFile);
          expect(web.log().length).toBe(before);
        } finally {
          await replay.close();
          rmSync(folder, { recursive: true });
        }
      });
    },
  );
});
