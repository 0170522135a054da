/**
 * Cookies (RFC 6265 §5): which of them an answer sets, and which go along with a request. A chain of redirects needs
 * them, since sites that ask for a cookie redirect to the same page until it comes back; so do sessions of crawls.
 *
 * No library does it: tough-cookie, the one that is maintained, is ten times as long, keeps whatever an answer sets, and
 * lets an answer without TLS replace a secure cookie. The bounds and that rule are most of this file.
 */

export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** Host name that it is sent to. */
  readonly domain: string;
  /** It is sent to names below its domain as well. */
  readonly below: boolean;
  readonly path: string;
  readonly secure: boolean;
  /** Milliseconds since 1970; null: the end of the session. */
  readonly endsAt: number | null;
  /** Absent: as `lax`, as browsers take it (RFC 6265bis §5.6.7). */
  readonly sameSite?: SameSite;
}

const sameSites = ['strict', 'lax', 'none'] as const;
export type SameSite = (typeof sameSites)[number];

/** Cookies of a chain, all their characters, and those of one path (RFC 6265bis §5.6); what has no room is not kept. */
const most = { cookies: 20, characters: 4_096, path: 1_024 };

/** May hosts below this name share a cookie? Not below a public suffix. */
export type IsShared = (domain: string) => boolean;

/**
 * The cookies of a chain after an answer.
 * @param field Set-Cookie, a line each; absent: the answer sets none
 * @param now milliseconds since 1970
 */
export function cookiesAfter(
  cookies: readonly Cookie[],
  field: string | undefined,
  url: URL,
  isShared: IsShared,
  now: number,
): readonly Cookie[] {
  let kept = cookies;
  for (const line of field?.split('\n') ?? []) {
    const read = readCookie(line, url, isShared, now);
    if (read === null) continue;
    const { endsAt } = read;
    if (url.protocol !== 'https:' && kept.some((other) => isShielded(other, read))) continue;
    const others = kept.filter(
      ({ name, domain, path }) => name !== read.name || domain !== read.domain || path !== read.path,
    );
    const isOver = endsAt !== null && endsAt <= now;
    kept = isOver || !hasRoom(others, read) ? others : [...others, read];
  }
  return kept;
}

/** Only an answer over TLS may replace, remove or overlay a secure cookie (RFC 6265bis §5.7). */
const isShielded = (secured: Cookie, { name, domain, path }: Cookie): boolean =>
  secured.secure &&
  secured.name === name &&
  (isBelow(secured.domain, domain) || isBelow(domain, secured.domain)) &&
  isInPath(path, secured.path);

function hasRoom(others: readonly Cookie[], cookie: Cookie): boolean {
  const characters = [...others, cookie].reduce(
    (sum, { name, value, domain, path }) => sum + name.length + value.length + domain.length + path.length,
    0,
  );
  return others.length < most.cookies && characters <= most.characters;
}

/** Null: it is no cookie, or one that this host may not set (§5.3; for the prefixes of names RFC 6265bis §4.1.3). */
function readCookie(line: string, url: URL, isShared: IsShared, now: number): Cookie | null {
  const [pair = '', ...parts] = line.split(';');
  const equals = pair.indexOf('=');
  const name = pair.slice(0, equals).trim();
  const value = pair.slice(equals + 1).trim();
  if (equals < 0 || !isPair(name, value)) return null;
  const attributes = new Map(
    parts.map((part) => {
      const [attribute = '', ...rest] = part.split('=');
      return [attribute.trim().toLowerCase(), rest.join('=').trim()] as const;
    }),
  );
  const host = url.hostname;
  const named = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase();
  const isAddress = /^[\d.]+$|^\[/.test(host);
  const below = named !== '' && !isAddress && isShared(named);
  if (named !== '' && named !== host && !(below && host.endsWith(`.${named}`))) return null;
  const given = attributes.get('path') ?? '';
  const path = given.startsWith('/')
    ? given
    : url.pathname.slice(0, Math.max(1, url.pathname.lastIndexOf('/')));
  if (path.length > most.path) return null;
  const maxAge = attributes.get('max-age');
  const endsAt = /^-?\d+$/.test(maxAge ?? '')
    ? now + 1_000 * Number(maxAge)
    : Date.parse(attributes.get('expires') ?? '');
  const secure = attributes.has('secure');
  if (secure && url.protocol !== 'https:') return null;
  if (/^__(?:secure|host)-/i.test(name) && !secure) return null;
  if (/^__host-/i.test(name) && (named !== '' || given !== '/')) return null;
  const domain = named === '' ? host : named;
  const cookie = { name, value, domain, below, path, secure, endsAt: Number.isNaN(endsAt) ? null : endsAt };
  const sameSite = sameSites.find((each) => each === attributes.get('samesite')?.toLowerCase());
  return sameSite === undefined ? cookie : { ...cookie, sameSite };
}

/** No control character, and none that would end the cookie or the field. */
export const isPair = (name: string, value: string): boolean =>
  /^[!-:<>-~\x80-\xff]+$/.test(name) && /^[ -:<-~\x80-\xff]*$/.test(value);

export const isBelow = (host: string, domain: string): boolean =>
  host === domain || host.endsWith(`.${domain}`);

export const isInPath = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/** May the cookie go along, as far as time and the site of the page do not matter (RFC 6265bis §5.8.3)? */
export const belongsTo = ({ domain, below, path, secure }: Cookie, url: URL): boolean =>
  (below ? isBelow(url.hostname, domain) : url.hostname === domain) &&
  isInPath(url.pathname, path) &&
  (!secure || url.protocol === 'https:');

/** The Cookie field of a request, long paths first (§5.4); null: none of the cookies goes along. */
export function cookieField(cookies: readonly Cookie[], url: URL): string | null {
  const sent = cookies
    .filter((cookie) => belongsTo(cookie, url))
    .toSorted((one, other) => other.path.length - one.path.length);
  return sent.length === 0 ? null : sent.map(({ name, value }) => `${name}=${value}`).join('; ');
}

/**
 * One Cookie field of that of the crawl and that of the chain. What the site has set replaces what the crawl was given
 * under that name, as the later of two cookies does in a browser (§5.3, step 11): it may be the next id of a session. Of
 * two with one name the server would take either (§4.2.2).
 */
export function joinedFields(own: string, sent: string): string {
  const set = new Set(sent.split('; ').map(nameIn));
  const others = own.split(';').map((pair) => pair.trim());
  return [...others.filter((pair) => pair !== '' && !set.has(nameIn(pair))), sent].join('; ');
}

const nameIn = (pair: string): string => pair.split('=', 1).join().trim();
