/** How people name a group of hosts that is to have a cap: a registered domain, or an IP address. */
import { readDomain, type DomainResult } from '../../domain/opt-out.ts';
import { nameOfGroup } from '../../net/address-group.ts';
import { registrableDomain } from '../../storage/seeds/index.ts';

/** An IPv6 address stands for its /64, written as that. A domain must be one that somebody has registered. */
export function readCapName(text: string): DomainResult {
  const address = nameOfGroup(text.trim().replace(/^\[(.*)\]$/, '$1'));
  if (address !== null) return { ok: true, domain: address };
  const read = readDomain(text);
  if (!read.ok) return read;
  const registered = registrableDomain(read.domain);
  if (registered === read.domain) return read;
  return {
    ok: false,
    problem:
      registered === null
        ? 'is no registered domain: names below it belong to different people'
        : `is part of ${registered}: set the cap for the whole of that domain`,
  };
}
