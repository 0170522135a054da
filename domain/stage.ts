/** What a fetched body still waits for: first dedup, then extraction. By the number stored in `url.stage`. */
export const storedStages = { none: 0, dedup: 1, extract: 2 } as const;

export type StoredStage = (typeof storedStages)[keyof typeof storedStages];

/** The stages in which a body waits. */
export const bodyStages = ['dedup', 'extract'] as const satisfies readonly (keyof typeof storedStages)[];
export type BodyStage = (typeof bodyStages)[number];

/** Null: the body waits for nothing. */
export const stageOf = (stored: StoredStage): BodyStage | null =>
  bodyStages.find((stage) => storedStages[stage] === stored) ?? null;

/** Lanes of a shard for each worker process that reads: while others wait for Postgres, one reads. */
export const lanesOfReader = 3;
