/**
 * Does a server answer unknown paths as if they were pages (soft 404, F29)? It is asked for a made-up sibling of a page
 * that it has, and if it answers with a page, for a second one. What both answers say and the page does not is the message
 * of its error page; what only one of them says is what such a page shows by chance, as of what others read. Pages with
 * the message, and no more of their own than chance gives, are error pages too. When in doubt, nothing is one.
 */
import type { PageNeed } from '../page-need.ts';
import { printAnswer, type AnswerPrint } from './print.ts';

/** By what pages of a host are known not to be there. */
export type ErrorSign =
  /** They redirect there, as a made-up path does. */
  | { readonly kind: 'redirect'; readonly to: string }
  /** Their text is that of made-up paths. */
  | TextSign
  /** They have this text (SHA-256, hex), as a large share of the pages of the host do. */
  | { readonly kind: 'repeated'; readonly text: string };

export interface TextSign extends ProbedSite {
  readonly kind: 'text';
  readonly made: AnswerPrint;
  /** The path that was made up; absent in signs of former versions. */
  readonly at?: string;
}

/** What is known when an answer to a made-up path comes. */
export interface ProbedSite {
  /** The page next to which the path was made up. */
  readonly sibling: AnswerPrint;
  /** The answer to the first of two made-up paths; null or absent: this is the first. */
  readonly first?: AnswerPrint | null | undefined;
}

export type ProbeVerdict =
  /** Nothing follows: the server is honest, or the answer says nothing for certain. */
  | { readonly kind: 'honest' | 'unclear' | 'shell' | 'login' }
  /** It says what the page beside it says: the site shows one page for all paths, or that page is not there either. */
  | { readonly kind: 'alike' }
  | { readonly kind: 'soft'; readonly sign: ErrorSign };

export interface ProbeAnswer {
  readonly status: number;
  /** Where a redirect leads, absolute; null: nowhere. */
  readonly redirectTo: string | null;
  /** Path and query that were asked for. */
  readonly path: string;
  /** Null: the body is no text. */
  readonly title: string | null;
  readonly text: string | null;
  /** What the body needs to say anything (domain/page-need.ts). */
  readonly needs: PageNeed | null;
}

/** A text that more than the one share of a host's pages have, and no more than the other, is that of an error page. */
const repeated = { over: 0.3, upTo: 0.9, pages: 6, of: 20 };
/** Fewest pairs of words of a message. */
const fewestPairs = 2;
/** A message of fewer pairs is short. */
const shortMessage = 8;
/** Share of what an error page says, beside what all pages of the site have, that may be its own: the path, a time. */
const mostOwn = 0.3;
/**
 * Share of the message that an error page has at least, of one with few pairs and of others, and how much more of its own it
 * may have than the answers showed by chance. The title decides: that of the answers; one that says nothing, as where all
 * pages of a site have the same; one of its own; or one of its own where both answers had different ones.
 */
const underItsTitle = { message: 0.5, ofShort: 0.5, overChance: 3 };
const underNoTitle = { message: 0.75, ofShort: 1, overChance: 1.5 };
const underOwnTitle = { message: 0.75, ofShort: 1, overChance: 0 };
const underAnyTitle = { message: 0.9, ofShort: Infinity, overChance: 1.5 };

const login = /log-?in|sign-?in|anmeld|connexion|\/auth|\/sso|consent|captcha|challenge/i;

/** Do so many pages with one text of so many pages show an error page? A text that nearly all have is a shell. */
export const isRepeated = (pages: number, of: number): boolean =>
  of >= repeated.of && pages >= repeated.pages && pages > of * repeated.over && pages <= of * repeated.upTo;

/** The folder for whose pages a made-up path stands: the first of the path, `/` for pages outside folders. */
export function folderOf(path: string): string {
  const [, first = '', second] = path.split('?', 1)[0]?.split('/') ?? [];
  return second === undefined || first === '' ? '/' : `/${first}/`;
}

/**
 * A path next to a page's that the server cannot know.
 * @param token letters that no path has by chance
 */
export function madeUpSibling(path: string, token: string): string {
  const [plain = '/'] = path.split('?', 1);
  const slash = plain.lastIndexOf('/');
  const last = plain.slice(slash + 1);
  const extension = /\.[a-z]{2,5}$/i.exec(last)?.[0] ?? '';
  const folder =
    last === '' && slash > 0 ? plain.slice(0, plain.lastIndexOf('/', slash - 1)) : plain.slice(0, slash);
  return `${folder}/${token}${last === '' && slash > 0 ? '/' : extension}`;
}

