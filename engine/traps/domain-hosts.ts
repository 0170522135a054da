/**
 * Domains of which a crawl reads pages at many hosts: endless names below one domain are a trap that no watch of a single
 * host sees. Pages there are watched together, under the origin of the domain itself. A site with a few names pays a look
 * into a table for each page, no more.
 */
import { hostName } from '../../domain/opt-out.ts';
import { registrableDomain } from '../../storage/seeds/index.ts';
import { lastUsed } from '../last-used.ts';

/** From so many hosts on, each as this process has read it, a domain is watched. */
const manyHosts = 24;

/** The origin under which the hosts below a domain are watched and held, whatever their own schemes and ports. */
export const apexOf = (domain: string): string => `https://${domain}`;

export class DomainHosts {
  /** By crawl and domain: hosts that were read, up to `manyHosts`. */
  readonly #read = lastUsed<string, Set<number>>(5_000);
  /** Domains of names. */
  readonly #domains = lastUsed<string, string>(20_000);

  /** Notes a host whose page was read. The domain below which it lies, if that is to be watched; else null. */
  met(crawlId: number, hostId: number, origin: string): string | null {
    const domain = this.#domainOf(hostName(origin));
    if (domain === '') return null;
    const key = `${String(crawlId)} ${domain}`;
    const read = this.#read.get(key) ?? new Set<number>();
    if (read.size >= manyHosts) return domain;
    read.add(hostId);
    this.#read.set(key, read);
    return null;
  }

  /** '': the name is that of a domain itself, or of none. */
  #domainOf(name: string): string {
    let domain = this.#domains.get(name);
    if (domain === undefined) {
      const registered = registrableDomain(name);
      domain = registered === null || registered === name ? '' : registered;
      this.#domains.set(name, domain);
    }
    return domain;
  }
}
