/**
 * Links that end a session or change something on the site (log out, delete, edit, add to cart). A crawl that sends a
 * Cookie or an Authorization header acts in somebody's name, so it leaves them out unless it was told to follow them.
 * What `rel` says makes no difference: sites mark such links, or do not.
 *
 * Words are told from names: a segment of the path, or the name or value of a query parameter, is cut where its
 * characters change kind, and where capitals begin. Words that end a session count wherever they stand, also over
 * neighbouring segments (`log/out`). Words of changes are also words of titles (`how-to-delete-an-account`), so they
 * count only in short names; some are so common that they count only as a whole name beside a number (`users/5/ban`).
 */
import type { RequestHeaders } from './request-headers.ts';

const sessionHeaders = new Set(['cookie', 'authorization']);

/** Does the crawl act in somebody's name? */
export const hasSession = (headers: RequestHeaders): boolean =>
  Object.keys(headers).some((name) => sessionHeaders.has(name.toLowerCase()));

/**
 * Lower-case, without accents; a name of several words is written without what parts them. English, German, Dutch,
 * Nordic, Romance, Slavic, Turkish, Hungarian, Chinese, Japanese, Korean.
 */
const endings = `
  logout logoff signout signoff logmeout signmeout logouthere endsession killsession closesession
  terminatesession destroysession sessionend sessionsend sessionclose sessiondestroy sessionsdestroy
  sessionterminate abmelden ausloggen afmelden uitloggen loggaut loggut logud kirjauduulos deconnexion
  deconnecter cerrarsesion desconectar desconectarse encerrarsessao disconnetti wyloguj odhlasit odhlaseni
  odjava выход выйти cikisyap oturumukapat kijelentkezes 退出 退出登录 登出 注销 ログアウト 로그아웃
`;

const changes = `
  delete remove destroy erase trash edit rollback revert undo purge unsubscribe unfollow vote upvote
  downvote unlike unwatch unpublish deactivate addtocart addtobasket addtobag addtowishlist emptycart
  clearcart loschen loeschen entfernen bearbeiten verwijderen bewerken radera redigera slett supprimer
  effacer eliminar borrar editar excluir elimina usun edytuj smazat upravit удалить редактировать править
  duzenle 删除 编辑 刪除 編輯 削除 編集 삭제 편집
`;

/** Count as the whole of a name alone. */
const alone = `
  exit quit disconnect shutdown reboot terminate revoke del rm ausgang sortir salir sair esci uitgang
  cikis wyjdz kilepes
`;

/** Count as the whole of a name that a number stands beside, or as the whole name or value of a parameter. */
const deeds = `
  add ban unban block unblock transfer cancel approve reject accept decline publish move rename merge flag
  like dislike follow subscribe buy checkout pay confirm reset clear drop kill stop restart enable disable
  activate lock unlock pin unpin close reopen assign markread markasread save submit
`;

/** Most words of a name in which a word of changes counts: `user-delete-confirm`, `do_edit`, but no title. */
const shortName = 3;

/** Parameters whose value is what a person wrote: a search, a title. A word in it asks for nothing. */
const spoken = new Set([
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
  'topic',
  'subject',
  'category',
  'lang',
  'sort',
  'order',
  'filter',
  'package',
  'module',
  'id',
  'w',
]);
/** Of these, the ones whose values are looked up and name no page of the site: a search for `logout` ends nothing. */
const searched = new Set(['q', 'query', 'search', 's', 'k', 'keyword', 'keywords', 'term', 'text']);

/** Parameters that name a page of the site in some programs, and what is to be done in others. */
const routes = new Set(['page', 'module', 'name', 'id']);

/** `Userlogout`, `dologout`, `logoutuser`: names that were grown together. */
const grownTogether = /(?:logout|logoff|signout|signoff)$|^(?:logout|signout)/;
/** Most words that make one: add to cart. */
const longestWord = 3;

