/**
 * Answers of DNS, kept for their time. The life of a name here:
 *
 *   unknown → asked once, however many want it → fresh → expired → forgotten
 *
 * fresh:     answered from memory. An address for its TTL, clamped to 5 min – 24 h; that a name does not exist, or half
 *            an answer, for 30 s. That no resolver answered is never kept: it says nothing about the name.
 * expired:   asked again; the old addresses serve where no answer comes, or not soon (RFC 8767), for a day.
 * forgotten: after that day, or when others need the place. Memory is bounded by names and by addresses of each.
 *
 * What is kept is not checked here: the connector judges each address at each connection.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { DnsAnswer } from './dns-server.ts';
import type { SharedAnswers } from './dns-shared.ts';
import { ResolverFault, type ResolvedAddress, type Resolver } from './resolver.ts';

export interface DnsCacheOptions {
  /** Rejects with a ResolverFault where the question stays open. */
  readonly ask: (hostname: string) => Promise<DnsAnswer>;
  /** Asked before DNS, told afterwards. */
  readonly shared?: SharedAnswers;
  /** Names kept at most. Ten thousand take about 7 MB, 16 with as many addresses as are kept of a name. */
  readonly maxNames?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Milliseconds a question may take before expired addresses serve instead (RFC 8767 §5: 1.8 s). */
  readonly staleAfterMs?: number;
}

/** Sums since the start of the process. */
export interface DnsStats {
  /** Answered from memory, whether with addresses or with "does not exist". */
  readonly hits: number;
  /** Lookups that waited for an answer, to their own question or to another lookup's question about the same name. */
  readonly misses: number;
  /** Answered with expired addresses. */
  readonly stale: number;
  /** Went without an answer. */
  readonly failures: number;
  /** hits ÷ all four; 0 before the first. */
  readonly hitRate: number;
  /** Questions put to the resolvers, prefetches included. */
  readonly questions: number;
  /** Answers found in the shared level instead. */
  readonly shared: number;
  /** Names in memory now. */
  readonly names: number;
}

const second = 1_000;
const leastFreshMs = 5 * 60 * second;
const mostFreshMs = 24 * 3_600 * second;
const shortMs = 30 * second;
const maxStaleMs = 24 * 3_600 * second;
/** After a question in vain, expired addresses serve this long without another (RFC 8767 §5). */
const recheckMs = 30 * second;
/** Addresses of each family that are kept: whoever needs a single connection has no use for more. */
const maxAddresses = 4;
const prefetchLanes = 8;
/** Names waiting to be prefetched; further ones are looked up when they are needed. */
const maxPrefetches = 1_000;

interface Entry {
  /** Null: there are addresses. */
  readonly absent: 'ENOTFOUND' | 'ENODATA' | null;
  readonly addresses: readonly ResolvedAddress[];
  readonly freshUntil: number;
  /** No question before this, even when expired. */
  recheckAt: number;
  /** Counts lookups, so that each of several addresses comes first in turn. */
  turn: number;
}

/** Milliseconds for which an answer is fresh. A TTL that is no number counts as the least (RFC 2181 §8). */
export function freshMs(answer: DnsAnswer): number {
  if ('absent' in answer || answer.partial) return shortMs;
  const ttlMs = answer.ttlSeconds * second;
  return ttlMs > leastFreshMs ? Math.min(ttlMs, mostFreshMs) : leastFreshMs;
}

export class DnsCache implements Resolver {
  readonly #ask: DnsCacheOptions['ask'];
  readonly #shared: SharedAnswers | null;
  readonly #now: () => number;
  readonly #staleAfterMs: number;
  readonly #entries: LRUCache<string, Entry>;
  readonly #loading = new Map<string, Promise<Entry>>();
  /** To be prefetched, in the order they came. */
  readonly #wanted = new Set<string>();
  /** Prefetches under way. */
  #lanes = 0;
  readonly #counts = { hits: 0, misses: 0, stale: 0, failures: 0, questions: 0, shared: 0 };

  constructor(options: DnsCacheOptions) {
    this.#ask = options.ask;
    this.#shared = options.shared ?? null;
    this.#now = options.now ?? (() => performance.now());
    this.#staleAfterMs = options.staleAfterMs ?? 1_800;
    this.#entries = new LRUCache({ max: options.maxNames ?? 10_000 });
  }

