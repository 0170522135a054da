/** Names to addresses. The interface is what a cache or a choice of resolvers puts itself behind. */
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

/** EINVAL is what getaddrinfo says of names longer than DNS can hold. */
export const notFoundCodes: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EINVAL']);

/** The system's resolver (getaddrinfo): /etc/hosts and its own timeouts and order included. */
export const systemResolver: Resolver = {
  async resolve(hostname) {
    const answers = await lookup(hostname, { all: true, order: 'verbatim' });
    return answers.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  },
};
