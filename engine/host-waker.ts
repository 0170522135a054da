/**
 * Tells idle host workflows that URLs were admitted for them, so that none has to look. A host says that it is idle
 * before it looks a last time (mark-idle.ts), so that no admission falls between the two; only the first that finds it
 * so sends a signal. What is lost in a crash the scheduler's search for lost hosts finds within seconds.
 */
import type { Logger } from 'pino';
import type { Pool } from '../storage/pool.ts';
import { claimIdleHosts } from '../storage/statements/claim-idle-hosts.ts';

/** Admissions are gathered this long: a host that is woken for one URL costs as much as for many. */
const gatherMs = 250;

/** Has the workflow of a host look again, if there is one. */
export type WakeHost = (origin: string) => Promise<void>;

export type WakeHosts = (hostIds: Iterable<number>) => void;

export class HostWaker {
  readonly #pool: Pool;
  readonly #wakeHost: WakeHost;
  readonly #log: Logger;
  #hosts = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #waking: Promise<void> = Promise.resolve();

  constructor(pool: Pool, wakeHost: WakeHost, log: Logger) {
    this.#pool = pool;
    this.#wakeHost = wakeHost;
    this.#log = log;
  }

  /** Call once the URLs are committed. */
  readonly wake: WakeHosts = (hostIds) => {
    for (const id of hostIds) this.#hosts.add(id);
    if (this.#hosts.size > 0) this.#timer ??= setTimeout(() => void this.flush(), gatherMs);
  };

  /** Wakes those gathered so far. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const hosts = [...this.#hosts];
    this.#hosts = new Set();
    this.#waking = this.#waking.then(() => this.#wakeAll(hosts));
    await this.#waking;
  }

  async #wakeAll(hosts: readonly number[]): Promise<void> {
    if (hosts.length === 0) return;
    try {
      const idle = await claimIdleHosts(this.#pool, hosts);
      await Promise.all(idle.map(({ origin }) => this.#wakeHost(origin)));
    } catch (error) {
      this.#log.warn({ err: error, hosts: hosts.length }, 'idle hosts were not woken; the scheduler will');
    }
  }
}
