import { statement } from '../statement.ts';

/** The Temporal namespace that was last told of all work; null: none yet. */
export const temporalNamespace = statement<[], { id: string | null }>(
  'temporal-namespace',
  `select temporal_namespace as id from instance`,
);
