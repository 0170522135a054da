/**
 * Cookies as far as a chain of redirects needs them (RFC 6265 §5): which of them an answer sets, and which go along with
 * the next request. Sites that ask for a cookie redirect to the same page until it comes back.
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
}

/** Cookies of a chain, and characters of their names and values; what has no room is not kept. */
const most = { cookies: 20, characters: 4_096 };

/** May hosts below this name share a cookie? Not below a public suffix. */
type IsShared = (domain: string) => boolean;

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
    const { cookie, isOver } = read;
    const others = kept.filter(
      ({ name, domain, path }) => name !== cookie.name || domain !== cookie.domain || path !== cookie.path,
    );
    kept = isOver || !hasRoom(others, cookie) ? others : [...others, cookie];
  }
  return kept;
}

function hasRoom(others: readonly Cookie[], cookie: Cookie): boolean {
  const characters = [...others, cookie].reduce(
    (sum, { name, value }) => sum + name.length + value.length,
    0,
  );
  return others.length < most.cookies && characters <= most.characters;
}

/** Null: it is no cookie, or one that this host may not set (§5.3). */
function readCookie(
  line: string,
  url: URL,
  isShared: IsShared,
  now: number,
): { readonly cookie: Cookie; readonly isOver: boolean } | null {
  const [pair = '', ...parts] = line.split(';');
  const equals = pair.indexOf('=');
  const name = pair.slice(0, equals).trim();
  const value = pair.slice(equals + 1).trim();
  // No control character, and none that would end the cookie or the field.
  if (equals < 0 || !/^[!-:<>-~\x80-\xff]+$/.test(name) || !/^[ -:<-~\x80-\xff]*$/.test(value)) return null;
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
  const path = attributes.get('path') ?? '';
  const maxAge = attributes.get('max-age');
  const endsAt = /^-?\d+$/.test(maxAge ?? '')
    ? now + 1_000 * Number(maxAge)
    : Date.parse(attributes.get('expires') ?? '');
  const secure = attributes.has('secure');
  if (secure && url.protocol !== 'https:') return null;
  const cookie = {
    ...{ name, value, domain: named === '' ? host : named, below, secure },
    path: path.startsWith('/') ? path : url.pathname.slice(0, Math.max(1, url.pathname.lastIndexOf('/'))),
  };
  return { cookie, isOver: endsAt <= now };
}

/** The Cookie field of a request (§5.4); null: none of the cookies goes along. */
export function cookieField(cookies: readonly Cookie[], url: URL): string | null {
  const sent = cookies.filter(
    ({ domain, below, path, secure }) =>
      (url.hostname === domain || (below && url.hostname.endsWith(`.${domain}`))) &&
      (url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`)) &&
      (!secure || url.protocol === 'https:'),
  );
  return sent.length === 0 ? null : sent.map(({ name, value }) => `${name}=${value}`).join('; ');
}
