/** Carries faults out, and notes on the web's clock when each began and was over. */
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../stack/errors.ts';
import { identify, lives, signalProcess, type ProcessId } from '../../stack/processes.ts';
import { storedStages } from '../../domain/stage.ts';
import { askDatabase, like, not, tables } from '../support/database/index.ts';
import type { Bed } from './bed.ts';
import { describe, workers, type Fault, type Part, type Victim, type Worker } from './plan.ts';
import type { Strike } from './timeline.ts';
import { setClock } from './wall-clock.ts';

/** A part that does not come back within this is noted as such; the crawl's end then shows what it means. */
const returnMs = 60_000;
/** How long an ambush waits for its moment, and a fault of the browser or a full disk for a page. */
const ambushMs = 25_000;
/** Temporal gives an activity up that has not been heard of for eight seconds; only then another worker goes on with it. */
const takeOverMs = 25_000;
/** How much longer a duel waits once a first host is taken over. */
const othersMs = 3_000;
const lookMs = 20;
const onItsWayMs = 300;

interface Outcome {
  readonly note: string;
  readonly hit: boolean;
  readonly heard?: readonly string[];
  readonly atPage?: boolean;
  /** Resolves when the fault is over. */
  readonly over?: Promise<unknown>;
}

/** Who is at a page. */
interface AtWork {
  readonly worker: ProcessId;
  readonly browsers: readonly ProcessId[];
}

/** What an ambush waits for, by a name that no other moment has. */
interface Moment {
  readonly origin: string;
  readonly name: string;
}

const missed = (note: string): Outcome => ({ note, hit: false });

const parentOf = (pid: number): number | null => {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
};

const childrenOf = (pid: number): ProcessId[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid)
    .map((name) => identify(Number(name)))
    .filter((id) => id !== null);

const descendantsOf = (pid: number): ProcessId[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child.pid)]);

/** Whether it is a process of the browser in which a page lives. */
const showsPage = ({ pid }: ProcessId): boolean => {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').includes('--type=renderer');
  } catch {
    return false;
  }
};

/** Resolves when those that were frozen go on, children first. */
const thaw = (frozen: readonly ProcessId[], until: Promise<void>): Promise<void> =>
  until.then(() => {
    for (const id of frozen.toReversed()) signalProcess(id, 'SIGCONT');
  });

const named = (ids: readonly ProcessId[]): string => ids.map(({ pid }) => String(pid)).join(', ');

