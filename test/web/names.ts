/** Names for the hosts of a synthetic web, several to a registered domain: all lead to 127.0.0.1. */

const hostsOfDomain = 3;

export const hostName = (index: number): string =>
  `h${String(index)}.domain${String(Math.floor(index / hostsOfDomain))}.test`;

/** The registered domain of a host (an authority) that has such a name. */
export const domainOf = (host: string): string => host.replace(/:\d+$/, '').split('.').slice(-2).join('.');
