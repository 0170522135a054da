/**
 * Keeps the parts of a stack running.
 *
 * A part is *starting* until its check answers, then *up*. When its process ends unasked the part is started again: at
 * once the first time, then after a growing wait; a part that stayed up for a while begins anew with no wait. A part
 * that was never up and fails too often is given up: `failed` rejects, and the owner then stops everything. A part that
 * has been up is started again and again, ever more slowly: the cause (a full disk, for example) may pass, and a stack
 * that gave up would not come back by itself. A part that lives and is stuck is killed, and so started again.
 * *Stopping* goes through the parts in the reverse order of their start, and no part is started any more.
 */
import { closeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { StackError, messageOf } from './errors.ts';
import { forgetPart, logFile, notePart } from './folder.ts';
import type { DataFolder } from './folder.ts';
import { logSize, logTail, openLog, trimLog } from './logs.ts';
import { endProcess, gone, signalProcess } from './processes.ts';
import { spawnTethered } from './tether.ts';
import type { Tethered, TetheredCommand } from './tether.ts';

export interface Part extends Omit<TetheredCommand, 'output'> {
  /** Name of its log and pid file. */
  readonly name: string;
  /** Resolves when the part does its work, rejects if it does not yet. Called again and again until it resolves. */
  readonly check: () => Promise<void>;
  /** Asked now and then: true if the process lives, and will do no work until it is started anew. */
  readonly stuck?: () => Promise<boolean>;
  /** Called before every start of the process. */
  readonly prepare?: () => Promise<void> | void;
  /** The part is a process of ours that takes SIGUSR2, which this process hands on: its log changes its level. */
  readonly takesUsr2?: true;
  /** How long a stop may take before force is used. */
  readonly stopGraceMs: number;
}

export type StackEvent =
  /** A sentence for people about a step that takes long. */
  | { readonly kind: 'progress'; readonly message: string }
  | { readonly kind: 'up'; readonly part: string; readonly pid: number }
  /** The process ended unasked, or could not be started (`code` null); it is started again after `waitMs`. */
  | {
      readonly kind: 'exited';
      readonly part: string;
      readonly code: number | null;
      readonly waitMs: number;
      /** For a part that keeps failing: the end of its log, or why it could not be started; otherwise null. */
      readonly why: string | null;
    };

export interface SupervisorOptions {
  readonly folder: DataFolder;
  /** How long a part may take until it first answers. */
  readonly startSeconds: number;
  readonly onEvent: (event: StackEvent) => void;
}

export interface Supervisor {
  /** Starts a part and waits until it is up. @throws StackError with the end of its log if it does not come up */
  start(part: Part): Promise<void>;
  /** Stops all parts. `now`: by force. A second call speeds up the first. */
  stop(now?: boolean): Promise<void>;
  /** Rejects with a StackError when a part that was never up is given up; never resolves. */
  readonly failed: Promise<never>;
}

/** Exits in a row after which a part that was never up is given up. */
const firstExits = 4;
/** Milliseconds after which a run of a part counts as good: exits before it are forgotten. */
const steadyMs = 10_000;
const checkEveryMs = 60;
const trimEveryMs = 60_000;
/** While a part has not answered for the first time, people are told so every so many milliseconds. */
const tellEveryMs = 10_000;
/** A part that says twice in a row that it is stuck is killed, and so started anew. */
const stuckEveryMs = 5_000;
const stuckTimes = 2;

/** From so many exits in a row on, the event says why. */
const manyExits = 4;

/** Wait before the nth start in a row: 0, 0.25, 0.5, 1 … 8, 16, 30 s. F08 wants work to go on within 15 s of a kill. */
const restartWait = (exits: number): number => (exits <= 1 ? 0 : Math.min(30_000, 125 * 2 ** (exits - 1)));

interface Running {
  readonly part: Part;
  current: Tethered | null;
  /** Ends when the part is stopped or given up. */
  loop: Promise<void>;
}

export const createSupervisor = (options: SupervisorOptions): Supervisor => {
  const { folder, startSeconds, onEvent } = options;
  const running: Running[] = [];
  const stopping = new AbortController();
  const force = new AbortController();
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);

  const trimmer = setInterval(() => {
    for (const { part } of running) trimLog(logFile(folder, part.name));
  }, trimEveryMs).unref();

  const handOn = (): void => {
    for (const { part, current } of running)
      if (part.takesUsr2 === true && current !== null) signalProcess(current.id, 'SIGUSR2');
  };
  process.on('SIGUSR2', handOn);

  const isStopping = (): boolean => stopping.signal.aborted;

  const launch = async (entry: Running): Promise<Tethered> => {
    const { part } = entry;
    await part.prepare?.();
    const output = openLog(logFile(folder, part.name));
    try {
      const tethered = await spawnTethered({ ...part, output });
      try {
        notePart(folder, part.name, tethered.id);
      } catch (error) {
        // Otherwise nobody would find this process after a crash of ours.
        await endProcess(tethered.id, part.stopSignal, part.stopGraceMs);
        throw error;
      }
      entry.current = tethered;
      return tethered;
    } finally {
      closeSync(output);
    }
  };

  /** True once the part answers; false if its process ended or everything is stopping before that. */
  const answers = async (part: Part, tethered: Tethered): Promise<boolean> => {
    const life = { ended: false };
    void tethered.exited.then(() => (life.ended = true));
    for (;;) {
      const up = await part.check().then(
        () => true,
        () => false,
      );
      if (life.ended || isStopping()) return false;
      if (up) return true;
      await delay(checkEveryMs);
    }
  };

  const stopProcess = async ({ part }: Running, { id }: Tethered): Promise<void> => {
    signalProcess(id, force.signal.aborted ? 'SIGKILL' : part.stopSignal);
    const hastened = new Promise<void>((resolve) => {
      force.signal.addEventListener('abort', () => {
        resolve();
      });
    });
    await Promise.race([gone(id, part.stopGraceMs), hastened]);
    signalProcess(id, 'SIGKILL');
  };

  const killStuck = async ({ name, stuck }: Part, { id, exited }: Tethered): Promise<void> => {
    if (stuck === undefined) return;
    const ended = exited.then(() => true);
    for (let times = 0; times < stuckTimes;) {
      if (await Promise.race([ended, delay(stuckEveryMs, false, { ref: false })])) return;
      // One that does not say so may only be slow.
      times = (await stuck().catch(() => false)) ? times + 1 : 0;
    }
    onEvent({ kind: 'progress', message: `${name} is stuck, and is ended` });
    signalProcess(id, 'SIGKILL');
  };

  /** Starts and restarts the part until stop; calls `firstUp` the first time it is up. */
  const keep = async (entry: Running, firstUp: () => void): Promise<void> => {
    const { part } = entry;
    let exits = 0;
    const up = { ever: false };
    const logStart = logSize(logFile(folder, part.name));
    /** Waits before the next start, and tells why; false: the part is not started any more. */
    const waitAfter = async (code: number | null, began: number, why: () => string): Promise<boolean> => {
      if (isStopping()) return false;
      exits = performance.now() - began > steadyMs ? 1 : exits + 1;
      if (!up.ever && exits >= firstExits) throw givenUp(part, code, exits, why());
      const waitMs = restartWait(exits);
      const told = exits >= manyExits ? why() : null;
      onEvent({ kind: 'exited', part: part.name, code, waitMs, why: told });
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      return true;
    };
    while (!isStopping()) {
      const began = performance.now();
      const tethered = await launch(entry).catch(async (error: unknown) => {
        if (!up.ever || !(await waitAfter(null, began, () => messageOf(error)))) throw error;
        return null;
      });
      if (tethered === null) continue;
      // A stop that came while the process was being started did not see the process.
      if (isStopping()) void stopProcess(entry, tethered);
      void answers(part, tethered).then((answering) => {
        if (!answering) return;
        onEvent({ kind: 'up', part: part.name, pid: tethered.id.pid });
        up.ever = true;
        firstUp();
      });
      void killStuck(part, tethered);
      const code = await tethered.exited;
      forgetPart(folder, part.name);
      entry.current = null;
      if (!(await waitAfter(code, began, () => logTail(logFile(folder, part.name), logStart)))) return;
    }
  };

  const givenUp = (part: Part, code: number | null, exits: number, why: string): StackError => {
    const file = logFile(folder, part.name);
    return new StackError(
      `${part.name} ended ${String(exits)} times in a row (exit code ${String(code)}); its log is ${file}` +
        (why === '' ? '.' : `, which ends:\n${why}`),
    );
  };

  const start = async (part: Part): Promise<void> => {
    const up = Promise.withResolvers<undefined>();
    const entry: Running = { part, current: null, loop: Promise.resolve() };
    running.push(entry);
    entry.loop = keep(entry, () => {
      up.resolve(undefined);
    }).then(
      () => {
        up.reject(new StackError(`${part.name} was stopped before it had started.`));
      },
      (error: unknown) => {
        const stackError = error instanceof StackError ? error : new StackError(messageOf(error));
        up.reject(stackError);
        failure.reject(stackError);
      },
    );
    const timer = setTimeout(() => {
      const file = logFile(folder, part.name);
      up.reject(
        new StackError(
          `${part.name} did not answer within ${String(startSeconds)} s (ORBWEAVER_START_SECONDS); its log is ${file}.`,
        ),
      );
    }, startSeconds * 1_000);
    const began = performance.now();
    const teller = setInterval(() => {
      const seconds = Math.round((performance.now() - began) / 1_000);
      onEvent({
        kind: 'progress',
        message: `${part.name} does not answer yet, after ${String(seconds)} s …`,
      });
    }, tellEveryMs);
    try {
      await up.promise;
    } finally {
      clearTimeout(timer);
      clearInterval(teller);
    }
  };

  let stopped: Promise<void> | null = null;
  const stopAll = async (): Promise<void> => {
    stopping.abort();
    clearInterval(trimmer);
    process.off('SIGUSR2', handOn);
    for (const entry of running.toReversed()) {
      if (entry.current !== null) await stopProcess(entry, entry.current);
      await entry.loop;
    }
  };

  return {
    start,
    stop: (now = false) => {
      if (now) force.abort();
      return (stopped ??= stopAll());
    },
    failed: failure.promise,
  };
};
