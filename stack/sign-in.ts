/** Signing in to Temporal Web by API key: the API says whether a key may rule the whole instance, as Temporal Web does. */
import { LRUCache } from 'lru-cache';

/** `unknown`: the API does not answer. */
export type SignIn = (authorization: string | undefined) => Promise<'in' | 'out' | 'unknown'>;

/** Milliseconds for which a key is not checked again: as long as a revoked key may still be taken anywhere. */
const keptMs = 5_000;
const answerMs = 10_000;

/** Open to admins of the instance alone. */
const probe = '/v1/tenants?limit=1';

/** @param api the address of the API; null: it is not up yet */
export function signInByKey(api: () => string | null): SignIn {
  const known = new LRUCache<string, true>({ max: 1_000, ttl: keptMs });
  return async (authorization) => {
    const key = keyIn(authorization);
    if (key === null) return 'out';
    if (known.has(key)) return 'in';
    const url = api();
    if (url === null) return 'unknown';
    try {
      const { status, body } = await fetch(`${url}${probe}`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(answerMs),
      });
      await body?.cancel();
      if (status === 401 || status === 403) return 'out';
      if (status !== 200) return 'unknown';
    } catch {
      return 'unknown';
    }
    known.set(key, true);
    return 'in';
  };
}

/** As a browser sends what was typed (RFC 7617): a name, which does not count, and the key; or the key as bearer token. */
function keyIn(authorization = ''): string | null {
  const [, scheme = '', credentials = ''] = /^(basic|bearer) +([\w.~+/-]+=*) *$/i.exec(authorization) ?? [];
  if (scheme === '') return null;
  const key =
    scheme.toLowerCase() === 'bearer'
      ? credentials
      : Buffer.from(credentials, 'base64')
          .toString('utf8')
          .replace(/^[^:]*:/, '');
  return /^[\w.~+/-]+=*$/.test(key) ? key : null;
}
