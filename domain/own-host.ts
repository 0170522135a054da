/**
 * Keeps web pages away from a server that trusts whoever reaches its loopback address. A page may send requests to
 * 127.0.0.1, and by DNS rebinding may even read the answers under its own name. A browser says where it means to be
 * (Host, Fetch §4.5) and which page sends it (Origin).
 */

/** @param names host names, without port, that are the server's own besides `localhost` */
export const ownNames = (names: readonly string[]): ReadonlySet<string> =>
  new Set(['localhost', ...names.map((name) => name.toLowerCase())]);

/**
 * The hosts that a request names; there must be one (RFC 9112, section 3.2). A target that is a whole address names the
 * host, whatever the Host field says (section 3.2.2); where they differ, these are two.
 * @param rawHeaders names and values in turn @param target as the request line has it
 */
export function namedHosts(rawHeaders: readonly string[], target: string): string[] {
  const fields = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host');
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? [];
  return authority === undefined || fields.includes(authority) ? fields : [...fields, authority];
}

/** Whether a Host names the server: an address or `localhost` cannot be rebound, other names have to be its own. */
export function isOwnHost(field: string, ours: ReadonlySet<string>): boolean {
  const name = (/^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(field)?.[1] ?? '').toLowerCase();
  return isAddress(name) || ours.has(name) || name.endsWith('.localhost');
}

/** As browsers write addresses: four numbers, or IPv6 in brackets. */
const isAddress = (name: string): boolean =>
  /^\[[\da-f:.]+\]$/.test(name) ||
  (/^\d{1,3}(\.\d{1,3}){3}$/.test(name) && name.split('.').every((each) => Number(each) < 256));

/** Whether the page that sends a request is one of the server's own. True without an Origin: no page sends it. */
export const isOwnOrigin = (origin: string | undefined, host: string): boolean =>
  origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
