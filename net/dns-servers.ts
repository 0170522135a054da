/**
 * Several DNS resolvers as one. A question goes to the first resolver. If that resolver fails, or does not reply for a
 * while, the next one is asked as well; after the last one the first is asked again, since packets get lost. The
 * earliest answer counts. A resolver that did not reply is asked last until it replies again; now and then one question
 * tries it first.
 */
import { Resolver } from 'node:dns/promises';
import { DnsServer, isReply, type DnsAnswer } from './dns-server.ts';
import { codeOf } from './net-fault.ts';
import { ResolverFault } from './resolver.ts';

export interface DnsServersOptions {
  /**
   * IP[:port] in the order of preference ([IP]:port for IPv6). Looked at again when none of them answers: a machine
   * that moved to another network has other resolvers.
   */
  readonly servers: () => readonly string[];
  /** Milliseconds until the next resolver is asked too; a single resolver is asked again. */
  readonly nextAfterMs?: number;
  /** Milliseconds until a question is given up. With `replyMs` it must fit into the time to connect. */
  readonly giveUpMs?: number;
  /** Milliseconds within which a living resolver replies to a question it need not look into. */
  readonly replyMs?: number;
  /** Milliseconds for which a resolver that did not reply is asked last. */
  readonly lastForMs?: number;
}

interface Place {
  readonly server: DnsServer;
  /** `performance.now()` at which a reply did not come; a later reply clears this. */
  missedAt: number;
}

export class DnsServers {
  readonly #options: Required<DnsServersOptions>;
  #addresses: readonly string[];
  #places: readonly Place[];
  #replying: Promise<boolean> | null = null;
  readonly #open = new Set<AbortController>();
  #closed = false;

  constructor(options: DnsServersOptions) {
    this.#options = { nextAfterMs: 1_500, giveUpMs: 6_000, replyMs: 1_000, lastForMs: 30_000, ...options };
    this.#addresses = options.servers();
    this.#places = places(this.#addresses);
  }

  /** Rejects with a ResolverFault where no resolver has an answer. */
  async ask(hostname: string): Promise<DnsAnswer> {
    const askedAt = performance.now();
    const result = await this.#race(hostname);
    if (typeof result !== 'string') return result;
    const heard = isReply(result) || this.#places.some(({ server }) => server.lastReplyAt >= askedAt);
    const silent = !heard && !this.#closed && !(await this.answering());
    if (silent) this.#lookAgain();
    throw new ResolverFault(hostname, result, silent);
  }

  /**
   * Whether any resolver replies at all, found out by asking them; many who want to know at once ask once. Also the
   * probe of a circuit breaker that opened on silent faults.
   */
  answering(): Promise<boolean> {
    this.#replying ??= this.#anyReplies().finally(() => (this.#replying = null));
    return this.#replying;
  }

  /** Ends the questions that are open; none may follow. */
  close(): void {
    this.#closed = true;
    for (const question of this.#open) question.abort();
  }

  /** The earliest answer, or the code that says most about why there is none. */
  #race(hostname: string): Promise<DnsAnswer | string> {
    const { nextAfterMs, giveUpMs } = this.#options;
    const line = this.#line();
    const askedAt = performance.now();
    const asked = new Set<Place>();
    /** Those that will not answer, with the reason. */
    const out = new Map<Place, string>();
    const { promise, resolve } = Promise.withResolvers<DnsAnswer | string>();
    const end = this.#opened();
    end.signal.addEventListener('abort', () => resolve('ECANCELLED'), { once: true });
    let again = 0;
    let next: NodeJS.Timeout | undefined;

    const missTheSilent = (): void => {
      for (const place of asked) if (place.server.lastReplyAt < askedAt) miss(place);
    };
    const askNext = (): void => {
      clearTimeout(next);
      const left = line.filter((place) => !out.has(place));
      const place = left.find((each) => !asked.has(each)) ?? left[again++ % left.length];
      if (place === undefined) {
        resolve(tellingCode([...out.values()]));
        return;
      }
      asked.add(place);
      next = setTimeout(() => {
        missTheSilent();
        askNext();
      }, nextAfterMs);
      place.server.ask(hostname, giveUpMs, end.signal).then(resolve, (error: unknown) => {
        if (end.signal.aborted || out.has(place)) return;
        out.set(place, codeOf(error));
        missTheSilent();
        askNext();
      });
    };
    const giveUp = setTimeout(() => {
      missTheSilent();
      resolve(tellingCode([...out.values()]));
    }, giveUpMs);
    askNext();
    return promise.finally(() => {
      clearTimeout(giveUp);
      clearTimeout(next);
      this.#end(end);
    });
  }

  /** Resolvers that reply, in their order, then the others. One of the others, which has waited long enough, is tried first, once. */
  #line(): readonly Place[] {
    if (this.#places.every(isHeard)) return this.#places;
    const now = performance.now();
    const scout = this.#places.find(
      (place) => !isHeard(place) && now - place.missedAt >= this.#options.lastForMs,
    );
    if (scout !== undefined) miss(scout);
    const rank = (place: Place): number => (place === scout ? 0 : isHeard(place) ? 1 : 2);
    return [...this.#places].sort((a, b) => rank(a) - rank(b));
  }

  async #anyReplies(): Promise<boolean> {
    const end = this.#opened();
    try {
      await Promise.any(this.#places.map(({ server }) => server.probe(this.#options.replyMs, end.signal)));
      return true;
    } catch {
      return false;
    } finally {
      this.#end(end);
    }
  }

  #opened(): AbortController {
    const question = new AbortController();
    this.#open.add(question);
    return question;
  }

  #end(question: AbortController): void {
    this.#open.delete(question);
    question.abort();
  }

  #lookAgain(): void {
    const addresses = this.#options.servers();
    if (addresses.join() === this.#addresses.join()) return;
    this.#addresses = addresses;
    this.#places = places(addresses);
  }
}

/** The resolvers this machine is set to use now. */
export const machineServers = (): readonly string[] => new Resolver().getServers();

const places = (addresses: readonly string[]): readonly Place[] =>
  addresses.map((address) => ({ server: new DnsServer(address), missedAt: -Infinity }));

const isHeard = ({ server, missedAt }: Place): boolean => server.lastReplyAt >= missedAt;

function miss(place: Place): void {
  place.missedAt = performance.now();
}

const tellingCode = (codes: readonly string[]): string => codes.find(isReply) ?? codes[0] ?? 'ETIMEOUT';
