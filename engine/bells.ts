/**
 * Ends the sleep of the few who would do nothing else meanwhile. A visit whose host has bodies to be read, and no URL that
 * it could ask for, `call`s. That wakes the lanes of the host in whatever process; once its bodies are judged, the lanes
 * that read are woken, and its new URLs wake the visit. Nothing depends on a bell, since messages may be lost: all who
 * sleep look again by themselves. A process sends one message at a time; what rings meanwhile shares the next one.
 *
 * Two more end waits at the ends of a crawl: `seeds` wakes the doors once seeds of hosts are admitted, and `spent` the watch
 * of a crawl once a visit has nothing more to do for it.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { sleep } from './visit/sleep.ts';
import { lastUsed } from './last-used.ts';

const bells = ['call', 'judged', 'found', 'seeds', 'spent'] as const;
type Bell = (typeof bells)[number];
/** They ring where they were called for. */
const answers: readonly Bell[] = ['judged', 'found'];

/** Hosts in one message, which must stay below 8,000 bytes. The others wait for the next look. */
const mostHosts = 300;
/** Hosts that have called and wait for an answer, as far as it is remembered. */
const mostCallers = 10_000;

/** Somebody who looks now and then, and may be woken. */
export class Ear {
  readonly bells: readonly Bell[];
  /** @param id of a host; for `spent`, of a crawl */
  readonly hears: (id: number) => boolean;
  #rung = false;
  #wake = (): void => undefined;

  constructor(bells: readonly Bell[], hears: Ear['hears']) {
    this.bells = bells;
    this.hears = hears;
  }

  ring(): void {
    this.#rung = true;
    this.#wake();
  }

  /** The owner looks now, which answers every ring so far. */
  forget(): void {
    this.#rung = false;
  }

  /** Returns at once if a bell has rung since `forget`, so that what comes in the course of a look is not missed. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#rung) await sleep(ms, signal, (wake) => (this.#wake = wake));
  }
}

export class Bells {
  readonly #ears = new Set<Ear>();
  readonly #callers = lastUsed<number, true>(mostCallers);
  readonly #self = randomUUID();
  readonly #send: (text: string) => Promise<unknown>;
  readonly #log: Logger;
  readonly #toSend = new Map<Bell, Set<number>>();
  #sending = false;

  /** @param send brings a text to `hear` of the other processes; it may come to this one too */
  constructor(send: (text: string) => Promise<unknown>, log: Logger) {
    this.#send = send;
    this.#log = log;
  }

  /** The caller must `silence` the ear. */
  listen(bells: readonly Bell[], hears: Ear['hears']): Ear {
    const ear = new Ear(bells, hears);
    this.#ears.add(ear);
    return ear;
  }

  silence(ear: Ear): void {
    this.#ears.delete(ear);
  }

  /** @param about hosts; for `spent`, crawls. Where an answer was not called for, nobody is told */
  ring(bell: Bell, about: readonly number[]): void {
    const ids = answers.includes(bell) ? about.filter((id) => this.#callers.has(id)) : about;
    if (ids.length === 0) return;
    this.#rung(bell, ids);
    this.#toSend.set(bell, new Set([...(this.#toSend.get(bell) ?? []), ...ids]));
    if (!this.#sending) void this.#sendAll();
  }

  /** A message of some process. */
  hear(text: string): void {
    const [from, name, ids = ''] = text.split(' ');
    const bell = bells.find((each) => each === name);
    if (from !== this.#self && bell !== undefined) this.#rung(bell, ids.split(',').map(Number));
  }

  #rung(bell: Bell, ids: readonly number[]): void {
    for (const id of ids) {
      if (bell === 'call') this.#callers.set(id, true);
      if (bell === 'found') this.#callers.delete(id);
    }
    for (const ear of this.#ears) if (ear.bells.includes(bell) && ids.some(ear.hears)) ear.ring();
  }

  async #sendAll(): Promise<void> {
    this.#sending = true;
    for (const [bell, ids] of this.#toSend) {
      this.#toSend.delete(bell);
      try {
        await this.#send(`${this.#self} ${bell} ${[...ids].slice(0, mostHosts).join()}`);
      } catch (error) {
        this.#log.debug({ err: error }, 'a bell was not heard; the next look finds what it rang for');
      }
    }
    this.#sending = false;
  }
}
