import { statement } from '../statement.ts';

export const noteTemporalNamespace = statement<[id: string], Record<string, never>>(
  'note-temporal-namespace',
  `update instance set temporal_namespace = $1`,
);
