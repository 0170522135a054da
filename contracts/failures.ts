/** Types of `ApplicationFailure`, named by the reaction they ask for. Stable: they stand in histories and in Temporal Web. */
export const failureTypes = {
  /** The host as a whole is in trouble: try again after the host's own delay. */
  host: 'HostFailure',
  /** The host's retries are spent: park it. */
  spent: 'HostSpent',
  /** Postgres, the blob store or the like: our own fault, no URL is to blame; try again soon. */
  infrastructure: 'InfrastructureFailure',
  /** The lease was lost or the worker is leaving: start the work again at once. */
  interrupted: 'SliceInterrupted',
} as const;
