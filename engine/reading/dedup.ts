/**
 * Exact duplicates (F20): the first page of a crawl with a certain body stands for all pages with it. The others become
 * its aliases and are not read, or are rendered by a browser where the body says nothing without one. On a site with a seed, only pages of the same site can make a page an alias. So a copy
 * of a whole site that a crawl happens to meet is not crawled again, but a copy that has a seed is.
 */
import { originsOfSite } from '../../domain/scope.ts';
import { storedStages } from '../../domain/stage.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import { inTransaction, type Pool } from '../../storage/postgres/index.ts';
import {
  advanceStages,
  type StageRow,
  type StagedBody,
  claimContents,
  contentOwners,
  type ContentClaim,
  type ContentOwner,
} from '../../storage/pages/index.ts';
import { seededSites } from '../../storage/seeds/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { count } from '../metrics/counters.ts';

type Judging = Pick<Dependencies, 'pool'> & {
  readonly rendering: Pick<Dependencies['rendering'], 'isThere'>;
};

/**
 * Judges bodies of any hosts, in one transaction.
 * @param repeated is told of the pages that are not read, once that is stored
 */
export function createDedup(
  { pool, rendering }: Judging,
  repeated: (bodies: readonly StagedBody[]) => Promise<void>,
): (bodies: readonly StagedBody[]) => Promise<void> {
  return async (bodies) => {
    const sites = await sitesOf(pool, bodies);
    const renders = await rendering.isThere();
    // The answer to a made-up path is always read, and never stands for a page.
    const claims = bodies
      .filter(({ kind }) => kind !== storedKinds.probe)
      .map((body) => {
        const { crawl_id, content_hash, host_id, key } = body;
        const isPage = body.kind !== storedKinds.requisite;
        const site = isPage ? (sites.get(nameOf(host_id, crawl_id)) ?? 0) : ofRequisites;
        return { crawl_id, hash: content_hash.toString('hex'), site, host_id, key, body };
      });
    const rows = (some: typeof claims): string => JSON.stringify(some.map(({ body: _, ...row }) => row));
    // A claim for no site gives way to the claims of sites, so these come first.
    const [ofSites, ofNone] = [claims.filter(({ site }) => site > 0), claims.filter(({ site }) => site <= 0)];
    const stages = await inTransaction(pool, async (db) => {
      for (const some of [ofSites, ofNone]) if (some.length > 0) await claimContents(db, rows(some));
      const owners = await contentOwners(db, rows(claims));
      const byClaim = new Map(owners.map((owner) => [claimName(owner), owner]));
      const judged = claims.map((claim) => stageAfter(claim.body, byClaim.get(claimName(claim)), renders));
      const probes = bodies.filter(({ kind }) => kind === storedKinds.probe);
      // In the transaction of the claim: a page that stands for a body points at it.
      await advanceStages(
        db,
        JSON.stringify([...judged, ...probes.map((probe) => stageAfter(probe, undefined, renders))]),
      );
      return judged;
    });
    const copies = claims.flatMap(({ body, site }, at) =>
      stages[at]?.to === storedStages.none && site !== ofRequisites ? [body] : [],
    );
    count('bodies_total', { as: 'copy' }, copies.length);
    await repeated(copies);
  };
}

/**
 * The claim of a page on its body. Null: a page of the crawl stands for the body, so it is yet to be judged whether this one
 * is a copy.
 * @param isKnown false: the archive did not have the body
 */
export async function newClaim(
  pool: Pool,
  { crawl_id, content_id, content_hash, host_id, key, origin }: StagedBody,
  isKnown: boolean,
): Promise<ContentClaim | null> {
  const hash = content_hash.toString('hex');
  const owners = isKnown ? await contentOwners(pool, JSON.stringify([{ crawl_id, hash, site: 0 }])) : [];
  return owners.length > 0
    ? null
    : { content_id, crawl_id, hash, host_id, key, origins: originsOfSite(origin) };
}

/** By host and crawl: the site with a seed to which the host belongs, if there is one. */
async function sitesOf(pool: Pool, bodies: readonly StagedBody[]): Promise<ReadonlyMap<string, number>> {
  const places = new Map(
    bodies.map(({ host_id, crawl_id, origin }) => [
      nameOf(host_id, crawl_id),
      { host_id, crawl_id, origins: originsOfSite(origin) },
    ]),
  );
  const seeded = await seededSites(pool, JSON.stringify([...places.values()]));
  return new Map(seeded.map(({ host_id, crawl_id, site }) => [nameOf(host_id, crawl_id), site]));
}

const nameOf = (hostId: number, crawlId: number): string => `${String(hostId)} ${String(crawlId)}`;
const claimName = ({ crawl_id: id, hash, site }: Pick<ContentOwner, 'crawl_id' | 'hash' | 'site'>): string =>
  `${String(id)} ${hash} ${String(site)}`;

/** What pages need stands for no page, and no page for it: a picture that is missing may be answered with the home page. */
const ofRequisites = -1;

const isStyleSheet = (type: string | null): boolean => /^\s*text\/css\b/i.test(type ?? '');

/**
 * A page that owns its body goes on to extraction, as does a style sheet of one. Any other page is an alias of the owner, and
 * is done; but a body that says nothing without a browser makes nobody an alias while there is one: what it was read for is
 * known, and each page is rendered.
 */
function stageAfter(body: StagedBody, owner: ContentOwner | undefined, renders: boolean): StageRow {
  const place = { host_id: body.host_id, crawl_id: body.crawl_id, key: body.key, from: storedStages.dedup };
  const isRead = body.kind !== storedKinds.requisite || isStyleSheet(body.content_type);
  const content = { content_id: owner?.content_id ?? null };
  if (owner === undefined || (owner.host_id === body.host_id && owner.key === body.key)) {
    const to = isRead ? storedStages.extract : storedStages.none;
    return { ...place, ...content, to, alias_host: null, alias_key: null };
  }
  if (renders && owner.shell !== null && body.kind === storedKinds.page && body.rendered_without === null)
    return { ...place, ...content, to: storedStages.render, alias_host: null, alias_key: null };
  const { host_id: alias_host, key: alias_key } = owner;
  return { ...place, ...content, to: storedStages.none, alias_host, alias_key };
}
