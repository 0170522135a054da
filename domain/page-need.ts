/**
 * What a page needs to say anything, where its body says hardly anything: a browser that runs its scripts, or somebody
 * who logs in. Told from what one reading of the page has met; never from a page with a text of its own.
 */

export const pageNeeds = ['javascript', 'login'] as const;
export type PageNeed = (typeof pageNeeds)[number];

export interface PageEvidence {
  /** Path and query of the page, as requested. */
  readonly address: string;
  readonly title: string;
  /** Texts of its headings, in document order. */
  readonly headings: readonly string[];
  /** Words of the text that people see; navigation, asides and footers are not counted. */
  readonly words: number;
  /** Links, whatever they ask. */
  readonly links: number;
  /** The text was found in data for scripts, so the page can be read as it is. */
  readonly fromState: boolean;
  /** Fields that take a password. */
  readonly passwords: number;
  /** Fields that take a user name or a mail address, as far as they say so. */
  readonly identities: number;
  /** Scripts that run, of whatever origin. */
  readonly scripts: number;
  /** Of these, those that the page names by their address. */
  readonly externalScripts: number;
  /** Characters of the scripts that the page holds. */
  readonly inlineScript: number;
  /** The page has an element in which client-side frameworks build the page (`mountIds`). */
  readonly hasMount: boolean;
  /** Pictures, frames and players: a page of these shows something. */
  readonly media: number;
  /** Its `<noscript>` speaks of JavaScript. */
  readonly asksForScript: boolean;
}

/** Ids of elements in which client-side frameworks build a page. */
export const mountIds: ReadonlySet<string> = new Set([
  'root',
  'app',
  '__next',
  '__nuxt',
  '___gatsby',
  '__layout',
  'svelte',
  'q-app',
  'ember-app',
  'app-root',
  'react-root',
  'reactRoot',
  'react-app',
  'app-container',
  'vue-app',
  'main-app',
  'appRoot',
  'mount',
]);

/** A shell says "Loading…", or that JavaScript is wanted. */
const shellWords = 20;
const shellLinks = 2;
/** A page with so many words says something, and needs nothing. */
export const enoughWords = 150;
/** With so few words, and hardly a link, a password field alone makes a login form. */
const bareWords = 30;
const bareLinks = 10;

/** Null: it needs nothing, or has something to say as it is. */
export function needOf(page: PageEvidence): PageNeed | null {
  if (isLoginForm(page)) return 'login';
  return isShell(page) ? 'javascript' : null;
}

function isShell(page: PageEvidence): boolean {
  const { words, links, scripts, fromState, headings, hasMount, asksForScript, media } = page;
  if (scripts === 0 || fromState || words >= shellWords || links > shellLinks) return false;
  // A short page that a server has rendered has its heading, also within such an element.
  if (words > 0 && headings.length > 0) return false;
  return hasMount || asksForScript || (words === 0 && links === 0 && media === 0);
}

/**
 * Many sites have a small login form on every page, so a password field is not enough: the page says nothing else, or
 * its title, its only headings or its address call it a login. Where the password is asked for on the next page, the
 * field for a name tells as much only on a page that has hardly anything else: newsletters want addresses too.
 */
function isLoginForm(page: PageEvidence): boolean {
  const { passwords, identities, words, links, title, headings, address } = page;
  if (words >= enoughWords) return false;
  const isBare = words < bareWords && links < bareLinks;
  if (passwords > 0 && isBare) return true;
  if (passwords === 0 && (identities === 0 || words >= enoughWords / 2 || links >= bareLinks)) return false;
  if (saysLogin(title) || namesLogin(address)) return true;
  return headings.length > 0 && words < enoughWords / 2 && headings.every((heading) => saysLogin(heading));
}

/** In titles and headings, in the languages in which login forms are met most. */
const loginPhrases =
  /\b(?:log[\s-]?[io]n|sign[\s-]?in|authenticat|anmeld|einlogg|connexion|s['’]identifier|iniciar sesi|acceder|ingresar|fazer login|entrar|accedi|inlogg|aanmeld|logga in|logg inn|log ind|kirjaudu|zaloguj|logowanie|přihl|giriş yap|oturum aç|đăng nhập|masuk)|вход|войти|авториз|увійти|登录|登入|ログイン|로그인|تسجيل الدخول/iu;

const saysLogin = (text: string): boolean => loginPhrases.test(text);

const loginNames = new Set([
  'login',
  'logon',
  'signin',
  'userlogin',
  'servicelogin',
  'dologin',
  'wplogin',
  'sso',
  'saml',
  'saml2',
  'cas',
  'adfs',

  'oauth',
  'oauth2',
  'openid',
  'authenticate',
  'authorize',
  'anmelden',
  'einloggen',
  'connexion',
  'inloggen',
  'aanmelden',
  'acceder',
  'accedi',
  'zaloguj',
  'kirjaudu',
  'entrar',
]);

/**
 * Does an address name a login, in its path or in a value of its query? Names of parameters are not looked at, nor the
 * addresses that they hold: `?next=/login` leads back to one. @param address path and query
 */
export function namesLogin(address: string): boolean {
  const [path = '', query = ''] = address.split('?', 2);
  const values = query.split(/[&;]/).map((parameter) => parameter.slice(parameter.indexOf('=') + 1));
  return [...path.split('/'), ...values.filter((value) => !/%2F|[/]/i.test(value))].some(isLoginName);
}

function isLoginName(name: string): boolean {
  const words = name
    .replaceAll(/%[0-9a-f]{2}/gi, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word, at) => loginNames.has(word) || loginNames.has(word + (words[at + 1] ?? '')));
}
