/** Names to addresses: what the connector asks, and what it may be told. */
import { lookup } from 'node:dns/promises';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * Gives every address of a name, best first. It rejects with an Error whose `code` is one of `notFoundCodes` where the
 * name has none (an empty list says the same); any other rejection means that the question could not be answered.
 */
export interface Resolver {
  resolve(hostname: string): Promise<readonly ResolvedAddress[]>;
}

/**
 * The question stays open: no resolver gave an answer, and none was kept from before. The fault says nothing about the
 * name. `code` is the reason that says most: a resolver's own word (ESERVFAIL, EREFUSED) counts more than its silence
 * (ETIMEOUT, ECONNREFUSED).
 */
export class ResolverFault extends Error {
  override readonly name = 'ResolverFault';
  readonly code: string;
  /**
   * True: no resolver answers anything, about any name. This is an outage on our side, which a circuit breaker counts.
   * False: the resolvers live but fail at this name, mostly because the name's own servers are in trouble.
   */
  readonly silent: boolean;

  constructor(hostname: string, code: string, silent: boolean) {
    super(
      silent
        ? `No DNS resolver answers (${code}); ${hostname} was asked for.`
        : `The DNS resolvers could not resolve ${hostname} (${code}).`,
    );
    this.code = code;
    this.silent = silent;
  }
}

/** EINVAL is what getaddrinfo says of names longer than DNS can hold. */
export const notFoundCodes: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EINVAL']);

/** The system's resolver (getaddrinfo): /etc/hosts and its own timeouts and order included. */
export const systemResolver: Resolver = {
  async resolve(hostname) {
    const answers = await lookup(hostname, { all: true, order: 'verbatim' });
    return answers.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  },
};
