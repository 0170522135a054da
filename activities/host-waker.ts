/**
 * Tells idle host workflows that URLs were admitted for them, so that none has to look. A host says that it is idle
 * before it looks a last time (mark-idle.ts), so that no admission falls between the two; only the first that finds it
 * so sends a signal. What is lost in a crash the scheduler's search for lost hosts finds within seconds.
 */
import type { WorkflowClient } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Pool } from '../storage/pool.ts';
import { claimIdleHosts } from '../storage/statements/claim-idle-hosts.ts';
import { wakeHost } from './wake-host.ts';

/** Admissions are gathered this long: a host that is woken for one URL costs as much as for many. */
const gatherMs = 250;

export type WakeHosts = (hostIds: Iterable<number>) => void;

export class HostWaker {
  readonly #pool: Pool;
  readonly #workflows: Pick<WorkflowClient, 'getHandle'>;
  readonly #log: Logger;
  #hosts = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #waking: Promise<void> = Promise.resolve();

  constructor(pool: Pool, workflows: Pick<WorkflowClient, 'getHandle'>, log: Logger) {
    this.#pool = pool;
    this.#workflows = workflows;
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
      await Promise.all(idle.map(({ origin }) => wakeHost(this.#workflows, origin)));
    } catch (error) {
      this.#log.warn({ err: error, hosts: hosts.length }, 'idle hosts were not woken; the scheduler will');
    }
  }
}
