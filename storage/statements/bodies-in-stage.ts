import { statement } from '../statement.ts';

export interface StagedBody {
  readonly host_id: number;
  readonly crawl_id: number;
  readonly key: string;
  readonly url: string;
  readonly kind: number;
  readonly seed: boolean;
  readonly depth: number;
  readonly priority: number;
  readonly content_hash: Buffer;
  readonly content_type: string | null;
  readonly robots_tag: string | null;
}

/** Bodies of a host that wait for dedup (1) or extraction (2). */
export const bodiesInStage = statement<[hostId: string, stage: 1 | 2, limit: number], StagedBody>(
  'bodies-in-stage',
  `select host_id, crawl_id, encode(key, 'hex') as key, url, kind, seed, depth, priority, content_hash, content_type,
          robots_tag
     from url where host_id = $1 and stage = $2
    order by crawl_id, priority desc, key limit $3`,
);
