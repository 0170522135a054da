/**
 * What a slice learns of its host: manners, failures in a row, server errors, and the trouble that ends the slice.
 * Begins as the last slice left it; `save` and `forRelease` leave it to the next one.
 */
import type { History, HostNext } from '../../domain/outcome.ts';
import { easeUp, slowDown, type Manners } from '../../domain/pace.ts';
import {
  afterOutage,
  isOutage,
  noteAnswer,
  outageMs,
  type ServerErrors,
} from '../../domain/server-errors.ts';
import type { Queryable } from '../../storage/pool.ts';
import { saveServerErrors } from '../../storage/statements/save-server-errors.ts';
import type { TakenLease } from '../../storage/statements/take-lease.ts';
import type { HostTrouble } from './host-rules.ts';

export class Lessons {
  readonly #taken: TakenLease;
  #manners: Manners;
  #failures: number;
  /** On the clock of `performance.now()`. */
  #serverErrors: ServerErrors;
  #trouble: HostTrouble | null = null;

  constructor(taken: TakenLease) {
    this.#taken = taken;
    this.#manners = taken;
    this.#failures = taken.failures;
    this.#serverErrors = serverErrorsOf(taken);
  }

  get manners(): Manners {
    return this.#manners;
  }

  /** The host's failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Ends the slice. */
  get trouble(): HostTrouble | null {
    return this.#trouble;
  }

  /** An older trouble stands until an answer without complaint has come. */
  get lastError(): string | null {
    if (this.#trouble !== null) return `${this.#trouble.class}: ${this.#trouble.message}`;
    return this.#failures === 0 ? null : this.#taken.last_error;
  }

  get standing(): Pick<History, 'hostFailures' | 'outage'> {
    const now = performance.now();
    return {
      hostFailures: this.#failures,
      outage: {
        begins: isOutage(noteAnswer(this.#serverErrors, true, now)),
        waitMs: outageMs(this.#serverErrors, now),
      },
    };
  }

  get forRelease(): { slowdown: number; clean: number; failures: number; lastError: string | null } {
    const { slowdown, clean } = this.#manners;
    return { slowdown, clean, failures: this.#failures, lastError: this.lastError };
  }

  /**
   * @param status null: no answer came
   * @param host what the outcome says of the host
   * @param message one sentence on it
   */
  learn(status: number | null, host: HostNext, message: string): void {
    if (status !== null) this.#noteAnswer(status, host.trouble?.class);
    // Of several in flight, one has told already; the others were on their way before it did.
    if (this.#trouble !== null) return;
    this.#failures = host.counts ? this.#failures + 1 : 0;
    if (host.slower) this.#manners = slowDown(this.#manners);
    else if (!host.counts) this.#manners = easeUp(this.#manners);
    if (host.trouble !== null) this.#trouble = { ...host.trouble, message };
  }

  /** Its robots.txt cannot be had. */
  learnOfRobots(trouble: HostTrouble): void {
    this.#failures++;
    this.#trouble = trouble;
  }

  async save(db: Queryable, hostId: string): Promise<void> {
    const { since, errors, answers, outages, outageAt } = this.#serverErrors;
    const taken = this.#taken;
    if (errors === 0 && taken.errors === 0 && outages === taken.outages) return;
    const age = (at: number | null): number | null => (at === null ? null : performance.now() - at);
    await saveServerErrors(db, hostId, taken.token, age(since), errors, answers, outages, age(outageAt));
  }

  #noteAnswer(status: number, trouble: string | undefined): void {
    const now = performance.now();
    // 429 and 503 ask for less and say so themselves.
    this.#serverErrors = noteAnswer(this.#serverErrors, status >= 500 && status !== 503, now);
    if (trouble === 'server-errors') this.#serverErrors = afterOutage(this.#serverErrors, now);
  }
}

/** The host's memory, brought from the database's clock to ours. */
function serverErrorsOf(taken: TakenLease): ServerErrors {
  const now = performance.now();
  const at = (ageMs: number | null): number | null => (ageMs === null ? null : now - ageMs);
  const { errors, errors_answers, outages } = taken;
  return {
    ...{ since: at(taken.errors_age_ms), errors, answers: errors_answers },
    ...{ outages, outageAt: at(taken.outage_age_ms) },
  };
}
