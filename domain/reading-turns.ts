/** Whose bodies are read next (docs/design.md, "Reading in lanes"). */

/** A crawl with unread bodies. */
export interface UnreadCrawl {
  readonly crawlId: number;
  readonly tenantId: number;
  /** Hosts where bodies of the crawl wait, in the order of their turns. */
  readonly hosts: readonly number[];
}

export interface ReadingTurn {
  readonly crawlId: number;
  readonly hostId: number;
  /** Most bodies of the crawl that are read at the host. */
  readonly bodies: number;
}

/**
 * Deals `bodies` turns out, one at a time: tenants in turn, within a tenant its crawls, within a crawl its hosts. So a
 * crawl gets the same share however many bodies of others wait, and the first hosts of each crawl are served.
 * @param crawls in the order of their turns, which matters where they are more than `bodies`
 */
export function readingTurns(crawls: readonly UnreadCrawl[], bodies: number): readonly ReadingTurn[] {
  const unread = crawls.filter(({ hosts }) => hosts.length > 0).map((crawl) => ({ ...crawl, dealt: 0 }));
  const tenants = [...Map.groupBy(unread, ({ tenantId }) => tenantId).values()];
  const given = new Map<string, ReadingTurn>();
  for (let dealt = 0; dealt < bodies; dealt++) {
    const ofTenant = tenants[dealt % tenants.length] ?? [];
    const crawl = ofTenant[Math.floor(dealt / tenants.length) % ofTenant.length];
    const hostId = crawl?.hosts[crawl.dealt++ % crawl.hosts.length];
    if (crawl === undefined || hostId === undefined) break;
    const { crawlId } = crawl;
    const name = `${String(crawlId)} ${String(hostId)}`;
    given.set(name, { crawlId, hostId, bodies: (given.get(name)?.bodies ?? 0) + 1 });
  }
  return [...given.values()];
}
