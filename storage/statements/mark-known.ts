import { statement } from '../statement.ts';

/** The host answers: it waits for its turn to be worked. */
export const markKnown = statement<[hostId: number], Record<string, never>>(
  'mark-known',
  `update host set known_at = now() where id = $1`,
);