/** A word that acts, and the part of the URL that has it, as the end of a sentence. Null: the URL has none. */
export function actionIn(canonical: string): string | null {
  const url = new URL(canonical);
  const inPath = actingSegment(url.pathname, url.search !== '');
  if (inPath !== null) return `${inPath} of the path`;
  // `;` parts parameters on some sites; the canonical form has it as it was found.
  const parameters = url.search
    .slice(1)
    .split(/[&;]/)
    .map((parameter) => {
      const [name = '', ...value] = parameter.split('=');
      return { name, value: value.join('=') };
    });
  for (const { name, value } of parameters) {
    const inName = actingWord(name, true) ?? wholeDeed(name);
    if (inName !== null) return `"${inName}" in the name of the parameter ${shown(decoded(name))}`;
    const inValue = actingValue(decoded(name).toLowerCase(), value, parameters);
    if (inValue !== null) return `"${inValue}" in the parameter ${shown(decoded(name))}`;
  }
  return null;
}

/** A title may have slashes. */
const namesRoutes = (bare: string): boolean => searched.has(bare) || routes.has(bare) || !spoken.has(bare);

interface Parameter {
  readonly name: string;
  readonly value: string;
}

/** @param bare the name of the parameter */
function actingValue(bare: string, value: string, all: readonly Parameter[]): string | null {
  // A path within a value is a route, whatever the parameter is called: `?q=user/logout`. An address leads elsewhere.
  const path = decoded(value);
  if (/^[\w-]*(?:\/[\w.-]+)+$/.test(path) && namesRoutes(bare)) {
    const found = actingSegment(path, true);
    if (found !== null) return found.split('"')[1] ?? null;
  }
  if (searched.has(bare)) return null;
  const isRoute = routes.has(bare) && all.some((other) => other.name !== bare && /\d/.test(other.value));
  const mayChange = isRoute || !spoken.has(bare);
  return actingWord(value, mayChange) ?? (mayChange ? wholeDeed(value) : null);
}

/** @param asks there is a query beside the path: what is named is asked for with something */
function actingSegment(path: string, asks: boolean): string | null {
  const segments = path.split('/').filter((segment) => segment !== '');
  for (const [at, segment] of segments.entries()) {
    const word = actingWord(segment, true);
    if (word !== null) return `"${word}" in ${shown(decoded(segment))}`;
    const [before = '', after = ''] = [segments[at - 1], segments[at + 1]];
    const deed = asks || hasNumber(before) || hasNumber(after) ? wholeDeed(segment) : null;
    if (deed !== null) return `"${deed}" in ${shown(decoded(segment))}`;
    const pair = wordsOf(decoded(`${segment} ${after}`)).join('');
    if (after !== '' && endingWords.has(pair)) return `"${pair}" in ${shown(decoded(`${segment}/${after}`))}`;
  }
  return null;
}

/** @param mayChange words of changes count too */
function actingWord(part: string, mayChange: boolean): string | null {
  const words = wordsOf(decoded(part));
  const telling = words.filter((word) => !needsNoCount.test(word));
  const isShort = mayChange && telling.length <= shortName;
  const whole = telling.join('');
  if (mayChange && aloneWords.has(whole)) return whole;
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

function wholeDeed(part: string): string | null {
  const whole = wordsOf(decoded(part))
    .filter((word) => !needsNoCount.test(word))
    .join('');
  return deedWords.has(whole) ? whole : null;
}

const hasNumber = (segment: string): boolean => /\d/.test(segment);

/** Numbers and file endings make no title: `comment-delete-17.php` has two words. */
const needsNoCount = /^(?:\d+|php\d?|aspx?|jsp|jsf|cgi|pl|do|action|html?|cfm)$/;

/** Lower-case words without accents; a capital within a word begins another: `doLogout`, `UserLogout`. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{L})(\p{N})|(\p{N})(\p{L})/gu, '$1$3 $2$4')
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** @param list words with white space between them */
const asOne = (list: string): ReadonlySet<string> =>
  new Set(
    list
      .trim()
      .split(/\s+/)
      .map((word) => wordsOf(word).join('')),
  );
const endingWords = asOne(endings);
const changeWords = asOne(changes);
const aloneWords = asOne(alone);
const deedWords = asOne(deeds);

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
