/** The rule of which pages are rendered, over the plain bodies of the web for rendering, of which the truth is known. */
import { expect, it } from 'vitest';
import { createExtractor } from '../../../content/extract.ts';
import { isGain } from '../../../domain/rendering/learned.ts';
import { renderReason } from '../../../domain/rendering/reason.ts';
import { given } from '../../support/given.ts';
import { startRenderingWeb } from './server.ts';

const web = given(
  () => startRenderingWeb(2),
  (opened) => opened.stop(),
);
const extractor = await createExtractor();

const wordsOf = (text: string): number => text.split(' ').filter((word) => word !== '').length;

it('is right for 95 % of pages, by their plain bodies, and wrong only where these do not tell', async () => {
  const wrong: string[] = [];
  for (const { kind, url, truth } of web.pages) {
    const answer = await fetch(url);
    const reading = extractor.extract({
      body: new Uint8Array(await answer.arrayBuffer()),
      url,
      contentType: answer.headers.get('content-type'),
      xRobotsTag: null,
      agentTokens: [],
      maxLinks: 100,
    });
    const { words, links, shell, meta } = reading;
    const fromState = meta.fromState === true;
    // What the web says of itself is so.
    const gains = isGain(
      { words, links: links.length },
      { words: wordsOf(truth.text), links: truth.links.length },
    );
    if (!fromState && truth.navigation === undefined)
      expect([kind.name, gains]).toEqual([kind.name, kind.needs]);
    const page = { url, shell, needs: meta.needs ?? null, fromState };
    if ((renderReason(page, 'auto', null, 0) !== null) !== kind.needs) wrong.push(kind.name);
  }
  expect(wrong.length / web.pages.length).toBeLessThanOrEqual(0.05);
  expect([...new Set(wrong)]).toEqual(['short-with-library', 'infinite-scroll-begun', 'teaser']);
});
