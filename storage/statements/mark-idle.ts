import { statement } from '../statement.ts';

/** The host's workflow will wait to be told of new URLs. Look once more afterwards: one may have come before. */
export const markIdle = statement<[hostId: string], Record<string, never>>(
  'mark-idle',
  `update host set idle = true where id = $1`,
);
