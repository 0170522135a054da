/**
 * Shells: bodies that say little, and have the scripts that would say more. The rule sees one body alone; what pages
 * like it have gained is told by learned.ts.
 */
import { needOf, type PageEvidence } from '../page-need.ts';

/** Why a body is taken for a shell, strongest first, in words that follow "rendered, because". */
export const shellReasons = {
  mount: 'the element in which its scripts build the page is empty',
  noscript: 'it says that it needs JavaScript',
  empty: 'it shows nothing without its scripts',
  scripts: 'it has hardly any text beside its scripts',
  'no-links': 'it is a home page with scripts and without a link',
} as const;
export type ShellReason = keyof typeof shellReasons;

/** Characters of scripts within a page from which on they may build it. Counters and consent take fewer. */
const largeScript = 4_000;
/** "Loading …", or the name of the site. */
const fewWords = 20;
/** Of a page that has nothing but its headings. */
const besideHeadings = 3;
/** A notice of cookies or a footer beside a sentence that asks for JavaScript. */
const noticeWords = 60;
const fewLinks = 2;

/** Null: the page says enough as it is, has its text in data for scripts, or is a login form. */
export function shellReason(page: PageEvidence): ShellReason | null {
  const { scripts, externalScripts, inlineScript, fromState, words, links, media, headings } = page;
  const need = needOf(page);
  if (scripts === 0 || fromState || need === 'login') return null;
  if (need === 'javascript') return page.hasMount ? 'mount' : page.asksForScript ? 'noscript' : 'empty';
  if (externalScripts === 0 && inlineScript < largeScript) return null;
  if (page.asksForScript && words < noticeWords && links <= fewLinks) return 'noscript';
  if (media === 0 && words < fewWords && (words === 0 || links <= fewLinks)) {
    const wordsOfHeadings = headings.flatMap((heading) => heading.split(' ')).length;
    if (headings.length === 0 || words - wordsOfHeadings <= besideHeadings) return 'scripts';
  }
  return links === 0 && isHome(page.address) ? 'no-links' : null;
}

const isHome = (address: string): boolean => /^\/(?:index\.\w+)?(?:\?|$)/.test(address);
