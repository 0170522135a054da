/** The domain somebody registered (public suffix list, private suffixes such as github.io included). */
import { getDomain } from 'tldts';

/** null where there is none: an IP address, a public suffix itself, a name of one label. */
export const registrableDomain = (hostname: string): string | null =>
  getDomain(hostname, { allowPrivateDomains: true });
