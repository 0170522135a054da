/** How the rendering of a page ended, in words that follow "rendered by a browser:". By the name stored in `rendering.outcome`. */
export const renderOutcomes = {
  settled: 'it had all that could be had',
  limits: 'a limit kept files or text from it',
  rounds: 'it asked for more in its last round',
  late: 'what it asked for did not come in time',
  cut: 'it took longer than a page may, and was read as it stood',
  crashed: 'the browser was lost in it twice, so the page is as the server sent it',
  never: 'the crawl renders no pages any more, so it is as the server sent it',
  ended: 'the crawl ended first, so the page is as the server sent it',
  'no-browser': 'no browser was there any more, so the page is as the server sent it',
} as const;
export type RenderOutcome = keyof typeof renderOutcomes;
export const renderOutcomeNames = Object.keys(renderOutcomes) as RenderOutcome[];
