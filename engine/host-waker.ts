/**
 * Wakes idle host workflows when URLs were admitted for them, so that they do not have to poll. A host is marked idle
 * before it looks a last time (`markIdle`), so that no admission is missed between the two. Only the first process
 * that finds the mark sends a signal. If a crash loses the signal, the scheduler's search for lost hosts finds the host
 * within seconds.
 */
import type { Logger } from 'pino';
import type { Pool } from '../storage/postgres/index.ts';
import { claimIdleHosts } from '../storage/feeding/index.ts';

/** Milliseconds for which admissions are gathered: waking a host costs the same for one URL as for many. */
const gatherMs = 250;

/** Makes the workflow of a host look again, if there is one. */
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

  /** The URLs must be committed before this call. */
  readonly wake: WakeHosts = (hostIds) => {
    for (const id of hostIds) this.#hosts.add(id);
    if (this.#hosts.size > 0) this.#timer ??= setTimeout(() => void this.flush(), gatherMs);
  };

  /** Wakes the hosts gathered so far. Never rejects. */
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
      this.#log.warn(
        { err: error, hosts: hosts.length },
        'idle hosts could not be woken; the scheduler will wake them',
      );
    }
  }
}