  /** @param hostname a name in lower case, without the root's dot. */
  async resolve(hostname: string): Promise<readonly ResolvedAddress[]> {
    const kept = this.#entries.get(hostname);
    if (kept !== undefined && this.#now() < kept.freshUntil) {
      this.#counts.hits++;
      return addressesOf(hostname, kept);
    }
    const old = kept !== undefined && this.#mayServe(kept) ? kept : null;
    let entry: Entry;
    try {
      entry = old === null ? await this.#load(hostname) : await this.#loadOr(old, hostname);
    } catch (error) {
      this.#counts.failures++;
      throw error;
    }
    this.#counts[entry === old ? 'stale' : 'misses']++;
    return addressesOf(hostname, entry);
  }

  /** Looks a name up before it is needed, a few at a time. Never fails; does nothing where too many wait already. */
  prefetch(hostname: string): void {
    if (this.#isSettled(hostname) || this.#wanted.size >= maxPrefetches) return;
    this.#wanted.add(hostname);
    if (this.#lanes < prefetchLanes) void this.#prefetchLane();
  }

  stats(): DnsStats {
    const { hits, misses, stale, failures } = this.#counts;
    const lookups = hits + misses + stale + failures;
    const hitRate = lookups === 0 ? 0 : hits / lookups;
    return { ...this.#counts, hitRate, names: this.#entries.size };
  }

  /** One question for all who want the name now. Rejects with a ResolverFault where it stays open. */
  #load(hostname: string): Promise<Entry> {
    const running = this.#loading.get(hostname);
    if (running !== undefined) return running;
    const loading = this.#loadOnce(hostname).finally(() => this.#loading.delete(hostname));
    this.#loading.set(hostname, loading);
    return loading;
  }

  async #loadOnce(hostname: string): Promise<Entry> {
    const shared = (await this.#shared?.get(hostname)) ?? null;
    if (shared !== null) {
      this.#counts.shared++;
      return this.#keep(hostname, shared.addresses, Math.min(shared.freshMs, mostFreshMs));
    }
    this.#counts.questions++;
    let answer: DnsAnswer;
    try {
      answer = await this.#ask(hostname);
    } catch (error) {
      const old = this.#entries.peek(hostname);
      if (old !== undefined) old.recheckAt = this.#now() + recheckMs;
      throw error;
    }
    const lifeMs = freshMs(answer);
    if ('absent' in answer) return this.#keep(hostname, [], lifeMs, answer.absent);
    const addresses = [4, 6].flatMap((family) =>
      answer.addresses.filter((each) => each.family === family).slice(0, maxAddresses),
    );
    if (!answer.partial) void this.#shared?.put(hostname, addresses, lifeMs);
    return this.#keep(hostname, addresses, lifeMs);
  }

  #keep(
    hostname: string,
    addresses: readonly ResolvedAddress[],
    lifeMs: number,
    absent: Entry['absent'] = null,
  ): Entry {
    const freshUntil = this.#now() + lifeMs;
    const entry: Entry = { absent, addresses, freshUntil, recheckAt: freshUntil, turn: 0 };
    this.#entries.set(hostname, entry);
    return entry;
  }

  /** The new answer, or the old one where there is none in time; the question then goes on by itself. */
  async #loadOr(old: Entry, hostname: string): Promise<Entry> {
    if (this.#now() < old.recheckAt) return old;
    const soon = new AbortController();
    try {
      return await Promise.race([
        this.#load(hostname),
        pause(this.#staleAfterMs, old, { signal: soon.signal }),
      ]);
    } catch (error) {
      if (error instanceof ResolverFault) return old;
      throw error;
    } finally {
      soon.abort();
    }
  }

  async #prefetchLane(): Promise<void> {
    this.#lanes++;
    for (const hostname of this.#wanted) {
      this.#wanted.delete(hostname);
      if (!this.#isSettled(hostname)) await this.#load(hostname).catch(() => undefined);
    }
    this.#lanes--;
  }

  /** There is nothing to ask now. */
  #isSettled(hostname: string): boolean {
    const kept = this.#entries.peek(hostname);
    return kept !== undefined && this.#now() < kept.recheckAt;
  }

  #mayServe({ absent, freshUntil }: Entry): boolean {
    return absent === null && this.#now() < freshUntil + maxStaleMs;
  }
}

function addressesOf(hostname: string, entry: Entry): readonly ResolvedAddress[] {
  const { absent, addresses } = entry;
  if (absent !== null) throw Object.assign(new Error(`${absent} ${hostname}`), { code: absent });
  if (addresses.length < 2) return addresses;
  const turn = entry.turn++;
  return [4, 6].flatMap((family) => {
    const ofFamily = addresses.filter((each) => each.family === family);
    const first = ofFamily.length === 0 ? 0 : turn % ofFamily.length;
    return [...ofFamily.slice(first), ...ofFamily.slice(0, first)];
  });
}