export function judgeProbe(answer: ProbeAnswer, { sibling, first }: ProbedSite): ProbeVerdict {
  const { status, redirectTo, path, title, text, needs } = answer;
  if (redirectTo !== null) {
    if (login.test(redirectTo)) return { kind: 'login' };
    // A redirect that keeps the made-up name only spells it in another way.
    const name = /([^/]+)\/?$/.exec(path.split(/[?.]/, 1)[0] ?? '')?.[1] ?? path;
    return redirectTo.includes(name)
      ? { kind: 'unclear' }
      : { kind: 'soft', sign: { kind: 'redirect', to: redirectTo } };
  }
  if (status === 404 || status === 410) return { kind: 'honest' };
  if (status < 200 || status > 299 || text === null) return { kind: 'unclear' };
  // Pages that are there may show the same: they say nothing without a browser, or without somebody who logs in.
  if (needs !== null) return { kind: needs === 'login' ? 'login' : 'shell' };
  const sign: TextSign = { kind: 'text', made: printAnswer(title, text, path), sibling, first, at: path };
  return messageOf(sign) < fewestPairs ? { kind: 'alike' } : { kind: 'soft', sign };
}

/**
 * Judges by other pages of the site an answer that is like the page beside it. If most of them are unlike the answer,
 * the page beside it does not exist either, and the answer is compared with the page that is least like it.
 */
export function judgeBeside(
  answer: ProbeAnswer,
  { first }: ProbedSite,
  pages: readonly AnswerPrint[],
): ProbeVerdict {
  const signs = pages.flatMap((sibling) => {
    const verdict = judgeProbe(answer, { sibling, first });
    return verdict.kind === 'soft' && verdict.sign.kind === 'text' ? [verdict.sign] : [];
  });
  const [sign] = signs.toSorted((one, other) => messageOf(other) - messageOf(one));
  return sign !== undefined && signs.length > pages.length / 2 ? { kind: 'soft', sign } : { kind: 'alike' };
}

/** Pairs of words of the message, those in its title counted once more. */
function messageOf(sign: TextSign): number {
  const { title, ofMessage } = compare(sign, sign.made);
  return title.size + ofMessage;
}

/** Pairs of words. */
interface Compared {
  /** Of the message in the title: of what both answers say there, and the page beside them does not. */
  readonly title: Set<number>;
  /** Of the message. */
  readonly ofMessage: number;
  /** Of the message that the page has. */
  readonly message: number;
  /** Of the page that all pages of the site do not have. */
  readonly content: number;
  /** Of the page that no answer to a made-up path has. */
  readonly own: number;
  /** That an answer to a made-up path has by chance. */
  readonly chance: number;
}

function compare({ made, first: earlier, sibling }: TextSign, page: AnswerPrint): Compared {
  const first = earlier ?? made;
  // Of hashes beyond the greatest of a sample, the sample says nothing.
  const known = Math.min(
    ...[made, first, sibling, page].map(({ pairs, whole }) => (whole ? Infinity : (pairs.at(-1) ?? 0))),
  );
  const within = ({ pairs }: AnswerPrint): Set<number> => new Set(pairs.filter((pair) => pair <= known));
  const [one, other, ofSibling, ofPage] = [within(made), within(first), within(sibling), within(page)];
  const both = one.intersection(other);
  const message = both.difference(ofSibling);
  const answers = one.union(other);
  return {
    title: titleOf(made).intersection(titleOf(first)).difference(titleOf(sibling)),
    ofMessage: message.size,
    message: message.intersection(ofPage).size,
    content: ofPage.difference(both.intersection(ofSibling)).size,
    own: ofPage.difference(answers).size,
    chance: answers.difference(both).difference(ofSibling).size / 2,
  };
}

const titleOf = ({ title = [] }: AnswerPrint): Set<number> => new Set(title);

/** Is this page, with this print, one that is not there? */
export function isMissing(sign: TextSign, page: AnswerPrint): boolean {
  const { title, ofMessage, message, content, own, chance } = compare(sign, page);
  const mine = titleOf(page);
  if (!title.isSubsetOf(mine)) return false;
  const [one, other] = [titleOf(sign.made), titleOf(sign.first ?? sign.made)];
  const says = mine.isSubsetOf(one.union(other))
    ? title.size > 0
      ? underItsTitle
      : underNoTitle
    : one.isSubsetOf(other)
      ? underOwnTitle
      : underAnyTitle;
  // Of a short message every pair counts: a page that is there may have a part of it.
  const share = ofMessage < shortMessage ? says.ofShort : says.message;
  return message >= ofMessage * share && own <= Math.max(content * mostOwn, chance * says.overChance);
}

/** Is this the path of a home page, or does it lie above the path that was made up, as a list of a folder's pages does? */
export const isAbove = (path: string, { at }: Pick<TextSign, 'at'> = {}): boolean =>
  isHome(path) || (at?.startsWith(`${path.split('?', 1)[0]?.replace(/\/$/, '') ?? ''}/`) ?? false);

/** Is this the path of a home page? */
const isHome = (path: string): boolean =>
  /^\/(?:(?:index|home|default|start|main)(?:\.[a-z]+)?\/?)?(?:\?|$)/i.test(path);
