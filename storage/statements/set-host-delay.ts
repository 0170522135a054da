import { statement } from '../statement.ts';

/** @param delayMs null: back to what crawls and robots.txt say. */
export const setHostDelay = statement<[hostId: string, delayMs: number | null], Record<string, never>>(
  'set-host-delay',
  `update host set delay_ms = $2 where id = $1`,
);
