/** From what is given of a login to the parts of a session, each with the place where it belongs. */
import type { NewSession } from '../../contracts/http/sessions.ts';
import { readCookieFile } from '../../domain/session/cookie-file.ts';
import { everywhere, placeOf } from '../../domain/session/session.ts';
import { proxyName } from '../../net/egress-proxy.ts';
import { registrableDomain } from '../../storage/seeds/index.ts';
import type { SessionPart } from '../../storage/sessions/index.ts';

export type Parts =
  | { readonly ok: true; readonly parts: readonly SessionPart[] }
  | { readonly ok: false; readonly problem: string };

export function partsOf(given: NewSession): Parts {
  const loggedOutText = given.loggedOutText ?? null;
  const parts: SessionPart[] = [];
  if (given.cookies !== undefined) {
    const read = readCookieFile(given.cookies, (domain) => registrableDomain(domain) !== null);
    if (!read.ok) return { ok: false, problem: `cookies: ${read.problem}` };
    for (const [place, cookies] of Map.groupBy(read.cookies, placeOf)) {
      const ends = cookies.flatMap(({ endsAt }) => (endsAt === null ? [] : [endsAt]));
      parts.push({
        place,
        kind: 'cookies',
        names: cookies.map(({ name }) => name),
        endsAt: ends.length === 0 ? null : Math.min(...ends),
        value: { cookies, fields: [], loggedOutText },
      });
    }
  }
  const { origin, path = '/' } = given;
  const headers = fieldsOf(given);
  if (headers !== null && origin !== undefined)
    parts.push({
      place: origin,
      kind: 'headers',
      names: Object.keys(headers),
      endsAt: null,
      value: { cookies: [], fields: [{ origin, path, headers }], loggedOutText },
    });
  const { proxy } = given;
  if (proxy !== undefined)
    parts.push({
      place: everywhere,
      kind: 'proxy',
      names: [proxyName(new URL(proxy))],
      endsAt: null,
      value: { cookies: [], fields: [], loggedOutText: null, proxy },
    });
  return { ok: true, parts };
}

/** Names in lower case; null: none is given. */
function fieldsOf({ basic, bearer, headers }: NewSession): Readonly<Record<string, string>> | null {
  if (basic !== undefined) {
    const credentials = Buffer.from(`${basic.user}:${basic.password}`).toString('base64');
    return { authorization: `Basic ${credentials}` };
  }
  if (bearer !== undefined) return { authorization: `Bearer ${bearer}` };
  if (headers === undefined) return null;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
