/**
 * What a slice learns about its host: manners, trouble in a row, signs of who is to blame, and the trouble that ends
 * the slice. A slice begins with what the last one learned; `save` and `forRelease` pass it on to the next.
 */
import { signOf } from '../../domain/blame.ts';
import { afterAnswer, historyOf, type HostMemory } from '../../domain/host-memory.ts';
import type { History, HostNext, Trouble } from '../../domain/outcome.ts';
import { afterLoss, type Manners } from '../../domain/pace.ts';
import type { UrlReason } from '../../domain/url-reason.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import { saveLessons, type LessonsRow } from '../../storage/hosts/index.ts';
import type { Blamed, Leaving, TakenLease } from '../../storage/leases/index.ts';
import type { HostTrouble } from './host-rules.ts';

/** A further good answer is written to the host's row only after this many milliseconds. */
const wellNotedMs = 300_000;

/** A URL among the host's signs: the first half of its key, and whose crawl asked for it. @param key in hex */
const named = (key: string, tenantId: number): string => signOf(key.slice(0, 16), tenantId);

/** The trouble is for all. */
const everybody: Blamed = { tenantId: 0, forAllMs: 0 };

interface AskedUrl {
  readonly key: string;
  readonly reason: UrlReason | null;
}

export class Lessons {
  readonly #taken: TakenLease;
  readonly #before: HostMemory;
  /** On the clock of `performance.now()`. */
  #memory: HostMemory;
  #trouble: HostTrouble | null = null;
  #blamed: Blamed | null = null;
  #asked = 0;
  #failed = 0;

  constructor(taken: TakenLease) {
    this.#taken = taken;
    this.#before = memoryOf(taken);
    const { manners } = this.#before;
    this.#memory = taken.unclean ? { ...this.#before, manners: afterLoss(manners) } : this.#before;
  }

  get manners(): Manners {
    return this.#memory.manners;
  }

  /** Times the host was left alone for trouble, with no good answer in between. */
  get failures(): number {
    return this.#memory.failures;
  }

  /** The trouble that ends the slice; null: none. */
  get trouble(): HostTrouble | null {
    return this.#trouble;
  }

  /** The last trouble, also of an earlier slice; null once an answer without complaint has come. */
  get lastError(): string | null {
    if (this.#trouble !== null) return `${this.#trouble.class}: ${this.#trouble.message}`;
    return this.failures === 0 ? null : this.#taken.last_error;
  }

  /**
   * What the host has taught, for a URL of this tenant: its key in hex, and the reason with which its last request ended.
   * @param isShared crawls of other tenants want the host
   */
  of(
    tenantId: number,
    isShared: boolean,
  ): { history: (url: AskedUrl) => Omit<History, 'tries' | 'hops' | 'maxRedirects'> } {
    return {
      history: ({ key, reason }) => ({
        ...historyOf(this.#memory, { key: named(key, tenantId), reason }, performance.now()),
        isShared,
      }),
    };
  }

  get forRelease(): Pick<Leaving, 'failures' | 'lastError' | 'asked' | 'failed' | 'blamed'> {
    return {
      failures: this.failures,
      lastError: this.lastError,
      asked: this.#asked,
      failed: this.#failed,
      ...(this.#blamed !== null && { blamed: this.#blamed }),
    };
  }

  /**
   * @param url its key in hex, and the tenant whose crawl asked for it
   * @param host what the outcome says about the host
   * @param delayMs the delay in force when the URL was requested
   * @param message one sentence about the outcome
   */
  learn(
    { key, tenantId }: { readonly key: string; readonly tenantId: number },
    host: HostNext,
    delayMs: number,
    message: string,
  ): void {
    // A complaint asks for fewer requests: it says nothing of how good the host is.
    if (host.sign !== 'none' && host.complaint === null) {
      this.#asked++;
      if (host.sign === 'ill') this.#failed++;
    }
    if (host.trouble !== null) this.#blame(tenantId, host.trouble);
    // Of several requests in flight one has shown trouble already. The others had left before that.
    if (this.#trouble !== null) return;
    this.#memory = afterAnswer(this.#memory, named(key, tenantId), host, delayMs, performance.now());
    if (host.trouble !== null) this.#trouble = { ...host.trouble, message };
  }

  /** Of several requests in flight several may show trouble. */
  #blame(tenantId: number, { forAllMs }: Trouble): void {
    const before = this.#blamed ?? { tenantId, forAllMs: 0 };
    this.#blamed =
      forAllMs === undefined || before.tenantId !== tenantId
        ? everybody
        : { tenantId, forAllMs: Math.max(forAllMs, before.forAllMs) };
  }

  /** Notes that robots.txt cannot be read. */
  learnOfRobots(trouble: HostTrouble): void {
    this.#memory = { ...this.#memory, failures: this.failures + 1 };
    this.#trouble = trouble;
    this.#blamed = everybody;
  }

  /** Writes what was learned, if anything. @param baseDelayMs the delay before any slowdown; null: not known */
  async save(db: Queryable, hostId: string, baseDelayMs: number | null): Promise<void> {
    const { base_delay_ms: oldBase, token, settings_revision: revision } = this.#taken;
    const base = baseDelayMs ?? oldBase;
    if (base === oldBase && !this.#hasLearnt()) return;
    const { outages, manners, signs } = this.#memory;
    const age = (at: number | null): number | null => (at === null ? null : performance.now() - at);
    const row: LessonsRow = {
      failing: signs.failing,
      complained: signs.complained,
      well_age_ms: age(signs.wellAt),
      outages: outages.outages,
      outage_age_ms: age(outages.outageAt),
      slowdown: manners.slowdown,
      clean: manners.clean,
      since_complaint: manners.sinceComplaint,
      complained_age_ms: age(manners.complainedAt),
      base_delay_ms: base,
      revision,
    };
    await saveLessons(db, hostId, token, JSON.stringify(row));
  }

  #hasLearnt(): boolean {
    const { manners, signs, outages } = this.#memory;
    const before = this.#before;
    if (outages !== before.outages) return true;
    // The count of clean answers matters only if the host is slowed down or has a complaint to forget.
    if (manners.slowdown + before.manners.slowdown + before.signs.complained.length > 0)
      return manners !== before.manners;
    if (signs.failing.length + before.signs.failing.length > 0) return signs !== before.signs;
    return (signs.wellAt ?? -Infinity) - (before.signs.wellAt ?? -Infinity) >= wellNotedMs;
  }
}

/** The host's memory from its row, with times moved from the database's clock to `performance.now()`. */
function memoryOf(taken: TakenLease): HostMemory {
  const now = performance.now();
  const at = (ageMs: number | null): number | null => (ageMs === null ? null : now - ageMs);
  const { failures, slowdown, clean, since_complaint: sinceComplaint, failing, complained } = taken;
  return {
    failures,
    outages: { outages: taken.outages, outageAt: at(taken.outage_age_ms) },
    manners: { slowdown, clean, sinceComplaint, complainedAt: at(taken.complained_age_ms) },
    signs: { failing, complained, wellAt: at(taken.well_age_ms) },
  };
}
