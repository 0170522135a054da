/** The verdicts on shapes of URLs of one crawl, as a process knows them. */
import { standingUnder, type ShapeVerdict, type UrlStanding } from '../../domain/traps/verdict.ts';
import type { CanonicalUrl } from '../../domain/url.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import { verdictsAfter } from '../../storage/traps/index.ts';
import { shapedPart } from '../traps/observe.ts';

export class CrawlQuarantine {
  readonly #crawlId: number;
  #revision = 0;
  readonly #byOrigin = new Map<string, Map<string, ShapeVerdict>>();

  constructor(crawlId: number) {
    this.#crawlId = crawlId;
  }

  /** Reads what changed since the last call, if anything did. @param revision that the crawl has now */
  async follow(db: Queryable, revision: number): Promise<void> {
    if (revision <= this.#revision) return;
    for (const { id, origin, shape, verdict, revision: of } of await verdictsAfter(
      db,
      this.#crawlId,
      this.#revision,
    )) {
      let shapes = this.#byOrigin.get(origin);
      if (shapes === undefined) this.#byOrigin.set(origin, (shapes = new Map<string, ShapeVerdict>()));
      if (verdict === 'released' || verdict === 'cleared') shapes.delete(shape);
      else shapes.set(shape, { id, verdict });
      if (shapes.size === 0) this.#byOrigin.delete(origin);
      this.#revision = Math.max(this.#revision, of);
    }
  }

  /** Is there a verdict on a shape of this host? */
  readonly knows = (origin: string): boolean => this.#byOrigin.has(origin);

  /** Is a shape of the URL suspected, and none held? */
  readonly suspects = (link: Pick<CanonicalUrl, 'canonical' | 'host'>): boolean =>
    this.knows(link.host) && this.standing(link)?.kind === 'suspected';

  /** What the verdicts say of a URL; null: nothing. */
  readonly standing = (link: Pick<CanonicalUrl, 'canonical' | 'host'>): UrlStanding | null => {
    const shapes = this.#byOrigin.get(link.host);
    return shapes === undefined ? null : standingUnder(shapes, shapedPart(link));
  };
}
