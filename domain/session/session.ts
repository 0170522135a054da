/**
 * The session of a crawl: what its owner has given it of a login, and which of that goes along with a request. Nothing
 * is sent but where it belongs: cookies by RFC 6265bis §5.8.3, all else at one origin, at and below one path.
 */
import { belongsTo, cookieField, isBelow, isInPath, joinedFields, type Cookie } from '../cookies.ts';
import type { RequestHeaders } from '../request-headers.ts';

/** Header fields for one origin, names in lower case. */
export interface OriginFields {
  /** Such as `https://example.com`. */
  readonly origin: string;
  readonly path: string;
  readonly headers: RequestHeaders;
}

export interface SessionContent {
  readonly cookies: readonly Cookie[];
  readonly fields: readonly OriginFields[];
}

/**
 * What goes along with a request; null: nothing of the session belongs there. A session whose cookies are over still
 * belongs: what is answered without them is an answer to somebody who is logged out.
 * @param isCrossSite the URL is asked for a page of another site: then only cookies that say `SameSite=None` go along
 * (§5.6.7) @param now milliseconds since 1970
 */
export function fieldsFor(
  { cookies, fields }: SessionContent,
  url: URL,
  isCrossSite: boolean,
  now: number,
): RequestHeaders | null {
  const ours = cookies.filter(
    (cookie) => belongsTo(cookie, url) && (!isCrossSite || (cookie.sameSite === 'none' && cookie.secure)),
  );
  const here = fields.filter(
    ({ origin, path }) => !isCrossSite && origin === url.origin && isInPath(url.pathname, path),
  );
  if (ours.length === 0 && here.length === 0) return null;
  const cookie = cookieField(
    ours.filter(({ endsAt }) => endsAt === null || endsAt > now),
    url,
  );
  return withFields(Object.assign({}, ...here.map(({ headers }) => headers)) as RequestHeaders, cookie);
}

/** The headers with these cookies among theirs, if any. Of two cookies with one name the second is taken. */
export function withFields(given: RequestHeaders, cookie: string | null): RequestHeaders {
  if (cookie === null) return given;
  const [name, own] = Object.entries(given).find(([each]) => /^cookie$/i.test(each)) ?? ['cookie', ''];
  return { ...given, [name]: joinedFields(own, cookie) };
}

/** Of two headers with one name, in whatever case, the second is taken; their cookies are joined. */
export function joinedHeaders(given: RequestHeaders, more: RequestHeaders): RequestHeaders {
  const { cookie = null, ...others } = more;
  const kept = Object.entries(given).filter(([name]) => !(name.toLowerCase() in others));
  return withFields({ ...Object.fromEntries(kept), ...others }, cookie);
}

/**
 * Where a part of a session belongs, as people read it: an origin, a host (`example.com`), or a domain with all below it
 * (`.example.com`).
 */
export const placeOf = ({ domain, below }: Cookie): string => (below ? `.${domain}` : domain);

/** The place of what belongs to all requests of a crawl. */
export const everywhere = '*';

/** Does a part of a session with this place reach the host? */
export function reaches(place: string, origin: string): boolean {
  if (place === everywhere) return true;
  if (place.includes('/')) return place === origin;
  const { hostname } = new URL(origin);
  return place.startsWith('.') ? isBelow(hostname, place.slice(1)) : hostname === place;
}
