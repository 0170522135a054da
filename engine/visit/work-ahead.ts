/**
 * What lies ahead of the visits of a process: how much is queued and unread at their hosts. Visits that wait for further
 * URLs ask again and again; what they ask together is one statement.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { retrying, type Pool } from '../../storage/postgres/index.ts';
import { workAhead } from '../../storage/feeding/index.ts';

/** Unread bodies of a host are counted no further. */
export const mostUnread = 400;
/** Milliseconds for which questions are gathered, where there are many. */
const gatherMs = 100;

interface Work {
  readonly queued: number;
  readonly unread: number;
}

interface Round {
  readonly hosts: Set<string>;
  readonly answer: Promise<ReadonlyMap<string, Work>>;
}

export class WorkAhead {
  readonly #pool: Pool;
  readonly #areFew: () => boolean;
  #round: Round | null = null;

  constructor(pool: Pool, areFew: () => boolean) {
    this.#pool = pool;
    this.#areFew = areFew;
  }

  async at(hostId: string): Promise<Work> {
    const { hosts, answer } = (this.#round ??= this.#begin());
    hosts.add(hostId);
    return (await answer).get(hostId) ?? { queued: 0, unread: 0 };
  }

  #begin(): Round {
    const hosts = new Set<string>();
    const ask = async (): Promise<ReadonlyMap<string, Work>> => {
      await sleep(this.#areFew() ? 0 : gatherMs);
      this.#round = null;
      const rows = await retrying(() => workAhead(this.#pool, [...hosts], mostUnread));
      return new Map(rows.map(({ host_id: id, ...work }) => [String(id), work]));
    };
    return { hosts, answer: ask() };
  }
}