export class Faults {
  readonly #bed: Bed;
  readonly #now: () => number;
  /** Origins of slow hosts with a long delay. */
  readonly #patient: readonly string[];
  readonly #onStrike: (strike: Strike) => void;
  #dueling = false;
  /** Moments an ambush has had. */
  readonly #struck = new Set<string>();
  readonly #ending = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(bed: Bed, now: () => number, patient: readonly string[], onStrike: (strike: Strike) => void) {
    this.#bed = bed;
    this.#now = now;
    this.#patient = patient;
    this.#onStrike = onStrike;
  }

  /** Carries the plan out; resolves when all faults are over. */
  async rain(plan: readonly Fault[]): Promise<void> {
    const start = performance.now();
    for (const fault of plan) {
      const wait = start + fault.atMs - performance.now();
      if (wait > 0) await delay(wait, undefined, { signal: this.#ending.signal }).catch(() => undefined);
      if (this.#ending.signal.aborted) break;
      const running: Promise<void> = this.#strike(fault).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
    await Promise.all(this.#running);
  }

  /** Ends what lasts at once: what was frozen goes on, lines are open, the disk is free. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#running);
  }

  async #strike(fault: Fault): Promise<void> {
    let from = this.#now();
    const began = (at: number): void => {
      from = at;
    };
    const outcome = await this.#act(fault, began).catch((error: unknown) => missed(messageOf(error)));
    const { hit, heard = [], atPage = false } = outcome;
    // What was hit and does not come back stays hit: the crawl's end shows what that means.
    const failure = await outcome.over?.then(() => null, messageOf);
    const note = typeof failure === 'string' ? `${outcome.note}: ${failure}` : outcome.note;
    this.#onStrike({ fault, from, to: this.#now(), note, hit, heard, atPage });
  }

  /** @param began told where the act begins later than the fault's time. */
  async #act(fault: Fault, began: (at: number) => void): Promise<Outcome> {
    switch (fault.kind) {
      case 'kill':
        return this.#kill(fault.victim);
      case 'freeze':
        return this.#freeze(fault.victim === 'both' ? workers : [fault.victim], this.#sleep(fault.forMs));
      case 'duel':
        return this.#duel(fault.victim, fault.forMs);
      case 'cut': {
        const line = this.#bed.lines[fault.line];
        line.set(fault.how);
        const over = this.#sleep(fault.forMs).then(() => {
          line.set('open');
        });
        return { note: describe(fault), hit: true, over };
      }
      case 'clock': {
        const id = this.#bed.process(fault.victim);
        if (this.#bed.clocks === null || id === null) return missed(`there is no ${fault.victim}`);
        setClock(this.#bed.clocks, id.pid, fault.bySeconds);
        // Processes that are started from now on have a clock that is wrong the other way.
        setClock(this.#bed.clocks, 'start', -fault.bySeconds);
        return { note: String(id.pid), hit: true };
      }
      case 'disk': {
        const { disk } = this.#bed;
        if (disk === null) return missed('there is no disk to fill');
        // A round is over sooner than a disk is full: the browser stands still meanwhile, and what it makes does not fit.
        const found = await this.#atWork(ambushMs);
        const still = (found?.browsers ?? []).filter((id) => signalProcess(id, 'SIGSTOP'));
        disk.fill();
        began(this.#now());
        await thaw(still, Promise.resolve());
        const atPage = still.length > 0;
        const over = this.#sleep(fault.forMs).then(() => {
          disk.free();
        });
        const note = atPage ? `${disk.folder}, a page is with the browser` : disk.folder;
        return { note, hit: true, atPage, over };
      }
      case 'ambush':
        return this.#ambush(fault.upon, began);
      case 'render':
        return this.#atPage(fault, began);
    }
  }

  #kill(victim: Victim): Outcome {
    const ids = this.#victims(victim);
    const hit = ids.filter((id) => signalProcess(id, 'SIGKILL'));
    if (hit.length === 0) return missed(`there is no ${victim}`);
    return { note: named(hit), hit: true, over: this.#returns(victim, hit) };
  }

  #victims(victim: Victim): ProcessId[] {
    switch (victim) {
      case 'supervisor':
      case 'services':
        return [this.#bed.supervisor(victim === 'services' ? 'services' : 'crawler')].filter(
          (id) => id !== null,
        );
      case 'worker-leash': {
        const worker = this.#bed.process('worker');
        const leash = worker === null ? null : parentOf(worker.pid);
        const id = leash === null || leash === 1 ? null : identify(leash);
        return id === null ? [] : [id];
      }
      case 'postgres-backend': {
        const server = this.#bed.process('postgres');
        return server === null ? [] : childrenOf(server.pid).slice(-1);
      }
      case 'worker':
      case 'worker-2':
      case 'worker-render':
      case 'api':
      case 'postgres':
      case 'temporal':
      case 'redis':
        return [this.#bed.process(victim)].filter((id) => id !== null);
    }
  }

  /** Resolves when the part runs again in another process, and Postgres and Temporal take connections. */
  async #returns(victim: Victim | 'browser', hit: readonly ProcessId[]): Promise<void> {
    const deadline = performance.now() + returnMs;
    const later = async (back: () => boolean | Promise<boolean>): Promise<void> => {
      while (!(await back()) && performance.now() < deadline) await delay(100);
    };
    const isNew = (id: ProcessId | null): boolean =>
      id !== null && lives(id) && !hit.some(({ pid }) => pid === id.pid);
    switch (victim) {
      // Another one is started with the next page.
      case 'browser':
        return;
      case 'supervisor':
      case 'services':
        await later(() => isNew(this.#victims(victim)[0] ?? null));
        await this.#bed.ready();
        return;
      case 'worker-leash':
        await later(() => isNew(this.#victims('worker-leash')[0] ?? null));
        return;
      case 'postgres-backend':
      case 'postgres':
        await later(() => this.#postgresAnswers());
        return;
      case 'worker':
      case 'worker-2':
      case 'worker-render':
      case 'api':
      case 'temporal':
      case 'redis':
        await later(() => isNew(this.#bed.process(victim)));
    }
  }

  async #postgresAnswers(): Promise<boolean> {
    return askDatabase(this.#bed.pool()).then(
      () => true,
      () => false,
    );
  }

  /** With its children: a frozen Postgres is more than its postmaster. The parent goes first, so that it gets no more. */
  #freeze(parts: readonly Part[], until: Promise<void>): Outcome {
    const frozen: ProcessId[] = [];
    for (const part of parts) {
      const id = this.#bed.process(part);
      if (id === null || !signalProcess(id, 'SIGSTOP')) continue;
      frozen.push(id, ...childrenOf(id.pid).filter((child) => signalProcess(child, 'SIGSTOP')));
    }
    if (frozen.length === 0) return missed(`there is no ${parts.join(' or ')}`);
    return { note: named(frozen), hit: true, over: thaw(frozen, until) };
  }

  /** A browser that has nothing to do would not be missed. */
  async #atPage(
    { victim, forMs }: Extract<Fault, { kind: 'render' }>,
    began: (at: number) => void,
  ): Promise<Outcome> {
    const found = await this.#atWork(ambushMs);
    if (found === null) return missed('no page came to the browser');
    began(this.#now());
    const parts = victim === 'browser' ? found.browsers : [found.worker];
    const hit = parts.filter((id) => signalProcess(id, forMs === 0 ? 'SIGKILL' : 'SIGSTOP'));
    const over = forMs > 0 ? thaw(hit, this.#sleep(forMs)) : this.#returns(victim, hit);
    return { note: named(hit), hit: hit.length > 0, atPage: hit.length > 0, over };
  }

  /** As soon as a page is with the browser. Null: none was. */
  async #atWork(forMs: number): Promise<AtWork | null> {
    const deadline = performance.now() + forMs;
    while (performance.now() < deadline && !this.#ending.signal.aborted) {
      await delay(lookMs);
      const found = await this.#pageAtWork();
      if (found !== null) return found;
    }
    return null;
  }

  /** Null: no page is with the browser. */
  async #pageAtWork(): Promise<AtWork | null> {
    const worker = this.#bed.process('worker-render');
    const browsers = worker === null ? [] : descendantsOf(worker.pid);
    const isAtWork = worker !== null && browsers.some(showsPage) && (await this.#rendersNow());
    return isAtWork ? { worker, browsers } : null;
  }

  #rendersNow(): Promise<boolean> {
    return tables.url.count(this.#bed.pool(), { stage: storedStages.render }).then(
      (pages) => pages > 0,
      () => false,
    );
  }

  /** One at a time: with both workers frozen there is nobody to take over. */
  #duel(victim: Worker, forMs: number): Outcome {
    if (this.#dueling) return missed('another duel is going on');
    this.#dueling = true;
    const end = this.#takenOver()
      .then(() => this.#sleep(forMs))
      .finally(() => {
        this.#dueling = false;
      });
    return this.#freeze([victim], end);
  }

  /** Resolves when others hold the leases that were let run out, most of them at least, or `takeOverMs` have passed. */
  async #takenOver(): Promise<void> {
    const runOut = new Map<number, number | null>();
    let deadline = performance.now() + takeOverMs;
    let taken = 0;
    while (performance.now() < deadline && !this.#ending.signal.aborted) {
      for (const { id, lease_token: token, over } of await this.#leases()) {
        if (over) {
          runOut.set(id, token);
        } else if (runOut.has(id) && runOut.get(id) !== token) {
          runOut.delete(id);
          taken++;
          deadline = Math.min(deadline, performance.now() + othersMs);
        }
      }
      if (taken > 0 && runOut.size === 0) return;
      await delay(lookMs);
    }
  }

  async #leases(): Promise<
    { readonly id: number; readonly lease_token: number | null; readonly over: boolean }[]
  > {
    const leased = await this.#hosts({ lease_token: not(null) });
    return leased.map((host) => ({
      id: host.id,
      lease_token: host.lease_token,
      over: host.lease_until_ms < 0,
    }));
  }

  async #ambush(upon: 'pause' | 'request', began: (at: number) => void): Promise<Outcome> {
    const deadline = performance.now() + ambushMs;
    while (performance.now() < deadline && !this.#ending.signal.aborted) {
      await delay(lookMs);
      const moments = await (upon === 'pause' ? this.#pauses() : this.#requests());
      const ids = workers.map((part) => this.#bed.process(part)).filter((id) => id !== null);
      // Each moment is struck once: a page that was in flight at six crashes would be given up, and rightly so.
      if (ids.length === 0 || !moments.some(({ name }) => !this.#struck.has(name))) continue;
      for (const { name } of moments) this.#struck.add(name);
      const hosts = moments.map(({ origin }) => new URL(origin).host);
      began(this.#now());
      const hit = ids.filter((id) => signalProcess(id, 'SIGKILL'));
      const over = Promise.all(workers.map((part) => this.#returns(part, hit)));
      const note = `${named(hit)} upon ${hosts.join(', ')}`;
      return { note, hit: hit.length > 0, heard: upon === 'pause' ? hosts : [], over };
    }
    return missed('its moment did not come');
  }

  /** Pauses of hosts that stand in Postgres, which is when they must survive. */
  async #pauses(): Promise<Moment[]> {
    const resting = await this.#hosts({ lease_token: null, last_error: like('overloaded%') });
    return resting
      .filter(({ slowdown, failures, not_before_ms: ms }) => slowdown > 0 && failures > 0 && ms > 2_000)
      .map(({ origin, not_before: until }) => ({ origin, name: `${origin}${String(Number(until))}` }));
  }

  /** Patient hosts whose delay is known and which are leased, a moment later: the one request is on its way by then. */
  async #requests(): Promise<Moment[]> {
    const leased = await this.#hosts({ origin: this.#patient, lease_token: not(null) });
    const known = new Set((await this.#robots()).map((robots) => robots.host_id));
    const moments = leased
      .filter(({ id, lease_until_ms: ms }) => ms > 0 && known.has(id))
      .map(({ origin }) => ({ origin, name: origin }));
    if (moments.length > 0) await delay(onItsWayMs);
    return moments;
  }

  /** None while Postgres is away. */
  #hosts(where: Parameters<typeof tables.host.rows>[1]): ReturnType<typeof tables.host.rows> {
    return tables.host.rows(this.#bed.pool(), where).catch(() => []);
  }

  #robots(): ReturnType<typeof tables.robots.rows> {
    return tables.robots.rows(this.#bed.pool()).catch(() => []);
  }

  async #sleep(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#ending.signal }).catch(() => undefined);
  }
}
