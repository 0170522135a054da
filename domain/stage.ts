/**
 * What a fetched body still waits for: first dedup, then extraction. A page that says nothing without its scripts is rendered
 * then: it waits for a round of the browser (render) and, after it, until what it asked for was fetched (resources), in turn,
 * until nothing is missing. What the browser made of it is judged and read like any body. By the number stored in
 * `url.stage`.
 */
export const storedStages = { none: 0, dedup: 1, extract: 2, render: 3, resources: 4 } as const;

export type StoredStage = (typeof storedStages)[keyof typeof storedStages];

/** The stages in which a body waits. */
export const bodyStages = [
  'dedup',
  'extract',
  'render',
  'resources',
] as const satisfies readonly (keyof typeof storedStages)[];
export type BodyStage = (typeof bodyStages)[number];

/** What a body in a stage waits for, in words. */
export const stageWords: Readonly<Record<BodyStage, string>> = {
  dedup: 'the duplicate check',
  extract: 'extraction',
  render: 'a browser that renders the page',
  resources: 'what its scripts asked for, to be rendered again',
};

/** Null: the body waits for nothing. */
export const stageOf = (stored: StoredStage): BodyStage | null =>
  bodyStages.find((stage) => storedStages[stage] === stored) ?? null;

/** Lanes of a shard for each worker process that reads: while others wait for Postgres, one reads. */
export const lanesOfReader = 3;
