import { counted } from '../counted.ts';

/** How the rendering of a page ended, in words that follow "rendered by a browser:". By the name stored in `rendering.outcome`. */
export const renderOutcomes = {
  settled: 'it had all that could be had',
  limits: 'a limit kept files or text from it',
  rounds: 'it asked for more in its last round',
  late: 'what it asked for did not come in time',
  cut: 'it took longer than a page may, and was read as it stood',
  crashed:
    'the browser, or the process that renders, was lost in it twice, so the page is as the server sent it',
  never: 'the crawl renders no pages any more, so it is as the server sent it',
  ended: 'the crawl ended first, so the page is as the server sent it',
  'no-browser': 'no browser was there any more, so the page is as the server sent it',
} as const;

/** Those of pages that are as the server sent them. */
export const keptOutcomes: ReadonlySet<RenderOutcome> = new Set(['crashed', 'never', 'ended', 'no-browser']);

/** What browsers did for a crawl, in words; null: nothing. */
export function renderedInWords(all: {
  readonly waiting: number;
  readonly rendered: number;
  readonly kept: number;
  readonly rounds: number;
  readonly words: number;
  readonly files: number;
}): string | null {
  const { waiting, rendered, kept, rounds, words, files } = all;
  const parts = [
    `${counted(rendered, 'page')} in ${counted(rounds, 'round')}, ${counted(words, 'word')} more`,
    ...(waiting > 0 ? [counted(waiting, 'page waits', 'pages wait')] : []),
    ...(kept > 0 ? [`${counted(kept, 'page is', 'pages are')} as the server sent them`] : []),
    ...(files > 0 ? [`${counted(files, 'file was', 'files were')} over a limit`] : []),
  ];
  return waiting + rendered + kept === 0 ? null : parts.join('; ');
}
export type RenderOutcome = keyof typeof renderOutcomes;
export const renderOutcomeNames = Object.keys(renderOutcomes) as RenderOutcome[];
