/** Rounds without a network; what is missing is asked of the web meanwhile, and known to all pages from then on. */
import { closeRenderer, openRenderer } from '../../test/support/browser.ts';
import { Archive, renderWhole } from '../../test/web/rendering/rounds.ts';
import { runPasses } from './pass.ts';

const opened = openRenderer();
const archive = new Archive();
await runPasses(async (url) => {
  const { last, rounds } = await renderWhole(opened.renderer, url, archive);
  return { dom: last.dom, rounds: rounds.length };
});
await closeRenderer(opened);
