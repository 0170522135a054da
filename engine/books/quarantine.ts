/** The verdicts on shapes of URLs of one crawl, as a process knows them. */
import { hostName } from '../../domain/opt-out.ts';
import { domainsAbove } from '../../domain/priority/trust.ts';
import { domainOfShape } from '../../domain/traps/shape.ts';
import { verdictUnder, type ShapeVerdict, type UrlVerdict } from '../../domain/traps/verdict.ts';
import type { ErrorSign } from '../../domain/soft-404/judge.ts';
import type { CanonicalUrl } from '../../domain/url.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import { verdictsAfter } from '../../storage/traps/index.ts';
import { shapedPart } from '../traps/observe.ts';

/** A sign of pages that are not there, with its row of the quarantine. */
interface HeldSign {
  readonly id: string;
  readonly shape: string;
  readonly sign: ErrorSign;
}

export class CrawlQuarantine {
  readonly #crawlId: number;
  #revision = 0;
  readonly #byOrigin = new Map<string, Map<string, ShapeVerdict>>();
  /** On all hosts below a domain. */
  readonly #byDomain = new Map<string, ShapeVerdict & { readonly shape: string }>();
  readonly #signs = new Map<string, HeldSign[]>();

  constructor(crawlId: number) {
    this.#crawlId = crawlId;
  }

  /** Reads what changed since the last call, if anything did. @param revision that the crawl has now */
  async follow(db: Queryable, revision: number): Promise<void> {
    if (revision <= this.#revision) return;
    for (const { id, origin, shape, verdict, sign } of await verdictsAfter(
      db,
      this.#crawlId,
      this.#revision,
    )) {
      if (sign !== null) {
        const others = (this.#signs.get(origin) ?? []).filter((known) => known.id !== id);
        if (verdict !== 'released') others.push({ id, shape, sign });
        this.#signs.set(origin, others);
        continue;
      }
      const domain = domainOfShape(shape);
      if (domain !== null) {
        if (verdict === 'released' || verdict === 'cleared') this.#byDomain.delete(domain);
        else this.#byDomain.set(domain, { id, verdict, shape });
        continue;
      }
      let shapes = this.#byOrigin.get(origin);
      if (shapes === undefined) this.#byOrigin.set(origin, (shapes = new Map<string, ShapeVerdict>()));
      if (verdict === 'released' || verdict === 'cleared') shapes.delete(shape);
      else shapes.set(shape, { id, verdict });
      if (shapes.size === 0) this.#byOrigin.delete(origin);
    }
    // Not that of the last verdict: a change of the revision need not have changed one.
    this.#revision = revision;
  }

  /** By what pages of the host are known that are not there. */
  readonly errorSigns = (origin: string): readonly HeldSign[] => this.#signs.get(origin) ?? [];

  /** Is there a verdict on a shape of this host, or on a domain above it? */
  readonly knows = (origin: string): boolean => this.#byOrigin.has(origin) || this.#below(origin) !== null;

  /** Is a shape of the URL suspected, and none held? */
  readonly suspects = (link: Pick<CanonicalUrl, 'canonical' | 'host'>): boolean =>
    this.knows(link.host) && this.verdict(link)?.kind === 'suspected';

  /** What the verdicts say of a URL; null: nothing. */
  readonly verdict = (link: Pick<CanonicalUrl, 'canonical' | 'host'>): UrlVerdict | null => {
    const shapes = this.#byOrigin.get(link.host);
    const own = shapes === undefined ? null : verdictUnder(shapes, shapedPart(link));
    return own?.kind === 'held' ? own : (this.#below(link.host) ?? own);
  };

  /** What is said of all hosts below a domain of this host. */
  #below(origin: string): UrlVerdict | null {
    if (this.#byDomain.size === 0) return null;
    const [, ...above] = domainsAbove(hostName(origin));
    for (const domain of above) {
      const found = this.#byDomain.get(domain);
      if (found === undefined) continue;
      const { verdict, id, shape } = found;
      return verdict === 'suspected' ? { kind: 'suspected' } : { kind: 'held', id, shape };
    }
    return null;
  }
}
