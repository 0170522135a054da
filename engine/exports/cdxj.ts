/** Lines of a CDXJ index: where in an archive the record of a URL lies, by a key that sorts hosts by their domains. */

/** Bytes in which the fields of a record and the head of its answer end. */
const mostHead = 512 * 1024;

/** Where a record lies: its archive within the WACZ, and its member there. */
export interface RecordPlace {
  readonly archive: string;
  readonly at: number;
  readonly length: number;
}

/** `com,example)/path?query`, as players make it of the URL that they look for. */
export function sortKey(url: string): string {
  // The name of a picture or a print of a page.
  if (!/^https?:/i.test(url)) return url;
  const { hostname, port, pathname, search } = new URL(
    url.replace(/^(https?:\/\/)www\d*\./, '$1').toLowerCase(),
  );
  const place = port === '' ? '' : `:${port}`;
  const query = search.length > 1 ? `?${search.slice(1).split('&').sort().join('&')}` : '';
  return `${hostname.split('.').reverse().join(',')}${place})${pathname}${query}`;
}

/** The line of a record that answers a URL; null: the record does not answer one. */
export function cdxLine(record: Buffer, { archive, at, length }: RecordPlace): string | null {
  const [opening = '', head = ''] = record.toString('latin1', 0, mostHead).split('\r\n\r\n', 2);
  const field = (name: string): string | undefined => new RegExp(`^${name}: *(.*)`, 'im').exec(opening)?.[1];
  const type = field('WARC-Type');
  const url = field('WARC-Target-URI');
  if (url === undefined || !['response', 'revisit', 'resource'].includes(type ?? '')) return null;
  const isBody = type === 'resource';
  // A revisit may be without the head of its answer: then it is that of the answer that it refers to.
  const [, status] = (isBody ? null : /^HTTP\/\S+ (\d{3})/.exec(head)) ?? [];
  const [, given = ''] = /^content-type:[ \t]*([^;,\r\n]*)/im.exec(isBody ? opening : head) ?? [];
  const facts = {
    url,
    mime: type === 'revisit' ? 'warc/revisit' : given.trim().toLowerCase(),
    ...(status !== undefined && { status }),
    digest: field('WARC-Payload-Digest') ?? '',
    length: String(length),
    offset: String(at),
    filename: archive,
  };
  const stamp = (field('WARC-Date') ?? '').replace(/\D/g, '').slice(0, 14);
  return `${sortKey(url)} ${stamp} ${ascii(JSON.stringify(facts))}`;
}

/** Fields of a stranger's answer may hold any bytes. */
const ascii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
