/**
 * Every kind of page of the web for rendering, rendered in rounds: beside what is known to be true, beside an ordinary
 * browser with a network, and twice.
 *
 * @module-tag deep
 */
import { chromium } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { closeRenderer, hasBrowser, openRenderer } from '../../support/browser.ts';
import { given } from '../../support/given.ts';
import { chromiumOptions, hasChromium } from '../../support/temporal-web.ts';
import { differs, normalDom } from './compare.ts';
import { inLanes, renderAll } from './given.ts';
import { openOnline } from './online.ts';
import { startRenderingWeb } from './server.ts';

const none = new Uint8Array();

describe.skipIf(!hasBrowser)('rendered pages of every kind (need a browser)', () => {
  const web = given(
    () => startRenderingWeb(),
    (opened) => opened.stop(),
  );
  const { renderer } = given(() => Promise.resolve(openRenderer()), closeRenderer);
  const rendered = given(
    () => renderAll(renderer, web.pages),
    () => undefined,
  );
  const last = (kind: string) => rendered.get(kind)?.last;

  it('say what people see, but for what the archive cannot give them', () => {
    const wrong = web.pages.filter((page) => differs(page, last(page.kind.name)?.dom ?? none) !== null);
    expect(wrong.map(({ kind }) => kind.name)).toEqual(['cookie-api', 'graphql']);
    expect(wrong.every(({ kind }) => kind.gap !== undefined)).toBe(true);
    expect(wrong.length / web.pages.length).toBeLessThanOrEqual(0.05);
    for (const { kind, url, truth } of web.pages)
      expect([kind.name, last(kind.name)?.outcome, last(kind.name)?.navigation]).toEqual([
        kind.name,
        'settled',
        truth.navigation === undefined ? null : new URL(truth.navigation, url).href,
      ]);
  });

  it('are the same byte for byte when they are rendered again', async () => {
    const again = await renderAll(renderer, web.pages);
    const other = web.pages.filter(
      ({ kind }) =>
        Buffer.compare(last(kind.name)?.dom ?? none, again.get(kind.name)?.last.dom ?? none) !== 0,
    );
    expect(other.map(({ kind }) => kind.name)).toEqual([]);
  });

  describe.skipIf(!hasChromium())('beside a browser with a network (needs chromium)', () => {
    const browser = given(
      () => chromium.launch(chromiumOptions),
      (opened) => opened.close(),
    );

    it('have its DOM', async () => {
      const other: string[] = [];
      await inLanes(web.pages, async ({ kind, url }) => {
        const online = normalDom(await openOnline(browser, url));
        if (normalDom(Buffer.from(last(kind.name)?.dom ?? none).toString()) !== online) other.push(kind.name);
      });
      // The two that the archive cannot serve; an address with a number drawn by lot; there the window has gone on.
      expect(other.toSorted()).toEqual(['cookie-api', 'graphql', 'jsonp', 'script-redirect']);
      expect(other.length / web.pages.length).toBeLessThanOrEqual(0.1);
    });
  });
});
