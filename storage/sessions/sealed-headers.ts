/**
 * Values of the request headers among the settings of a crawl, sealed: each is bound to its tenant and its name. Values of
 * crawls that are older stand there as they were given.
 */
import type { RequestHeaders } from '../../domain/request-headers.ts';
import { KeyMissing, type SecretKeys } from './secret-keys.ts';

const mark = 'sealed';
const boundTo = (tenantId: number, name: string): string =>
  `headers ${String(tenantId)} ${name.toLowerCase()}`;

/** A pattern of the text of headers of which keys with these ids have sealed a value. */
export const sealedBy = (keyIds: readonly string[]): string => `"${mark}:(${keyIds.join('|')}):`;

/** @throws NoKey */
export const sealHeaders = (keys: SecretKeys, tenantId: number, headers: RequestHeaders): RequestHeaders =>
  mapped(headers, (name, value) => {
    const { key_id: keyId, sealed } = keys.seal(value, boundTo(tenantId, name));
    return [mark, keyId, sealed.toString('base64')].join(':');
  });

/** @throws KeyMissing */
export const openHeaders = (keys: SecretKeys, tenantId: number, headers: RequestHeaders): RequestHeaders =>
  mapped(headers, (name, value) => {
    const [first, keyId = '', sealed] = value.split(':');
    if (first !== mark || sealed === undefined) return value;
    return keys.open({ key_id: keyId, sealed: Buffer.from(sealed, 'base64') }, boundTo(tenantId, name));
  });

/** As `sealHeaders`; headers that a crawl has already stay sealed as they are, so that nothing has changed. @throws NoKey */
export function sealAgain(
  keys: SecretKeys,
  tenantId: number,
  before: RequestHeaders,
  headers: RequestHeaders,
): RequestHeaders {
  try {
    const known = Object.entries(openHeaders(keys, tenantId, before));
    const isSame =
      known.length === Object.keys(headers).length && known.every(([name, value]) => headers[name] === value);
    return isSame ? before : sealHeaders(keys, tenantId, headers);
  } catch (error) {
    if (!(error instanceof KeyMissing)) throw error;
    return sealHeaders(keys, tenantId, headers);
  }
}

const mapped = (headers: RequestHeaders, change: (name: string, value: string) => string): RequestHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(name, value)]));
