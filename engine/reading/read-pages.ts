/**
 * Reads original bodies: stores what is in them and admits their links to the frontier. The end of their stage is
 * committed together with both, so that a crash repeats a page or finds it done.
 */
import { storedStages } from '../../domain/stage.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Extractor } from '../../content/extract.ts';
import { noRequisites, type Requisites } from '../../content/requisites.ts';
import { looksLikeSitemap } from '../../content/sitemap.ts';
import { linksTaken } from '../../domain/host-quality.ts';
import { cutBy, type Cut } from '../../domain/limits.ts';
import type { RenderReason } from '../../domain/rendering/reason.ts';
import { shellReasons } from '../../domain/rendering/shell.ts';
import {
  type StageRow,
  type StagedBody,
  requeueLostBodies,
  turnIntoSitemap,
} from '../../storage/pages/index.ts';
import { isDocument } from '../../content/documents.ts';
import { needTree } from '../../contracts/page-rules.ts';
import type { ReadDocument, RuledPage } from '../../contracts/extraction.ts';
import { DocumentTurn } from './document-turn.ts';
import { readPage, type PageRead } from './read-page.ts';
import { RepeatedBlocks } from './repeated-blocks.ts';
import { RulesTurn } from './rules-turn.ts';
import { retrying } from '../../storage/postgres/index.ts';
import { noteSitemap } from '../../storage/sitemaps/index.ts';
import type { AdmissionRow, FrontierWrite, FrontierWriter } from '../../storage/frontier/index.ts';
import { type Candidate, type Candidates, candidatesOf } from '../admission/candidates.ts';
import type { Admission } from '../admission/admission.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Dependencies } from '../dependencies.ts';
import { count, observe } from '../metrics/counters.ts';
import { admitFromSheet, neededBy, requisiteCandidates } from './requisites.ts';
import { createSitemapAdmission } from './sitemap.ts';

/** Most bodies that are committed together; as many are read meanwhile. */
const commitBatch = 20;
/** Most links admitted in one statement: it takes some 50 ms, and a few MB while they are judged. */
const linkBatch = 2_000;
/** A larger page takes more than some ten milliseconds of the thread that serves the sockets of a fetching process. */
const mostAtHand = 256 * 1024;

interface Reading extends PageRead {
  /** What the page needs to be shown. */
  readonly needed: Requisites;
  /** The detail under which it is held as soft 404; null: it is not. */
  readonly held: string | null;
  /** Why a browser is to render it; null: none is. What it says until then counts for nothing but its links. */
  readonly renderedFor: RenderReason | null;
}

interface Ready {
  /** Candidates to write in one transaction with the page. */
  readonly candidates: readonly Candidate[];
  readonly cut: Cut;
  /** New rows that were written before. */
  readonly fresh: readonly AdmissionRow[];
}

/** A page that was read, and is not stored yet. */
export interface Opened {
  readonly reading: Reading;
  readonly ready: Ready;
}

type Stored = Awaited<ReturnType<Admission['store']>>;

/** Reads bodies of any hosts. Documents may stay in their stage, to be found again. */
export class PageReader {
  readonly #dependencies: Dependencies;
  readonly #extractor: Extractor;
  readonly #documentsMs: number | undefined;
  readonly #admitSitemap: ReturnType<typeof createSitemapAdmission>;
  readonly #repeated: RepeatedBlocks;

  constructor(dependencies: Dependencies, extractor: Extractor, documentsMs?: number) {
    this.#dependencies = dependencies;
    this.#extractor = extractor;
    this.#documentsMs = documentsMs;
    this.#admitSitemap = createSitemapAdmission(dependencies, dependencies.admission);
    this.#repeated = new RepeatedBlocks(dependencies.pool);
  }

