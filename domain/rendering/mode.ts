/** What a crawl says of which pages a browser renders. */
import type { PatternMatcher } from '../pattern.ts';

/** auto: those that need it (page-need.ts); always: each page of HTML. */
export const renderModes = ['auto', 'always', 'never'] as const;
export type RenderMode = (typeof renderModes)[number];

/** What a picture of a page shows, if one is taken: what a window shows, or the whole page. */
export const screenshotParts = ['none', 'window', 'page'] as const;

export interface RenderConfig {
  readonly render: RenderMode;
  /** Patterns over the canonical URL, which hold whatever `render` says; `renderNever` goes before `renderAlways`. */
  readonly renderAlways: readonly string[];
  readonly renderNever: readonly string[];
}

/** May a browser render pages of the crawl at all? */
export const rendersAny = ({ render = 'never', renderAlways = [] }: Partial<RenderConfig>): boolean =>
  render !== 'never' || renderAlways.length > 0;

/** What holds for a page, by its canonical URL. */
export function compileRenderMode(
  { render, renderAlways, renderNever }: RenderConfig,
  compilePattern: (pattern: string) => PatternMatcher,
): (url: string) => RenderMode {
  const always = renderAlways.map((pattern) => compilePattern(pattern));
  const never = renderNever.map((pattern) => compilePattern(pattern));
  return (url) => {
    if (never.some((matches) => matches(url))) return 'never';
    return always.some((matches) => matches(url)) ? 'always' : render;
  };
}
