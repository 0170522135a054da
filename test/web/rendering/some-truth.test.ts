/** Pages of a few kinds, rendered in rounds, say what people see. All kinds are in truth.test.ts. */
import { describe, expect, it } from 'vitest';
import { closeRenderer, hasBrowser, openRenderer } from '../../support/browser.ts';
import { given } from '../../support/given.ts';
import { differs } from './compare.ts';
import { renderAll } from './given.ts';
import { startRenderingWeb } from './server.ts';

const some = [
  'fetch',
  'lazy-chunks',
  'infinite-scroll',
  'frame-with-scripts',
  'closed-shadow-tree',
  'errors',
];

describe.skipIf(!hasBrowser)('rendered pages (need a browser)', () => {
  const web = given(
    () => startRenderingWeb(),
    (opened) => opened.stop(),
  );
  const { renderer } = given(() => Promise.resolve(openRenderer()), closeRenderer);

  it('say what people see, two at a time', async () => {
    const pages = web.pages.filter(({ kind }) => some.includes(kind.name));
    const rendered = await renderAll(renderer, pages);
    const outcomes = pages.map((page) => {
      const last = rendered.get(page.kind.name)?.last;
      return [page.kind.name, last?.outcome, differs(page, last?.dom ?? new Uint8Array())];
    });
    expect(outcomes).toEqual(pages.map(({ kind }) => [kind.name, 'settled', null]));
    expect(rendered.get('errors')?.last.console).toContainEqual(expect.stringContaining('a timer fails'));
  });
});
