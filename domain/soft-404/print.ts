/**
 * What a page says, so far as it may tell a page from an error page: a sample of its pairs of words. The path that was
 * asked for, and words with digits, are left out: an error page often repeats the one and counts the other.
 */

export interface AnswerPrint {
  /** Hashes of pairs of words, those that are least, ascending. */
  readonly pairs: readonly number[];
  /** False: there are further pairs, with greater hashes. */
  readonly whole: boolean;
  /** The title or the beginning of the text says that something was not found. */
  readonly says: boolean;
}

const mostPairs = 256;
/** Characters read of a text. */
const mostCharacters = 20_000;
/** Characters in which an error page says what it is. */
const beginning = 1_500;

const word = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\p{L}\p{M}\p{N}]+/gu;

const notFound =
  /\b404\b|not found|no longer (?:available|exists?|here)|(?:does|do)(?: not|n[’']t) exist|(?:could|can)(?: not|not|n[’']t|n[’']t be) (?:be found|find)|doesn[’']t exist|nothing (?:was )?found|page (?:is )?(?:missing|unavailable|gone)|nicht gefunden|existiert nicht|nicht (?:mehr )?verfügbar|introuvable|n[’']existe pas|n[’']est plus disponible|no (?:se )?encontr|no existe|não encontrad|não existe|non trovat|non esiste|niet gevonden|bestaat niet|nie znalezion|nie istnieje|hittades inte|finns inte|ikke funnet|ikke fundet|ei löydy|nenalezen|bulunamadı|не найден|не существует|не знайден|δεν βρέθηκε|غير موجود|לא נמצא|見つかりません|找不到|不存在|찾을 수 없/iu;

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
  const pairs = new Set<number>();
  for (const [mark, part] of [
    ['t', title ?? ''],
    ['', text.slice(0, mostCharacters)],
  ] as const) {
    let last: string = mark;
    for (const each of wordsOf(
      asked.reduce((left, echo) => left.replaceAll(echo, ' '), part.toLowerCase()),
    )) {
      if (/\p{N}/u.test(each)) continue;
      pairs.add(hashOf(`${last} ${mark}${each}`));
      last = each;
    }
  }
  const least = [...pairs].toSorted((one, other) => one - other);
  return {
    pairs: least.slice(0, mostPairs),
    whole: least.length <= mostPairs,
    says: notFound.test(`${title ?? ''} ${text.slice(0, beginning)}`),
  };
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
