/** Types of `ApplicationFailure`, named by the reaction they ask for. Stable: they stand in histories and in Temporal Web. */
export const failureTypes = {
  /** The host as a whole does not answer as it should: try again after the host's own delay. */
  host: 'HostFailure',
  /** The host's retries are spent: park it. */
  spent: 'HostSpent',
  /** Postgres, blob store and the like: our own fault, nobody's URL; try again soon. */
  infrastructure: 'InfrastructureFailure',
  /** The lease was lost or the worker is leaving: take up the work again at once. */
  interrupted: 'SliceInterrupted',
} as const;