  async read(bodies: readonly StagedBody[]): Promise<void> {
    const pages: StagedBody[] = [];
    for (const body of bodies) {
      if (body.kind === storedKinds.probe) await this.#readProbe(body);
      else if (body.kind === storedKinds.requisite) await this.#readRequisite(body);
      else if (await this.#isSitemap(body)) await this.#extractSitemap(body);
      else pages.push(body);
    }
    await this.#extractPages(pages);
  }

  /**
   * Reads a page whose body is at hand. Null: it is left to the lanes, since it may take long, is no page after all, is
   * held as soft 404, or is to be rendered.
   */
  async readAtHand(staged: StagedBody, crawl: OpenCrawl, body: Uint8Array): Promise<Opened | null> {
    const isLong = body.length > mostAtHand || needTree(crawl.config.rules);
    if (isLong || isDocument(staged.content_type, body) || (staged.seed && looksLikeSitemap(body)))
      return null;
    const reading = await this.#readBody(staged, crawl, body, null, null);
    const isLanes = reading.held !== null || reading.renderedFor !== null;
    if (isLanes || reading.links.length > linkBatch) return null;
    return { reading, ready: await this.#admitFirst(reading) };
  }

  /** Null: it is missing or damaged. */
  #bodyOf({ content_hash: hash, record }: StagedBody): Promise<Uint8Array | null> {
    return this.#dependencies.blobs.get(hash, record);
  }

  async #readOne(
    staged: StagedBody,
    turn: DocumentTurn,
    rulesTurn: RulesTurn,
  ): Promise<Reading | 'lost' | 'later'> {
    if (turn.isLater(staged.content_type)) return 'later';
    const crawl = await this.#dependencies.books.crawls.open(staged.crawl_id);
    if (rulesTurn.isLater(crawl)) return 'later';
    const body = await this.#bodyOf(staged);
    if (body === null) return 'lost';
    if (turn.isLater(staged.content_type, body)) return 'later';
    const document = await turn.read(staged.content_type, body);
    const ruled = document === null ? await rulesTurn.read(crawl, staged, body) : null;
    return this.#readBody(staged, crawl, body, document, ruled);
  }

