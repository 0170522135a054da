/** The states of a URL within a crawl, the moves between them, and the sum that must always add up (G1). */

/** Every URL of a crawl is in exactly one of these. */
export const urlStates = ['queued', 'leased', 'done', 'excluded', 'dead', 'failed'] as const;
export type UrlState = (typeof urlStates)[number];

/** URLs of a crawl by state; `discovered` is counted on its own when a URL is admitted. */
export interface Ledger extends Readonly<Record<UrlState, number>> {
  readonly discovered: number;
}

/**
 * queued → leased: a host's slice takes the URL. queued → excluded: by a limit or an operator. queued → failed: the
 * host parks after the URL was tried. leased → any other state: the request has an outcome. leased → queued: also when
 * the lease was lost. done → excluded: what was read looks like a soft 404. done → queued: the body is lost, or the
 * crawl keeps the page fresh. A failed, dead or excluded URL goes back to queued when it is redriven.
 */
const moves: Readonly<Record<UrlState, readonly UrlState[]>> = {
  queued: ['leased', 'excluded', 'failed'],
  leased: ['queued', 'done', 'excluded', 'dead', 'failed'],
  done: ['queued', 'excluded'],
  excluded: ['queued'],
  dead: ['queued'],
  failed: ['queued'],
};

export const mayMove = (from: UrlState, to: UrlState): boolean => moves[from].includes(to);

export const isBalanced = (ledger: Ledger): boolean =>
  ledger.discovered === urlStates.reduce((sum, state) => sum + ledger[state], 0);

/** The ledger after one URL moved. @throws RangeError if no URL may move so */
export function afterMove(ledger: Ledger, from: UrlState, to: UrlState): Ledger {
  if (!mayMove(from, to)) throw new RangeError(`a URL does not go from ${from} to ${to}`);
  return { ...ledger, [from]: ledger[from] - 1, [to]: ledger[to] + 1 };
}
