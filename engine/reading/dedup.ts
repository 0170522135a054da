/**
 * Exact duplicates (F20): the first page of a crawl with a certain body stands for all pages with it. The others become
 * its aliases and are not read. On a site with a seed, only pages of the same site can make a page an alias. So a copy
 * of a whole site that a crawl happens to meet is not crawled again, but a copy that has a seed is.
 */
import type { DedupActivities } from '../../contracts/activities.ts';
import { originsOfSite } from '../../domain/scope.ts';
import { storedStages } from '../../domain/stage.ts';
import { inTransaction, retrying } from '../../storage/postgres/index.ts';
import {
  type StageRow,
  bodiesInStage,
  type StagedBody,
  claimContents,
  contentOwners,
  type ContentOwner,
} from '../../storage/pages/index.ts';
import { seededSites } from '../../storage/seeds/index.ts';
import type { Dependencies } from '../dependencies.ts';

/** Bodies judged in one transaction. */
const batch = 500;

export function createDedup({
  pool,
  writer,
}: Pick<Dependencies, 'pool' | 'writer'>): DedupActivities['dedup'] {
  return async (host) => {
    let originals = 0;
    let aliases = 0;
    for (;;) {
      const bodies = await bodiesInStage(pool, host.hostId, storedStages.dedup, batch);
      if (bodies.length === 0) return { originals, aliases };
      const crawlIds = [...new Set(bodies.map((body) => body.crawl_id))];
      const seeded = await seededSites(pool, crawlIds, originsOfSite(host.origin));
      const sites = new Map(seeded.map(({ crawl_id, site }) => [crawl_id, site]));
      const claims = JSON.stringify(
        bodies.map(({ crawl_id, content_hash, host_id, key }) => {
          const site = sites.get(crawl_id) ?? 0;
          return { crawl_id, hash: content_hash.toString('hex'), site, host_id, key };
        }),
      );
      const owners = await retrying(() =>
        inTransaction(pool, async (db) => {
          await claimContents(db, claims);
          return contentOwners(db, claims);
        }),
      );
      const byHash = new Map(owners.map((owner) => [`${String(owner.crawl_id)} ${owner.hash}`, owner]));
      const stages = bodies.map((body) =>
        stageAfter(body, byHash.get(`${String(body.crawl_id)} ${body.content_hash.toString('hex')}`)),
      );
      await writer.write({ stages });
      const found = stages.filter(({ to }) => to === storedStages.none).length;
      aliases += found;
      originals += stages.length - found;
    }
  };
}

/** A page that owns its body goes on to extraction. Any other page is an alias of the owner, and is done. */
function stageAfter(body: StagedBody, owner: ContentOwner | undefined): StageRow {
  const place = { host_id: body.host_id, crawl_id: body.crawl_id, key: body.key, from: storedStages.dedup };
  if (owner === undefined || (owner.host_id === body.host_id && owner.key === body.key)) {
    return { ...place, to: storedStages.extract, alias_host: null, alias_key: null };
  }
  return { ...place, to: storedStages.none, alias_host: owner.host_id, alias_key: owner.key };
}
