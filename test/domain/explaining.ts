/** A URL, its crawl and its host as `explain` has them, for tests that change some of it. */
import type { Decision, DecisionStep } from '../../domain/explain/decision.ts';
import type {
  ExplainFacts,
  HostFacts,
  RecordFacts,
  RobotsFacts,
  ScopeFacts,
} from '../../domain/explain/facts.ts';
import { narrate } from '../../domain/explain/narrate.ts';
import { canonicalSteps } from '../../domain/url-steps.ts';
import { canonicalize } from '../../domain/url.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
export const iso = (inMs: number): string => new Date(now + inMs).toISOString();
export const second = 1_000;
export const hour = 3_600 * second;

const config = {
  scope: 'host', include: [], exclude: [], includeDomains: [], excludeDomains: [], maxUrlLength: 2_048, maxDepth: null, maxPages: null, maxSeconds: null, maxPagesPerHost: 100, sitemap: 'include', headers: {}, sessionLinks: false, follow: true,
} as const; // prettier-ignore

const quietHost: HostFacts = {
  origin: 'https://a.example', pausedAt: null, parkedAt: null, loggedOut: null, failures: 0, failingSince: null, lastError: null, trouble: null, waitMs: 0, paceMs: 0,
  turn: { inMs: 0, delayMs: 0, reported: false }, closed: null, capped: null, eased: false, delayMs: second, slowdown: 0, leaseMs: null, lentMs: null, keptMs: null, robotsKeptMs: null, guest: false, fed: true, urls: 3, forgotten: 0, ahead: 0, others: [],
}; // prettier-ignore

const freshRobots: RobotsFacts = {
  status: 200, fetchedAt: iso(-hour), ageMs: hour, agent: 'orbweaver', allowed: true, rule: null, line: null, isCut: false,
}; // prettier-ignore

const queued: RecordFacts = {
  state: 'queued', kind: 'page', reason: null, detail: null, fetchUrl: 'https://a.example/it', seed: false, depth: 2,
  redirects: 0, priority: 0.5, scored: null, discoveredAt: iso(-hour), discoveredFrom: 'https://a.example/', redirectedWith: null,
  dueMs: -hour, fetchedAt: null, status: null, contentType: null, bytes: 0, contentHash: null, redirectTo: null,
  redirectState: null, truncated: null, duplicateOf: null, duplicateBy: null, revisitOf: null, rendering: null, stillToDo: null, requests: 0, reclaims: 0,
  leaseHeld: false, page: null, cut: {},
}; // prettier-ignore

export const done: RecordFacts = {
  ...queued, state: 'done', reason: 'fetched', fetchedAt: iso(-60 * second), status: 200, contentType: 'text/html',
  bytes: 1_234, contentHash: 'ab', requests: 1,
}; // prettier-ignore

export interface Changes {
  readonly asked?: string;
  readonly crawl?: Partial<Omit<ExplainFacts['crawl'], 'config'>> & {
    readonly config?: Partial<ExplainFacts['crawl']['config']>;
  };
  readonly scope?: Partial<ScopeFacts>;
  readonly optedOut?: string;
  readonly quarantine?: ExplainFacts['quarantine'];
  readonly stages?: ExplainFacts['stages'];
  readonly host?: Partial<HostFacts> | null;
  readonly robots?: Partial<RobotsFacts> | null;
  readonly record?: Partial<RecordFacts> | null;
  readonly shortened?: ExplainFacts['shortened'];
  readonly attempts?: ExplainFacts['attempts'];
  readonly deadLetter?: ExplainFacts['deadLetter'];
  readonly recrawl?: ExplainFacts['recrawl'];
}

/** A URL that is queued and next at a host without complaint, but for what is said. */
export function facts(changes: Changes = {}): ExplainFacts {
  const { asked = 'https://a.example/it', crawl = {}, record = {}, host = {}, robots = {} } = changes;
  const read = canonicalize(asked);
  if (!read.ok) throw new Error(read.rejected);
  return {
    now,
    link: read.value,
    steps: canonicalSteps(asked),
    crawl: {
      state: 'running', reason: null, version: 1, isEditing: false, pagesInHand: 0, runningMs: hour, ...crawl, config: { ...config, ...crawl.config },
    },
    scope: { verdict: 'admit', reason: null, detail: null, depth: 1, isSeed: false, includedBy: null, ...changes.scope },
    optedOut: changes.optedOut ?? null,
    quarantine: changes.quarantine ?? null,
    stages: changes.stages ?? [],
    outages: [],
    host: host && { ...quietHost, ...host },
    robots: robots && { ...freshRobots, ...robots },
    record: record && { ...queued, ...record },
    shortened: changes.shortened ?? { total: 0, some: [] },
    attempts: changes.attempts ?? [],
    deadLetter: changes.deadLetter ?? null,
    recrawl: changes.recrawl ?? null,
  }; // prettier-ignore
}

/** The decisions of a step. */
export const told = (step: DecisionStep, changes: Changes): Decision[] =>
  narrate(facts(changes)).decisions.filter((decision) => decision.step === step);
export const waits = (changes: Changes): readonly (readonly [string, string])[] =>
  told('wait', changes).map(({ verdict, because }) => [verdict, because]);
