/**
 * One breaker of a worker process, with the rules of domain/breaker.ts. Calls run through the breaker or report their
 * faults to it. While the breaker is open it probes by itself, whether or not anybody calls. Each change of state is
 * one line in the log.
 */
import type { Logger } from 'pino';
import {
  afterFault,
  afterProbe,
  atProbeTime,
  closedBreaker,
  type BreakerRules,
  type BreakerState,
} from '../../domain/breaker.ts';
import { DependencyDown } from './dependency-down.ts';

export interface BreakerParts {
  /** A name for people, such as "Postgres". */
  readonly dependency: string;
  /** See `DependencyDown.code`. */
  readonly code: string;
  readonly rules: BreakerRules;
  /** Is an error the fault of the dependency, and not of what was asked of it? */
  readonly isFault: (error: unknown) => boolean;
  /** Does one such fault say that all others will fail too? It opens the breaker alone; absent: none does. */
  readonly isCertain?: (error: unknown) => boolean;
  /** Resolves if the dependency works. Must bound its own time: no other probe starts before this one has ended. */
  readonly probe: () => Promise<unknown>;
  readonly log: Logger;
}

/** Retries are spread over this many milliseconds, so that they do not all come in one instant. */
const scatterMs = 1_000;

export class Breaker {
  readonly #parts: BreakerParts;
  #state: BreakerState = closedBreaker;
  /** The fault that opened the breaker, or the error of the last probe. */
  #fault: unknown = null;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(parts: BreakerParts) {
    this.#parts = parts;
  }

  /** An error that says what is down and since when; null: the breaker is closed. */
  get outage(): DependencyDown | null {
    const state = this.#state;
    if (state.mode === 'closed') return null;
    const { dependency, code, rules } = this.#parts;
    const now = performance.now();
    const waitMs = state.mode === 'open' ? Math.max(0, state.probeAt - now) : rules.firstProbeMs;
    return new DependencyDown({
      dependency,
      code,
      since: new Date(Date.now() - (now - state.outage.since)),
      retryMs: Math.ceil(waitMs + scatterMs * (0.1 + 0.9 * Math.random())),
      cause: this.#fault,
    });
  }

  /** Runs a call to the dependency, or refuses it at once. @throws DependencyDown while the breaker is not closed */
  async run<T>(call: () => Promise<T>): Promise<T> {
    const { outage } = this;
    if (outage !== null) throw outage;
    return this.watch(call);
  }

  /** Runs a call in any state and counts its faults: for calls that end work which has begun. */
  async watch<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (this.#parts.isFault(error)) this.report(error);
      throw error;
    }
  }

  /** Counts a fault of the dependency. */
  report(fault: unknown): void {
    const before = this.#state;
    const { rules, isCertain } = this.#parts;
    const faults = isCertain?.(fault) === true ? 1 : rules.faults;
    this.#state = afterFault(before, performance.now(), { ...rules, faults });
    if (before.mode !== 'closed' || this.#state.mode !== 'open') return;
    this.#fault = fault;
    const { dependency, log } = this.#parts;
    log.error(
      { err: fault, dependency, breaker: 'open' },
      `${dependency} is down: no request is started until it is back`,
    );
    this.#awaitProbe();
  }

  /** Stops probing: the process is leaving. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #awaitProbe(): void {
    if (this.#state.mode !== 'open' || this.#stopped) return;
    const { probeAt } = this.#state;
    this.#timer = setTimeout(
      () => {
        void this.#probe();
      },
      Math.max(0, Math.ceil(probeAt - performance.now())),
    ).unref();
  }

  async #probe(): Promise<void> {
    const { dependency, log, probe, rules } = this.#parts;
    this.#state = atProbeTime(this.#state, performance.now());
    if (this.#state.mode === 'half-open') {
      const { since } = this.#state.outage;
      const passed = await probe().then(
        () => true,
        (error: unknown) => {
          this.#fault = error;
          log.debug({ err: error, dependency }, `${dependency} is still down`);
          return false;
        },
      );
      const now = performance.now();
      this.#state = afterProbe(this.#state, passed, now, rules);
      if (passed) {
        const downSeconds = Math.round((now - since) / 100) / 10;
        log.warn({ dependency, breaker: 'closed', downSeconds }, `${dependency} is back: fetching goes on`);
      }
    }
    this.#awaitProbe();
  }
}
