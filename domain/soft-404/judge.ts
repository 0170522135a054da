/**
 * Does a server answer unknown paths as if they were pages (soft 404, F29)? It is asked for a made-up sibling of a page
 * that it has. What the answer says and the page does not is the message of its error page: pages with the same message,
 * and little else of their own, are error pages too. When in doubt, nothing is one.
 */
import { printAnswer, type AnswerPrint } from './print.ts';

/** By what pages of a host are known not to be there. */
export type ErrorSign =
  /** They redirect there, as a made-up path does. */
  | { readonly kind: 'redirect'; readonly to: string }
  /** Their text is that of a made-up path. */
  | { readonly kind: 'text'; readonly made: AnswerPrint; readonly sibling: AnswerPrint }
  /** They have this text (SHA-256, hex), as a large share of the pages of the host do. */
  | { readonly kind: 'repeated'; readonly text: string };

export type ProbeVerdict =
  /** Nothing follows: the server is honest, or the answer says nothing for certain. */
  | { readonly kind: 'honest' | 'unclear' | 'shell' | 'login' }
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
}

/** A text that more than the one share of a host's pages have, and no more than the other, is that of an error page. */
const repeated = { over: 0.3, upTo: 0.9, pages: 6, of: 20 };
/** Fewest pairs of words of a message. */
const fewestPairs = 2;

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

/** @param sibling print of the page next to which the path was made up */
export function judgeProbe(answer: ProbeAnswer, sibling: AnswerPrint): ProbeVerdict {
  const { status, redirectTo, path, title, text } = answer;
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
  const made = printAnswer(title, text, path);
  const message = compare({ made, sibling }, made);
  // The same page for every path: it says nothing about any of them.
  if (message.ofMessage < fewestPairs) return { kind: 'shell' };
  return { kind: 'soft', sign: { kind: 'text', made, sibling } };
}

interface Compared {
  /** Pairs of the message. */
  readonly ofMessage: number;
  /** Share of them that the page has. */
  readonly message: number;
  /** Share of the page's pairs that the answer to the made-up path lacks. */
  readonly own: number;
}

function compare(
  { made, sibling }: { readonly made: AnswerPrint; readonly sibling: AnswerPrint },
  page: AnswerPrint,
): Compared {
  // Of hashes beyond the greatest of a sample, the sample says nothing.
  const known = Math.min(
    ...[made, sibling, page].map(({ pairs, whole }) => (whole ? Infinity : (pairs.at(-1) ?? 0))),
  );
  const within = ({ pairs }: AnswerPrint): number[] => pairs.filter((pair) => pair <= known);
  const [ofMade, ofSibling, ofPage] = [new Set(within(made)), new Set(within(sibling)), within(page)];
  const message = [...ofMade].filter((pair) => !ofSibling.has(pair));
  const has = new Set(ofPage);
  return {
    ofMessage: message.length,
    message: message.length === 0 ? 0 : message.filter((pair) => has.has(pair)).length / message.length,
    own: ofPage.length === 0 ? 0 : ofPage.filter((pair) => !ofMade.has(pair)).length / ofPage.length,
  };
}

/** Is this page, with this print, one that is not there? */
export function isMissing(sign: Extract<ErrorSign, { kind: 'text' }>, page: AnswerPrint): boolean {
  const { message, own } = compare(sign, page);
  if (message >= 0.75 && own <= 0.3) return true;
  // Error pages that show something else each time, such as what others read, agree in less.
  return sign.made.says && page.says && message >= 0.3 && own <= 0.7;
}

/** Is this the path of a home page? */
export const isHome = (path: string): boolean =>
  /^\/(?:(?:index|home|default|start|main)(?:\.[a-z]+)?\/?)?(?:\?|$)/i.test(path);