  async #readBody(
    staged: StagedBody,
    crawl: OpenCrawl,
    body: Uint8Array,
    document: ReadDocument | null,
    ruled: RuledPage | null,
  ): Promise<Reading> {
    const { books, soft404, rendering } = this.#dependencies;
    const quality = (await books.qualities.of([staged.origin])).get(staged.origin) ?? 1;
    const mostLinks = linksTaken(crawl.config.maxLinksPerPage, quality);
    const repeated = await this.#repeated.of(crawl, staged);
    const reading = readPage(this.#extractor, staged, crawl, body, mostLinks, { document, ruled, repeated });
    const needed = document === null ? neededBy(staged, crawl, body) : noRequisites;
    const renderedFor = document === null ? await rendering.reasonOf(crawl, staged, reading.extracted) : null;
    if (renderedFor !== null)
      return { ...toBeRendered(reading, renderedFor), needed, held: null, renderedFor };
    const held = soft404.heldAs(crawl, staged, reading.extracted, reading.page.text_hash);
    return { ...reading, needed, held, renderedFor };
  }

  /**
   * Admits the links of a page that do not fit into its last write, and returns those that do. Links outside the scope
   * are among those returned, so that they are judged again with the last write, which holds the settings that leave
   * them out.
   */
  async #admitFirst({ staged, crawl, links, promises, cut, needed }: Reading): Promise<Ready> {
    const { writer, admission } = this.#dependencies;
    let at = 0;
    let longUrls = 0;
    const open: Candidate[] = [];
    const fresh: AdmissionRow[] = [];
    const next = (until: number): readonly Candidate[] => {
      const unknown = links.slice(at, until).filter((url) => !admission.knows(crawl, url));
      const part = linkCandidates(staged, crawl, unknown, promises);
      longUrls += part.longUrls;
      return part.candidates;
    };
    for (; links.length - at > linkBatch; at += linkBatch) {
      const written = await admission.store(writer, next(at + linkBatch));
      open.push(...written.outside);
      fresh.push(...written.fresh);
    }
    const files = requisiteCandidates(admission, staged, crawl, needed);
    open.push(...next(links.length), ...files.candidates);
    const ofPage = { longUrls: longUrls + files.longUrls, renderedFiles: staged.rendered_without ?? 0 };
    return { candidates: open, cut: cutBy(cut, needed.cut, ofPage), fresh };
  }

  /** Admits all links of a page again: the caches that left some of them out were wrong. */
  async #admitAgain({ staged, crawl: { id }, links, promises, needed }: Reading): Promise<void> {
    const { writer, books, admission } = this.#dependencies;
    const crawl = await books.crawls.open(id);
    await admission.store(writer, requisiteCandidates(admission, staged, crawl, needed).candidates);
    for (let at = 0; at < links.length; at += linkBatch) {
      const part = linkCandidates(staged, crawl, links.slice(at, at + linkBatch), promises);
      await admission.store(writer, part.candidates);
    }
  }

  async #fetchAgain(lost: readonly StagedBody[]): Promise<void> {
    const { pool, log } = this.#dependencies;
    for (const [hostId, ofHost] of Map.groupBy(lost, ({ host_id: id }) => id)) {
      log.warn(
        { host: ofHost[0]?.origin, bodies: ofHost.length },
        'bodies are missing or damaged; their URLs are fetched again',
      );
      const rows = ofHost.map(({ crawl_id, key }) => ({ crawl_id, key }));
      await retrying(() => requeueLostBodies(pool, String(hostId), JSON.stringify(rows)));
    }
  }

  /** A seed may turn out to be a sitemap. */
  async #isSitemap(staged: StagedBody): Promise<boolean> {
    if (staged.kind === storedKinds.sitemap) return true;
    if (!staged.seed) return false;
    const body = await this.#bodyOf(staged);
    if (body === null || !looksLikeSitemap(body)) return false;
    const { pool } = this.#dependencies;
    await retrying(() => turnIntoSitemap(pool, staged.host_id, staged.crawl_id, staged.key));
    return true;
  }

  async #extractSitemap(staged: StagedBody): Promise<void> {
    const { pool, writer, books } = this.#dependencies;
    const body = await this.#bodyOf(staged);
    if (body === null) return this.#fetchAgain([staged]);
    const { cut, report } = await this.#admitSitemap(staged, await books.crawls.open(staged.crawl_id), body);
    await retrying(() => noteSitemap(pool, staged, report));
    await writer.write({ stages: [stageEnd(staged, cut)] });
  }

  async #readRequisite(staged: StagedBody): Promise<void> {
    const { writer, books } = this.#dependencies;
    const body = await this.#bodyOf(staged);
    if (body === null) return this.#fetchAgain([staged]);
    const crawl = await books.crawls.open(staged.crawl_id);
    const cut = await admitFromSheet(this.#dependencies, staged, crawl, body);
    await writer.write({ stages: [stageEnd(staged, cut)] });
  }

  async #readProbe(staged: StagedBody): Promise<void> {
    const { writer, soft404 } = this.#dependencies;
    const reading = await this.#readOne(staged, new DocumentTurn(), new RulesTurn());
    if (typeof reading !== 'string') await soft404.answered(staged, reading.extracted);
    await writer.write({ stages: [stageEnd(staged, {})] });
  }

  /**
   * Stores pages with their links, and with what `alongside` makes of the ends of their stages, in one transaction.
   * `finish` must follow.
   */
  async store(
    batch: readonly Opened[],
    writer: Pick<FrontierWriter, 'write'>,
    alongside: (
      ends: readonly StageEnd[],
    ) => Omit<FrontierWrite, 'admissions' | 'judged' | 'pages' | 'prints'>,
  ): Promise<Stored> {
    const { admission, soft404 } = this.#dependencies;
    for (const { reading } of batch)
      if (isToldOf(reading)) await soft404.ask(reading.crawl, reading.staged, reading.extracted);
    const pages = batch.map(({ reading }) => reading.page);
    const prints = batch.flatMap(({ reading: { print } }) => (print === null ? [] : [print]));
    const found = batch.flatMap(({ ready }) => ready.candidates);
    return admission.store(writer, found, (outside) => {
      const leftOut = Map.groupBy(outside, ({ crawl, parent }) => nameOf(crawl.id, parent));
      const ends = batch.map(({ reading: { staged, held, renderedFor }, ready }) => {
        const name = nameOf(staged.crawl_id, { hostId: staged.host_id, key: staged.key });
        const cut = cutBy(ready.cut, { outside: leftOut.get(name)?.length ?? 0 });
        if (renderedFor !== null)
          return { ...stageEnd(staged, cut, storedStages.render), rendered_for: renderedFor };
        const end = stageEnd(staged, cut);
        return held === null ? end : { ...end, held };
      });
      return { pages, prints, ...alongside(ends) };
    });
  }

  /** Has all who count pages count those that were stored. */
  async finish(batch: readonly Opened[], written: Stored): Promise<void> {
    const { admission, links: tally, traps, soft404, rendering } = this.#dependencies;
    const good = batch.flatMap(({ reading }) => (isToldOf(reading) ? [reading] : []));
    count('bodies_total', { as: 'page' }, batch.length);
    const links = written.fresh.filter(({ kind }) => kind !== storedKinds.requisite);
    const fresh = Map.groupBy(links, (row) => `${String(row.crawl_id)} ${row.parent_key ?? ''}`);
    for (const { reading, ready } of batch) {
      if (reading.renderedFor !== null) continue;
      const { staged, crawl, links: found, promises, extracted } = reading;
      observe('page_links', found.length);
      tally.note(crawl, staged, found, promises);
      const own = fresh.get(`${String(staged.crawl_id)} ${staged.key}`) ?? [];
      const added = [...ready.fresh, ...own];
      count('links_total', { as: 'new' }, added.length);
      count('links_total', { as: 'known' }, Math.max(0, found.length - added.length));
      traps.read(crawl, staged, extracted, added);
    }
    await this.#repeated.count(good);
    await traps.save();
    for (const { reading } of batch)
      if (await admission.hasLost(reading.crawl)) await this.#admitAgain(reading);
    await soft404.stored(good.map(({ staged }) => staged));
    await tally.flush();
    await rendering.gains.note(
      batch.map(({ reading: { staged, page } }) => ({ page: staged, words: page.words, links: page.links })),
    );
  }

  /** Commits a few pages together, or a page with many links alone: bounds memory and the size of a transaction. */
  async #extractPages(bodies: readonly StagedBody[]): Promise<void> {
    const { writer } = this.#dependencies;
    let open: Opened[] = [];
    let links = 0;
    const commit = async (batch: readonly Opened[]): Promise<void> => {
      const written = await this.store(batch, writer, (stages) => ({ stages }));
      await this.finish(batch, written);
    };
    let committing: Promise<void> = Promise.resolve();
    /** The next pages are read meanwhile; one commit of a lane is under way at a time. */
    const commitOpen = async (): Promise<void> => {
      await committing;
      committing = commit(open);
      // Whether it fails is asked before the next commit, and in the end.
      committing.catch(() => undefined);
      open = [];
      links = 0;
    };
    const lost: StagedBody[] = [];
    const turn = new DocumentTurn(this.#documentsMs);
    const rulesTurn = new RulesTurn();
    try {
      for (const staged of bodies) {
        const reading = await this.#readOne(staged, turn, rulesTurn);
        if (reading === 'lost') lost.push(staged);
        if (typeof reading === 'string') continue;
        // Reading a page takes about a millisecond: the process serves its sockets in between.
        await breathe();
        if (open.length > 0 && (open.length === commitBatch || links + reading.links.length > linkBatch)) {
          await commitOpen();
        }
        const ready = await this.#admitFirst(reading);
        links += ready.candidates.length;
        open.push({ reading, ready });
      }
      if (open.length > 0) await commitOpen();
    } finally {
      // Before the end is known, nobody may read these pages again.
      await committing;
    }
    await this.#fetchAgain(lost);
  }
}

