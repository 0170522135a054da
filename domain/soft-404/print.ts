/**
 * What a page says, so far as it may tell a page from an error page: a sample of its pairs of words. The path that was
 * asked for, and words with digits, are left out: an error page often repeats the one and counts the other.
 */

export interface AnswerPrint {
  /** Hashes of pairs of words of the text, those that are least, ascending. */
  readonly pairs: readonly number[];
  /** False: there are further pairs, with greater hashes. */
  readonly whole: boolean;
  /** Hashes of pairs of words of the title; absent in prints of former versions. */
  readonly title?: readonly number[];
}

const mostPairs = 512;
/** Characters read of a text. */
const mostCharacters = 20_000;
const mostOfTitle = 300;

const word = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\p{L}\p{M}\p{N}]+/gu;

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** @param pathAndQuery that was asked for */
export function printAnswer(title: string | null, text: string, pathAndQuery: string): AnswerPrint {
  const asked = echoesOf(pathAndQuery);
  const least = [...pairsOf(text.slice(0, mostCharacters), asked)].toSorted((one, other) => one - other);
  return {
    pairs: least.slice(0, mostPairs),
    whole: least.length <= mostPairs,
    title: [...pairsOf((title ?? '').slice(0, mostOfTitle), asked)],
  };
}

function pairsOf(text: string, asked: readonly string[]): Set<number> {
  const pairs = new Set<number>();
  let last = '';
  for (const each of wordsOf(asked.reduce((left, echo) => left.replaceAll(echo, ' '), text.toLowerCase()))) {
    if (/\p{N}/u.test(each)) continue;
    pairs.add(hashOf(`${last} ${each}`));
    last = each;
  }
  return pairs;
}

const wordsOf = (text: string): readonly string[] => text.match(word) ?? [];

/** How a page may repeat the path that was asked for, the longest first. */
function echoesOf(pathAndQuery: string): readonly string[] {
  const path = decoded(pathAndQuery).toLowerCase();
  const last =
    path
      .split('?', 1)[0]
      ?.split('/')
      .findLast((segment) => segment !== '') ?? '';
  const spaced = (text: string): string => text.replaceAll(/[-_/.+]+/g, ' ').trim();
  const bare = last.replace(/\.[a-z]{2,5}$/, '');
  return [path, spaced(path), last, spaced(last), bare, spaced(bare)].filter((echo) => echo.length > 3);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
