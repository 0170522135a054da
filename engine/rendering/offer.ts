/** Which pages are given to a browser, and whether there is one. */
import { rendersAny } from '../../domain/rendering/mode.ts';
import { renderReason, type RenderReason } from '../../domain/rendering/reason.ts';
import { canonicalize } from '../../domain/url.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import type { Extracted } from '../../contracts/extraction.ts';
import { anyRenderer } from '../../storage/instance/index.ts';
import { beginRendering } from '../../storage/rendering/index.ts';
import type { StagedBody } from '../../storage/pages/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { Gains } from './gains.ts';

/** Milliseconds for which it is believed that there is a browser, or none. */
const freshMs = 3_000;

const isHtml = ({ content_type: type }: Pick<StagedBody, 'content_type'>): boolean =>
  /\bx?html\b/i.test(type ?? 'text/html');

export class RenderingOffer {
  readonly #pool: Pool;
  readonly gains: Gains;
  #has = Promise.resolve(false);
  #askedAt = -Infinity;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.gains = new Gains(pool);
  }

  /**
   * Why a page is rendered, by its plain reading; null: it is not. What a browser made of it is read once and for all. From
   * then on the crawl is known to render pages.
   */
  async reasonOf(
    crawl: OpenCrawl,
    staged: Pick<StagedBody, 'host_id' | 'kind' | 'url' | 'rendered_without' | 'content_type'>,
    { shell, meta }: Extracted,
  ): Promise<RenderReason | null> {
    const isPlain = staged.rendered_without === null && staged.kind === storedKinds.page && isHtml(staged);
    if (!isPlain || !rendersAny(crawl.config)) return null;
    const link = canonicalize(staged.url);
    if (!link.ok) return null;
    const { canonical } = link.value;
    const page = { url: canonical, shell, needs: meta.needs ?? null, fromState: meta.fromState ?? false };
    // Of a crawl in which nothing was rendered nothing is asked.
    const known = crawl.renders ? await this.gains.of(crawl.tenantId, staged.host_id, canonical) : null;
    const reason = renderReason(page, crawl.renderMode(canonical), known, Date.now() / 1_000);
    if (reason === null || !(await this.isThere())) return null;
    if (!crawl.renders) await beginRendering(this.#pool, crawl.id);
    return reason;
  }

  /** Does any process render pages? */
  isThere(): Promise<boolean> {
    if (performance.now() - this.#askedAt < freshMs) return this.#has;
    this.#askedAt = performance.now();
    this.#has = anyRenderer(this.#pool).then(([row]) => row?.has === true);
    // Whoever waits for it is told; the next one asks again.
    this.#has.catch(() => (this.#askedAt = -Infinity));
    return this.#has;
  }
}
