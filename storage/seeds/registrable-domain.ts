/** The domain somebody registered (public suffix list, private suffixes such as github.io included). */
import { getDomain } from 'tldts';

/** Null: the name is an IP address, a public suffix itself, or has only one label. */
export const registrableDomain = (hostname: string): string | null =>
  getDomain(hostname, { allowPrivateDomains: true });
