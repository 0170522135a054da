/** One thing that a run shows, and whether it is as it should be. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly ok: boolean;
  /** What is wrong, one line each. */
  readonly details: readonly string[];
}

/** What there must be none of. @param more behind the number */
export const none = (name: string, details: readonly string[], more = ''): Figure => ({
  name,
  value: `${String(details.length)}${more}`,
  ok: details.length === 0,
  details,
});
