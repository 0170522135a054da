/** One thing that a run shows, and whether it is as it should be. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly ok: boolean;
  /** What is wrong, one line each. */
  readonly details: readonly string[];
}
