/**
 * Links that end a session or change something on the site (log out, delete, edit, add to cart). A crawl that sends a
 * Cookie or an Authorization header acts in somebody's name, so it leaves them out unless it was told to follow them.
 * What `rel` says makes no difference: sites mark such links, or do not.
 *
 * Words are told from names: a segment of the path, or the name or value of a query parameter, is cut where its
 * characters change kind, and where capitals begin. Words that end a session count wherever they stand. Words of
 * changes are also words of titles (`how-to-delete-an-account`), so they count only in short names.
 */
import type { RequestHeaders } from './request-headers.ts';

const sessionHeaders = new Set(['cookie', 'authorization']);

/** Does the crawl act in somebody's name? */
export const hasSession = (headers: RequestHeaders): boolean =>
  Object.keys(headers).some((name) => sessionHeaders.has(name.toLowerCase()));

/** Lower-case, without accents; a name of several words is written without what parts them. */
const endings: readonly string[] = [
  ...['logout', 'logoff', 'signout', 'signoff', 'endsession', 'killsession'],
  // German, Dutch, Nordic
  ...['abmelden', 'ausloggen', 'afmelden', 'uitloggen', 'loggaut', 'loggut', 'logud', 'kirjauduulos'],
  // Romance
  ...[
    'deconnexion',
    'deconnecter',
    'cerrarsesion',
    'desconectar',
    'desconectarse',
    'encerrarsessao',
    'disconnetti',
  ],
  // Slavic, Turkish, Hungarian
  ...[
    'wyloguj',
    'odhlasit',
    'odhlaseni',
    'odjava',
    'выход',
    'выйти',
    'cikisyap',
    'oturumukapat',
    'kijelentkezes',
  ],
  // Chinese, Japanese, Korean
  ...['退出', '退出登录', '登出', '注销', 'ログアウト', '로그아웃'],
];

const changes: readonly string[] = [
  ...['delete', 'remove', 'destroy', 'erase', 'trash', 'edit', 'rollback', 'revert', 'undo', 'purge'],
  ...[
    'unsubscribe',
    'unfollow',
    'vote',
    'upvote',
    'downvote',
    'unlike',
    'unwatch',
    'unpublish',
    'deactivate',
  ],
  ...['addtocart', 'addtobasket', 'addtobag', 'addtowishlist', 'emptycart', 'clearcart'],
  ...[
    'loschen',
    'loeschen',
    'entfernen',
    'bearbeiten',
    'verwijderen',
    'bewerken',
    'radera',
    'redigera',
    'slett',
  ],
  ...['supprimer', 'effacer', 'eliminar', 'borrar', 'editar', 'excluir', 'elimina'],
  ...['usun', 'edytuj', 'smazat', 'upravit', 'удалить', 'редактировать', 'править', 'duzenle'],
  ...['删除', '编辑', '刪除', '編輯', '削除', '編集', '삭제', '편집'],
];

/** Most words of a name in which a word of changes counts: `user-delete-confirm`, `do_edit`, but no title. */
const shortName = 3;

/** Parameters whose value is what a person wrote: a search, a title. A word in it asks for nothing. */
const spoken = new Set([
  ...[
    'q',
    'query',
    'search',
    's',
    'k',
    'keyword',
    'keywords',
    'term',
    'text',
    'title',
    'name',
    'page',
    'tag',
  ],
  ...['topic', 'subject', 'category', 'lang', 'sort', 'order', 'filter', 'package', 'module', 'id', 'w'],
]);
/** Of these, the ones whose values are looked up and name no page of the site: a search for `logout` ends nothing. */
const searched = new Set(['q', 'query', 'search', 's', 'k', 'keyword', 'keywords', 'term', 'text']);

/** `Userlogout`, `dologout`: names that were grown together. */
const grownTogether = /(?:logout|logoff|signout|signoff)$/;
/** Most words that make one: add to cart. */
const longestWord = 3;

/** A word that acts, and the part of the URL that has it, as the end of a sentence. Null: the URL has none. */
export function actionIn(canonical: string): string | null {
  const url = new URL(canonical);
  for (const segment of url.pathname.split('/')) {
    if (segment === '') continue;
    const word = actingWord(segment, true);
    if (word !== null) return `"${word}" in ${shown(decoded(segment))} of the path`;
  }
  // `;` parts parameters on some sites; the canonical form has it as it was found.
  for (const parameter of url.search.slice(1).split(/[&;]/)) {
    const at = parameter.indexOf('=');
    const name = at < 0 ? parameter : parameter.slice(0, at);
    const inName = actingWord(name, true);
    if (inName !== null) return `"${inName}" in the name of the parameter ${shown(decoded(name))}`;
    if (at < 0) continue;
    const bare = decoded(name).toLowerCase();
    if (searched.has(bare)) continue;
    const inValue = actingWord(parameter.slice(at + 1), !spoken.has(bare));
    if (inValue !== null) return `"${inValue}" in the parameter ${shown(decoded(name))}`;
  }
  return null;
}

/** @param mayChange words of changes count too */
function actingWord(part: string, mayChange: boolean): string | null {
  const words = wordsOf(decoded(part));
  const isShort = mayChange && words.filter((word) => !needsNoCount.test(word)).length <= shortName;
  for (let from = 0; from < words.length; from++) {
    let joined = '';
    for (let to = from; to < Math.min(words.length, from + longestWord); to++) {
      joined += words[to] ?? '';
      if (endingWords.has(joined) || (to === from && grownTogether.test(joined))) return joined;
      if (isShort && changeWords.has(joined)) return joined;
    }
  }
  return null;
}

/** Numbers and file endings make no title: `comment-delete-17.php` has two words. */
const needsNoCount = /^(?:\d+|php\d?|aspx?|jsp|jsf|cgi|pl|do|action|html?|cfm)$/;

/** Lower-case words without accents; a capital within a word begins another: `doLogout`, `UserLogout`. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

const asOne = (words: readonly string[]): ReadonlySet<string> =>
  new Set(words.map((word) => wordsOf(word).join('')));
const endingWords = asOne(endings);
const changeWords = asOne(changes);

/** Text in percent-encoding; as it stands where that is broken. */
function decoded(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

const longestShown = 60;
const shown = (text: string): string => JSON.stringify(text.slice(0, longestShown).toWellFormed());
