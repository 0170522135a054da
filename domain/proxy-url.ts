/** URLs of egress proxies: of HTTP (CONNECT) or SOCKS5, perhaps with a name and a password, and with nothing behind the port. */

export const proxyWords =
  'a proxy such as http://user:password@proxy.example:3128 or socks5://proxy.example:1080';

export function isProxyUrl(given: string): boolean {
  const url = URL.parse(given);
  if (url === null || !['http:', 'socks5:'].includes(url.protocol)) return false;
  return url.hostname !== '' && /^\/?$/.test(url.pathname) && url.search + url.hash === '';
}
