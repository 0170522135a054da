/**
 * What may be done with the re-extractions of a crawl. Each compares with what was read before, so at most one is made, and at
 * most one is in use; while one is in use none is begun, and before it becomes the pages' own the others must go.
 */

export const reextractionStates = [
  ...(['waiting', 'running', 'finished', 'failed', 'cancelled', 'keeping', 'kept', 'removing'] as const),
] as const;
export type ReextractionState = (typeof reextractionStates)[number];

/** A re-extraction among those of its crawl. */
export interface ReextractionFacts {
  readonly id: string;
  readonly state: ReextractionState;
  /** Everybody reads it. */
  readonly isInUse: boolean;
  /** All that follows from the last switch was told. */
  readonly isSettled: boolean;
}

export type ReextractionChange = 'start' | 'switch' | 'undo' | 'keep' | 'cancel' | 'remove';

/** Re-extractions that a crawl has at the same time. */
export const mostOfCrawl = 20;

const isBeingMade = ({ state }: Pick<ReextractionFacts, 'state'>): boolean =>
  state === 'waiting' || state === 'running';

/**
 * Null: it may. Else why not, for people.
 * @param id the re-extraction to be changed, one of `all`; not used to start one
 */
export function refusal(
  change: ReextractionChange,
  all: readonly ReextractionFacts[],
  id = '',
): string | null {
  const own = all.find((each) => each.id === id);
  if (change === 'start') return refusalToStart(all);
  if (own === undefined) return `There is no re-extraction ${id}.`;
  const others = all.filter((each) => each.id !== id);
  switch (change) {
    case 'switch':
      return refusalToSwitch(own, others);
    case 'undo':
      if (!own.isInUse) return `Re-extraction ${id} is not in use.`;
      return own.state === 'keeping' ? `The extraction of ${id} is becoming the pages’ own.` : null;
    case 'keep':
      return refusalToKeep(own, others);
    case 'cancel':
      return isBeingMade(own) ? null : `Re-extraction ${id} is ${own.state} already.`;
    case 'remove':
      if (isBeingMade(own)) return `Re-extraction ${id} has not ended: cancel it first.`;
      if (own.isInUse) return `Re-extraction ${id} is in use: undo it first, or keep it.`;
      return unsettled(own);
  }
}

function refusalToStart(all: readonly ReextractionFacts[]): string | null {
  const made = all.find(isBeingMade);
  if (made !== undefined) return `Re-extraction ${made.id} has not ended: cancel it, or wait.`;
  const used = all.find(({ isInUse }) => isInUse);
  if (used !== undefined) return `Re-extraction ${used.id} is in use: keep it first, or undo it.`;
  if (all.length >= mostOfCrawl)
    return `The crawl has ${String(mostOfCrawl)} re-extractions: remove one first.`;
  return firstUnsettled(all);
}

function refusalToSwitch(own: ReextractionFacts, others: readonly ReextractionFacts[]): string | null {
  if (own.isInUse) return `Re-extraction ${own.id} is in use already.`;
  if (own.state !== 'finished')
    return `Re-extraction ${own.id} is ${own.state}: only a finished one can be used.`;
  const used = others.find(({ isInUse }) => isInUse);
  if (used !== undefined) return `Re-extraction ${used.id} is in use: undo it first.`;
  const made = others.find(isBeingMade);
  if (made !== undefined) return `Re-extraction ${made.id} has not ended: cancel it, or wait.`;
  return firstUnsettled([own, ...others]);
}

function refusalToKeep(own: ReextractionFacts, others: readonly ReextractionFacts[]): string | null {
  if (!own.isInUse) return `Re-extraction ${own.id} is not in use: switch to it first.`;
  if (own.state === 'keeping') return `The extraction of ${own.id} is becoming the pages’ own already.`;
  const other = others.find(({ state }) => state === 'finished');
  if (other !== undefined)
    return `Re-extraction ${other.id} was compared with the earlier extraction: remove it first.`;
  return unsettled(own);
}

const firstUnsettled = (all: readonly ReextractionFacts[]): string | null =>
  all.map(unsettled).find((why) => why !== null) ?? null;

const unsettled = ({ id, isSettled }: ReextractionFacts): string | null =>
  isSettled
    ? null
    : `What follows from switching re-extraction ${id} is still being told: try again in a moment.`;
