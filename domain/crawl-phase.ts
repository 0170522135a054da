/**
 * Where the workflow of a crawl is: how Postgres says that the crawl stands, and what people want of it.
 *
 *   unknown    Postgres was not asked yet: commands wait.
 *   open       The crawl is watched, or waits while it is paused.
 *   ending     It is drained and settled. Where Postgres finds it going on all the same, it is open again.
 *   reopened   It was ending when somebody said that it has work again: once it is settled it goes on.
 */
import { isOver, type CrawlEnding, type NumberedStands, type PauseCause } from './crawl-life.ts';

export type CrawlCommand =
  | { readonly what: 'run' }
  | { readonly what: 'pause'; readonly cause: PauseCause; readonly reason: string | null }
  | { readonly what: 'cancel'; readonly reason: string };

export interface CrawlPhase {
  readonly at: 'unknown' | 'open' | 'ending' | 'reopened';
  readonly stands: NumberedStands;
  /** The last one. A command is told from another by its identity. */
  readonly command: CrawlCommand;
  /** The command was carried out. */
  readonly isObeyed: boolean;
}

export const firstPhase: CrawlPhase = {
  at: 'unknown',
  stands: { state: 'seeding', cause: null, reason: null, revision: 0 },
  command: { what: 'run' },
  isObeyed: false,
};

/** `found`: Postgres was asked how the crawl stands. `changed`: Postgres was asked to change that, and this holds now. */
export type CrawlEvent =
  | { readonly kind: 'found' | 'changed'; readonly stands: NumberedStands }
  | { readonly kind: 'asked' | 'obeyed'; readonly command: CrawlCommand }
  | { readonly kind: 'ends' | 'reopens' };

export function next(phase: CrawlPhase, event: CrawlEvent): CrawlPhase {
  switch (event.kind) {
    case 'found': {
      const { state, cause, reason } = event.stands;
      const found = { ...phase, at: 'open', stands: event.stands } as const;
      if (state !== 'paused' || phase.command.what !== 'run') return found;
      // Somebody has paused it without this workflow, which keeps it so.
      const command = { what: 'pause', cause: cause === 'quota' ? cause : 'asked', reason } as const;
      return { ...found, command, isObeyed: false };
    }
    case 'changed':
      return { ...phase, stands: event.stands };
    case 'asked':
      return { ...phase, command: event.command, isObeyed: false };
    case 'obeyed':
      return { ...phase, isObeyed: phase.isObeyed || phase.command === event.command };
    case 'ends':
      return { ...phase, at: 'ending' };
    case 'reopens':
      return phase.at === 'ending' ? { ...phase, at: 'reopened' } : phase;
  }
}

/** How and why the crawl ends now; null: it does not. */
export function endOf({
  stands,
  command,
}: CrawlPhase): { ending: CrawlEnding; reason: string | null } | null {
  const { state, cause, reason } = stands;
  // It has begun to end already.
  if (state === 'draining')
    return { ending: cause === null || cause === 'asked' || cause === 'quota' ? 'cancelled' : cause, reason };
  return command.what === 'cancel' ? { ending: 'cancelled', reason: command.reason } : null;
}

const done = { run: 'resumed', pause: 'paused', cancel: 'cancelled' };

/** Why a command is refused; null: it is taken, or nothing is known yet that forbids it. */
export function refusalOf({ at, stands, command }: CrawlPhase, { what }: CrawlCommand): string | null {
  const { state } = stands;
  const isTaken = state === 'running' || state === 'paused' || (state === 'seeding' && what !== 'run');
  if (at === 'unknown' || (isTaken && command.what !== 'cancel')) return null;
  return `a crawl that is ${state} cannot be ${done[what]}`;
}

/** Is there an answer for whoever gave a command? It was carried out, another one came instead, or the crawl is over. */
export const isAnswered = ({ stands, command, isObeyed }: CrawlPhase, given: CrawlCommand): boolean =>
  isObeyed || command.what !== given.what || isOver(stands.state);
