/**
 * What a host's workflow knows about its host, and the named transitions that messages, activities and time cause.
 * Handlers change this state while the loop waits, so the loop must read it again after each wait.
 */
import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import {
  nobody,
  type HostCounts,
  type HostHoldView,
  type SliceResult,
  type VisitRegion,
} from '../contracts/activities.ts';
import type { HostCarried, HostInput, HostMode, HostView } from '../contracts/workflows.ts';
import { attributeSetter, magnitude } from './attributes.ts';
import { deskMarkdown } from './host-desk.ts';

/** A run with more history events than this continues as a new run. */
const longHistory = 400;

const fresh: HostCarried = {
  version: 1,
  paused: false,
  parked: false,
  pausedReason: null,
  lastError: null,
  troubleSince: null,
  fetched: 0,
  deadLetters: 0,
  queued: 0,
  wantedBy: nobody,
  delayMs: 0,
  probeMs: 3_600_000,
  probes: 0,
  probeAt: null,
  lastProbe: null,
};

export interface VisitUnderWay {
  /** Has it end soon; the workflow waits for its end. */
  readonly cut: () => void;
  /** Has the workflow go on without it. */
  readonly lose: () => void;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class HostState {
  readonly me: Pick<HostInput, 'hostId' | 'origin'>;
  /** What is handed over to the next run. */
  readonly carried: Mutable<HostCarried>;
  mode: HostMode = 'active';
  nextVisit: number | null = null;
  /** A wake signal has come since the last visit. */
  woken = false;
  /** Postgres must be asked whether the host is paused or parked. */
  unsure: boolean;
  /** A pause, or its end, is not in Postgres yet. */
  pauseUntold = false;
  /** Set while a crawl waits for a probe of this parked host: epoch milliseconds from which the probe may be sent. */
  askAt: number | null = null;
  /** The fetch activity under way; null: none. */
  visit: VisitUnderWay | null = null;
  /** A worker has just named the region of `carried`: the next visit is made there, and not sent on. */
  isRegionChosen = false;
  #closedBy: SliceResult['closedBy'] = null;
  #retriesAsked = 0;
  #retriesDone = 0;
  #cancelled = false;
  #lostLease: number | null = null;
  readonly #setAttributes = attributeSetter();

  constructor({ hostId, origin, carried, adopted }: HostInput) {
    this.me = { hostId, origin };
    this.carried = { ...(carried ?? fresh) };
    this.unsure = adopted === true;
  }

  // What the loop asks -------------------------------------------------------------------------------------------------

  get wantsRetry(): boolean {
    return this.#retriesAsked > this.#retriesDone;
  }
  /** Somebody wants the host paused, or tried again. */
  get interrupted(): boolean {
    return this.carried.paused || this.wantsRetry;
  }
  get called(): boolean {
    return this.woken || this.interrupted;
  }
  /** Should a new run go on? Also after a cancellation, since a run can be cancelled only once. */
  get isLong(): boolean {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    return historyLength > longHistory || continueAsNewSuggested || this.#cancelled;
  }
  get inTrouble(): boolean {
    return this.carried.lastError !== null;
  }
  /** Epoch milliseconds of the next probe: the host's own, whose waits grow, or an earlier one that a crawl waits for. */
  get nextProbe(): number {
    return Math.min(this.carried.probeAt ?? 0, this.askAt ?? Infinity);
  }
  view(): HostView & HostCarried {
    return { ...this.carried, mode: this.mode, nextVisit: this.nextVisit };
  }

  // Transitions --------------------------------------------------------------------------------------------------------

  /** Shows a mode in Temporal Web. @param until epoch milliseconds at which it ends by itself; null: not known */
  enter(mode: HostMode, until: number | null = null): void {
    this.mode = mode;
    this.nextVisit = until;
    const { namespace, memo } = workflowInfo();
    const closedBy = until === null ? null : this.#closedBy;
    setCurrentDetails(
      deskMarkdown({ ...this.view(), ...this.me, closedBy, namespace, screen: memo?.['console'] }),
    );
    const { deadLetters, lastError, queued } = this.carried;
    this.#setAttributes({
      CrawlState: mode,
      DeadLetters: deadLetters,
      LastError: lastError === null ? null : lastError.slice(0, 200),
      QueueDepth: magnitude(queued),
      // For a host at work it would change with every slice.
      ...(mode === 'active' ? {} : { NextFetchTime: until === null ? null : new Date(until) }),
    });
  }
  /** Shows the current mode again, with what is known now. */
  refresh(): void {
    this.enter(this.mode, this.nextVisit);
  }

  pause(reason: string): void {
    Object.assign(this.carried, { paused: true, pausedReason: reason });
    this.pauseUntold = true;
    this.visit?.cut();
  }
  resume(): void {
    Object.assign(this.carried, { paused: false, pausedReason: null });
    this.pauseUntold = true;
    if (this.carried.parked) this.#retriesAsked++;
  }
  /** Temporal Web's button pauses the host. A parked host is not paused: it keeps its probes and gets nothing else. */
  cancel(): void {
    this.#cancelled = true;
    const { paused, parked } = this.carried;
    if (!paused && !parked) this.pause('its workflow was cancelled in Temporal Web');
  }
  /** Returns a function that says whether this retry was carried out. @param cutting end the visit under way */
  askRetry(cutting: boolean): () => boolean {
    const mine = ++this.#retriesAsked;
    if (cutting) this.visit?.cut();
    return () => this.#retriesDone >= mine;
  }

  /** The visit under way is lost, or none is. The same lease is told of several times, and lost once. */
  loseVisit(lease: number | null): void {
    if (lease !== null && lease === this.#lostLease) return;
    this.#lostLease = lease;
    this.woken = true;
    this.visit?.lose();
    this.sendTo(undefined);
  }

  /** Where visits go from now on. @param region absent: a worker that fetches is to say */
  sendTo(region: VisitRegion | undefined): void {
    this.carried.region = region;
    this.isRegionChosen = region !== undefined;
  }

  counted(counts: HostCounts): void {
    Object.assign(this.carried, counts);
  }
  /** Takes over what Postgres says, except a pause that is older than one asked for just now. */
  lookedUp({ paused, parked, ...counts }: HostCounts & HostHoldView): void {
    this.counted(counts);
    if (!this.pauseUntold) Object.assign(this.carried, { paused: paused !== null, pausedReason: paused });
    if (parked !== null) return;
    this.askAt = null;
    if (this.carried.parked) this.#forgetTrouble();
  }
  noteTrouble(reason: string, since: number): void {
    this.carried.lastError = reason;
    this.carried.troubleSince ??= since;
  }
  unparked(counts: HostCounts): void {
    this.askAt = null;
    this.counted(counts);
    this.#forgetTrouble();
  }
  #forgetTrouble(): void {
    const none = { parked: false, probeAt: null, lastProbe: null, lastError: null, troubleSince: null };
    Object.assign(this.carried, none);
  }
  /** @param asked number of retries asked for when this retry began */
  retried(asked: number): void {
    this.#retriesDone = asked;
  }
  get retriesAsked(): number {
    return this.#retriesAsked;
  }

  learn(result: SliceResult): void {
    const { carried } = this;
    carried.fetched += result.fetched;
    carried.queued = result.queued;
    carried.deadLetters = result.deadLetters;
    carried.wantedBy = result.wantedBy;
    carried.delayMs = result.delayMs ?? carried.delayMs;
    this.#closedBy = result.closedBy;
    carried.lastError = result.lastError;
    carried.troubleSince = result.lastError === null ? null : (carried.troubleSince ?? Date.now());
    if (result.fetched > 0 && result.lastError === null) carried.probes = 0;
  }
}
