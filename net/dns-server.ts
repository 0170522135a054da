/** One DNS resolver, asked for both kinds of address of a name at once. */
import { Resolver } from 'node:dns/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from './net-fault.ts';
import type { ResolvedAddress } from './resolver.ts';

/** What DNS knows of a name. */
export type DnsAnswer =
  | {
      /** IPv4 first: a machine without IPv6 would else begin every connection with a refusal. */
      readonly addresses: readonly ResolvedAddress[];
      /** The least of the records, those of aliases (CNAME) included. */
      readonly ttlSeconds: number;
      /** IPv6 alone, since the question for IPv4 was not answered: true for now, but not to be relied on for long. */
      readonly partial: boolean;
    }
  /** ENOTFOUND: the name does not exist; ENODATA: it does, without an address. */
  | { readonly absent: 'ENOTFOUND' | 'ENODATA' };

/** What came of the question for one kind of address. */
type Half =
  | { readonly records: readonly { readonly address: string; readonly ttl: number }[] }
  | { readonly code: string };

/** EBADNAME: it cannot be a name, so it was not even asked. */
const noSuchName: ReadonlySet<string> = new Set(['ENOTFOUND', 'EBADNAME']);
/** RCODEs and bad messages: something came back. */
const replies: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'ENODATA',
  'ESERVFAIL',
  'EREFUSED',
  'EFORMERR',
  'ENOTIMP',
  'EBADRESP',
]);

/** Whether an error of a question means that the resolver replied, if only to say that it cannot. */
export const isReply = (code: string): boolean => replies.has(code);

/** Milliseconds that one kind of address waits for the other: some sites' servers never answer about IPv6. */
const otherKindMs = 300;

export class DnsServer {
  readonly #address: string;
  /** `performance.now()` of its last reply, whatever it said; -Infinity: none yet. */
  lastReplyAt = -Infinity;

  /** @param address IP, or IP:port ([IP]:port for IPv6); port 53 by default. */
  constructor(address: string) {
    this.#address = address;
  }

  /**
   * Puts the question once. Rejects with an error whose `code` says why there is no answer: ETIMEOUT after `limitMs`,
   * ECANCELLED once `signal` aborts.
   */
  async ask(hostname: string, limitMs: number, signal: AbortSignal): Promise<DnsAnswer> {
    const ares = this.#ares(limitMs, 1, signal);
    const ipv4 = this.#half(ares.resolve4(hostname, { ttl: true }));
    const ipv6 = this.#half(ares.resolve6(hostname, { ttl: true }));
    const [four, six] = await Promise.all([patiently(ipv4, ipv6), patiently(ipv6, ipv4)]);
    const records = [...recordsOf(four, 4), ...recordsOf(six, 6)];
    if (records.length > 0) {
      return {
        addresses: records.map(({ address, family }) => ({ address, family })),
        ttlSeconds: Math.min(...records.map(({ ttl }) => ttl)),
        partial: 'code' in four && four.code !== 'ENODATA' && !noSuchName.has(four.code),
      };
    }
    const codes = [four, six].flatMap((half) => ('code' in half ? [half.code] : []));
    if (codes.some((code) => noSuchName.has(code))) return { absent: 'ENOTFOUND' };
    const failure = codes.find((code) => code !== 'ENODATA');
    if (failure === undefined) return { absent: 'ENODATA' };
    throw Object.assign(new Error(`no answer about ${hostname}`), { code: failure });
  }

  /** Asks about the root, to which every resolver replies, if only with a refusal. Rejects if there is no reply. */
  async probe(limitMs: number, signal: AbortSignal): Promise<void> {
    const ares = this.#ares(limitMs / 2, 2, signal);
    const half = await this.#half(ares.resolveSoa('.').then(() => []));
    if ('code' in half && !isReply(half.code)) throw new Error(half.code);
  }

  /**
   * A resolver for one question: c-ares shortens the timeouts of a resolver that was quick to a quarter of a second, and does
   * not hear what comes later. It also gives each question a port of its own, which makes forged answers harder.
   */
  #ares(timeout: number, tries: number, signal: AbortSignal): Resolver {
    const ares = new Resolver({ timeout, tries });
    ares.setServers([this.#address]);
    signal.addEventListener('abort', () => ares.cancel(), { once: true });
    return ares;
  }

  async #half(question: Promise<readonly { address: string; ttl: number }[]>): Promise<Half> {
    try {
      const records = await question;
      this.lastReplyAt = performance.now();
      return { records };
    } catch (error) {
      const code = codeOf(error);
      if (isReply(code)) this.lastReplyAt = performance.now();
      return { code };
    }
  }
}

/** The answer about one kind of address; ETIMEOUT: it has not come `otherKindMs` after the other kind was settled. */
const patiently = (wanted: Promise<Half>, other: Promise<Half>): Promise<Half> =>
  Promise.race([
    wanted,
    other.then((half) => (settles(half) ? pause(otherKindMs, late, { ref: false }) : wanted)),
  ]);

const late: Half = { code: 'ETIMEOUT' };
/** A name that does not exist has nothing of any kind (RFC 8020). */
const settles = (half: Half): boolean =>
  'records' in half ? half.records.length > 0 : half.code === 'ENOTFOUND';

const recordsOf = (half: Half, family: 4 | 6): (ResolvedAddress & { readonly ttl: number })[] =>
  'records' in half ? half.records.map(({ address, ttl }) => ({ address, ttl, family })) : [];
