/** What was decided about a shape of URLs, and what follows for a URL. */
import { shapesOf } from './shape.ts';

export const verdicts = ['suspected', 'cleared', 'held', 'confirmed', 'released'] as const;
export type Verdict = (typeof verdicts)[number];

/** A verdict keeps URLs back. */
const keepsBack = (verdict: Verdict | undefined): boolean => verdict === 'held' || verdict === 'confirmed';

export interface ShapeVerdict {
  /** Of the quarantine's row. */
  readonly id: string;
  readonly verdict: Verdict;
}

/** The reason of a URL that is kept back. Its detail begins with the id of the row, by which the URL is found again. */
export const quarantineDetail = (id: string, shape: string): string => `${id}: ${shape}`;

export type UrlVerdict =
  | { readonly kind: 'held'; readonly id: string; readonly shape: string }
  | { readonly kind: 'suspected' };

/**
 * What the verdicts on a host say of one of its URLs; null: nothing. A release frees no more than what is held for it: a
 * narrower or wider shape that is held keeps its URLs.
 * @param pathAndQuery of the canonical URL
 */
export function verdictUnder(
  verdictsByShape: ReadonlyMap<string, ShapeVerdict>,
  pathAndQuery: string,
): UrlVerdict | null {
  let suspected = false;
  for (const shape of shapesOf(pathAndQuery)) {
    const found = verdictsByShape.get(shape);
    if (found === undefined) continue;
    if (keepsBack(found.verdict)) return { kind: 'held', id: found.id, shape };
    if (found.verdict === 'suspected') suspected = true;
  }
  return suspected ? { kind: 'suspected' } : null;
}