/**
 * Shells look like one another: that is no sign of copies, of pages that are not there, or of a limit that is reached. Nor
 * does a page lack a browser while it waits for one; it does where its rendering ends without one (`cutOfKept`).
 */
const toBeRendered = (reading: PageRead, shell: RenderReason): PageRead => ({
  ...reading,
  cut: { ...reading.cut, emptyShells: 0 },
  // A sample says nothing of other pages with its body.
  page: {
    ...reading.page,
    text_hash: null,
    waits: true,
    ...(shell in shellReasons || shell === 'asked' ? { shell } : {}),
  },
  print: null,
});

/** Those who judge pages by what they say hear of it. */
const isToldOf = ({ held, renderedFor }: Reading): boolean => held === null && renderedFor === null;

const nameOf = (crawlId: number, page: Candidate['parent']): string =>
  `${String(crawlId)} ${String(page?.hostId)} ${String(page?.key)}`;

/** The end of the stages of a page, with what limits left out of it. */
type StageEnd = StageRow & { readonly cut: Cut };

const stageEnd = (
  { host_id, crawl_id, key, content_id }: StagedBody,
  cut: Cut,
  to: StageRow['to'] = storedStages.none,
): StageEnd => ({
  host_id,
  crawl_id,
  key,
  from: storedStages.extract,
  to,
  cut,
  alias_host: null,
  alias_key: null,
  content_id,
});

const linkCandidates = (
  page: StagedBody,
  crawl: OpenCrawl,
  urls: readonly string[],
  promises: ReadonlyMap<string, number> | null,
): Candidates =>
  candidatesOf(crawl, urls, (url) => {
    const promise = promises?.get(url);
    return { in: 'page', page, ...(promise !== undefined && { promise }) };
  });
