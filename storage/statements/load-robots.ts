import { statement } from '../statement.ts';

export interface StoredRobots {
  readonly status: number;
  readonly body: string | null;
  /** Milliseconds since it was fetched. */
  readonly age_ms: number;
}

export const loadRobots = statement<[hostId: string], StoredRobots>(
  'load-robots',
  `select status, body, (extract(epoch from now() - fetched_at) * 1000)::float8 as age_ms from robots where host_id = $1`,
);
