/** Domains under which others have their own (publicsuffix.org): `com` and `co.uk`, and private ones such as `github.io`. */
import { parse } from 'tldts';

/** A name of one label that is on no list, such as `intranet`, is somebody's own. */
export function isPublicSuffix(domain: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(domain, { allowPrivateDomains: true });
  return publicSuffix === domain && (isIcann === true || isPrivate === true);
}
