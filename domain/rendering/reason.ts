/** Which pages are rendered, and why: by what the crawl asks for, what the body shows, and what pages like it gained. */
import type { PageNeed } from '../page-need.ts';
import { adviceFor, type KnownGains } from './learned.ts';
import type { RenderMode } from './mode.ts';
import { shellReasons, type ShellReason } from './shell.ts';

/** In words that follow "rendered, because". */
export const renderReasons = {
  ...shellReasons,
  asked: 'the crawl has such pages rendered',
  learned: 'pages like it have gained text or links',
  sample: 'it is a sample, to see whether pages like it gain text or links',
} as const;
export type RenderReason = keyof typeof renderReasons;

/** A page of HTML, by its plain reading (content/extract.ts). */
export interface PlainPage {
  /** Canonical. */
  readonly url: string;
  readonly shell: ShellReason | null;
  readonly needs: PageNeed | null;
  /** Its text was found in data for scripts. */
  readonly fromState: boolean;
}

/**
 * Null: the page is not rendered.
 * @param known null: nothing is learned on this crawl
 * @param now seconds since 1970
 */
export function renderReason(
  { url, shell, needs, fromState }: PlainPage,
  mode: RenderMode,
  known: KnownGains | null,
  now: number,
): RenderReason | null {
  if (mode !== 'auto') return mode === 'always' ? 'asked' : null;
  // A browser adds nothing to a form, nor to a text that is there already.
  if (needs === 'login' || fromState) return null;
  const advice = known === null ? null : adviceFor(url, shell !== null, known, now);
  if (advice === 'sample') return 'sample';
  if (shell !== null) return advice === 'skip' ? null : shell;
  return advice === 'render' ? 'learned' : null;
}
