/**
 * Turns candidates into rows for the frontier: drops those seen before (levels 1 and 2), judges scope and filters, and
 * looks up their hosts. `store` writes them as well. Others write the rows in one transaction with what they found them
 * in; where the settings were edited in between, the candidates are judged `anew`. Then the rows are remembered as
 * seen, and idle hosts are woken.
 */
import { coveringDomain, hostName, optOutDetail, optOutReason } from '../../domain/opt-out.ts';
import { lastBy } from '../../domain/priority/place.ts';
import type { ScopeVerdict } from '../../domain/scope.ts';
import { quarantineDetail, type UrlVerdict } from '../../domain/traps/verdict.ts';
import { storedKinds } from '../../domain/url-kind.ts';
import { pageReasons } from '../../domain/url-reason.ts';
import type { CanonicalUrl } from '../../domain/url.ts';
import {
  type FrontierWrite,
  type FrontierWriter,
  type Written,
  orOutdated,
  type AdmissionRow,
  type JudgedBy,
} from '../../storage/frontier/index.ts';
import { urlKey } from '../../contracts/url-key.ts';
import type { SeenCache } from '../../storage/seen/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Books } from '../books/books.ts';
import type { Candidate } from './candidates.ts';
import { KnownLinks } from './known-links.ts';
import { promiseOf, scoreOf } from './scoring.ts';
import type { WakeHosts } from '../host-waker.ts';

/** Candidates, judged by the settings of their crawls. */
export interface Judged {
  readonly candidates: readonly Candidate[];
  /** Rows of those that may be new and belong to their crawl, one for each URL. */
  readonly admissions: readonly AdmissionRow[];
  /**
   * The settings by which candidates are `outside`. They must be held in the transaction that stores what depends on
   * them: a page is read only once, so a link that newer settings take would be lost.
   */
  readonly judged: readonly JudgedBy[];
  /** Those outside the scope of their crawl, each as often as it was found. */
  readonly outside: readonly Candidate[];
}

type Stored = Written & Pick<Judged, 'outside'>;

type AdmissionBooks = Pick<Books, 'hosts' | 'optOuts' | 'crawls' | 'ranks' | 'qualities'>;

export class Admission {
  readonly #seen: SeenCache;
  readonly #wakeHosts: WakeHosts;
  readonly #books: AdmissionBooks;
  readonly #known = new KnownLinks();

  constructor(
    { seen, wakeHosts }: { readonly seen: SeenCache; readonly wakeHosts: WakeHosts },
    books: AdmissionBooks,
  ) {
    this.#seen = seen;
    this.#wakeHosts = wakeHosts;
    this.#books = books;
  }

  /** Is this URL, as it is spelt, in the frontier of a crawl for certain? Then it need not become a candidate. */
  knows(crawl: OpenCrawl, url: string, as: 'page' | 'requisite' = 'page'): boolean {
    return namesOf(crawl, as).some((name) => this.#known.has(name, url));
  }

  /**
   * Has the frontier lost URLs since the crawl was opened? Then what the caches knew of it does not hold. A batch that
   * outlasts a restart of Postgres finds out only once it is written.
   */
  async hasLost({ id, seenAs }: OpenCrawl): Promise<boolean> {
    return (await this.#books.crawls.open(id)).seenAs !== seenAs;
  }

  /**
   * Stores the candidates that belong to their crawl, in one transaction with what `alongside` returns.
   * @param alongside gets the candidates outside the scope; called again if settings were edited in between
   */
  async store(
    writer: Pick<FrontierWriter, 'write'>,
    candidates: readonly Candidate[],
    alongside: (outside: readonly Candidate[]) => Omit<FrontierWrite, 'admissions' | 'judged'> = () => ({}),
  ): Promise<Stored> {
    let now = await this.judge(candidates);
    let stored = await this.#write(writer, now, alongside);
    for (; stored === 'outdated'; stored = await this.#write(writer, now, alongside))
      now = await this.anew(now);
    await this.remember(now);
    for (const crawl of new Set(candidates.map(({ crawl }) => crawl))) {
      if (!(await this.hasLost(crawl))) continue;
      const again = await this.#underCurrentSettings(candidates.filter((each) => each.crawl === crawl));
      const { admitted, queued, fresh, leased } = await this.store(writer, again);
      stored = {
        outside: stored.outside,
        fresh: [...stored.fresh, ...fresh],
        leased: [...stored.leased, ...leased],
        admitted: stored.admitted + admitted,
        queued: stored.queued + queued,
      };
    }
    return stored;
  }

  async #write(
    writer: Pick<FrontierWriter, 'write'>,
    { admissions, judged, outside }: Judged,
    alongside: (outside: readonly Candidate[]) => Omit<FrontierWrite, 'admissions' | 'judged'>,
  ): Promise<Stored | 'outdated'> {
    const more = alongside(outside);
    if (admissions.length + judged.length + Object.keys(more).length === 0)
      return { admitted: 0, queued: 0, fresh: [], leased: [], outside };
    const written = await orOutdated(writer.write({ ...more, admissions, judged }));
    return written === 'outdated' ? written : { ...written, outside };
  }

  /** The same candidates by the settings that are in force now. */
  async anew({ candidates }: Judged): Promise<Judged> {
    return this.judge(await this.#underCurrentSettings(candidates));
  }

  async #underCurrentSettings(candidates: readonly Candidate[]): Promise<Candidate[]> {
    const ids = [...new Set(candidates.map(({ crawl }) => crawl.id))];
    for (const id of ids) this.#books.crawls.forget(id);
    // One crawl at a time, each once: a page has thousands of links, but a process only a dozen connections.
    const crawls = new Map<number, OpenCrawl>();
    for (const id of ids) crawls.set(id, await this.#books.crawls.open(id));
    return candidates.map((each) => ({ ...each, crawl: crawls.get(each.crawl.id) ?? each.crawl }));
  }

  /** The rows are those of pages, unless only what a page needs is to be fetched there. */
  async judge(candidates: readonly Candidate[]): Promise<Judged> {
    const fresh = await this.#unseen(candidates);
    const optedOut = await this.#books.optOuts.current();
    const leftOutBy = new Map<string, JudgedBy>();
    const verdicts = await verdictsOn(fresh.map(({ candidate }) => candidate));
    const leftOut = new Set<string>();
    const inside = fresh.flatMap((found) => {
      const verdict = verdictOf(found.candidate, verdicts.get(found.candidate));
      if (verdict === 'outside') {
        const { id, version } = found.candidate.crawl;
        leftOut.add(nameOf(found.candidate));
        leftOutBy.set(`${String(id)} ${String(version)}`, { crawl_id: id, config_version: version });
        return [];
      }
      // Opt-outs last: a URL that only an opt-out keeps out can be queued when the opt-out is taken back.
      const shape = verdict === null ? quarantineOf(found.candidate) : null;
      const kept = shape?.kind === 'held' ? trapOf(shape) : verdict;
      return [{ ...found, verdict: kept ?? optOutOf(found.candidate.link, optedOut) }];
    });
    const judged = oneEach(inside);
    const ids = await this.#books.hosts.idsOf(judged.map(({ candidate }) => candidate.link.host));
    const ranks = await this.#books.ranks.placesOf(scoredHosts(judged.map(({ candidate }) => candidate)));
    const qualities = await this.#books.qualities.of(judged.map(({ candidate }) => candidate.link.host));
    const admissions = judged.map(({ candidate, key, verdict }): AdmissionRow => ({
      host_id: ids.get(candidate.link.host) ?? missing(candidate.link.host),
      crawl_id: candidate.crawl.id,
      config_version: candidate.crawl.version,
      key: key.toString('hex'),
      url: candidate.link.url,
      kind: storedKinds[candidate.kind],
      seed: candidate.seed,
      depth: Math.min(candidate.depth, 32_767),
      hops: candidate.hops,
      priority: placeOf(candidate, candidate.priority ?? firstScore(candidate, ids, ranks, qualities)),
      parent_host: candidate.parent?.hostId ?? null,
      parent_key: candidate.parent?.key ?? null,
      reason: verdict?.reason ?? null,
      detail: verdict?.detail ?? null,
      due_in_ms: candidate.dueInMs ?? 0,
      ...(verdict === null && { chain: candidate.chain }),
      host_limit: candidate.crawl.config.maxPagesPerHost,
      ...(hasFiles(candidate.crawl) && ({ turns: true } as const)),
      ...(candidate.crawl.topic !== null && verdict === null && { relevance: promised(candidate) }),
      ...(candidate.lastmod !== undefined && verdict === null && { lastmod: candidate.lastmod }),
    }));
    const outside = candidates.filter((each) => leftOut.has(nameOf(each)));
    return { candidates, admissions, judged: [...leftOutBy.values()], outside };
  }

  /** The rows must be committed. */
  async remember({ candidates, admissions: rows }: Judged): Promise<void> {
    const names = new Map(candidates.map(({ crawl }) => [crawl.id, crawl.seenAs]));
    this.#wakeHosts(rows.filter(({ reason }) => reason === null).map(({ host_id }) => host_id));
    for (const [crawlId, ofCrawl] of Map.groupBy(rows, (row) => row.crawl_id)) {
      const seenAs = names.get(crawlId);
      if (seenAs === undefined) continue;
      for (const [name, rows] of Map.groupBy(ofCrawl, (row) => nameAs(seenAs, row))) {
        await this.#seen.remember(
          name,
          rows.map(({ key }) => Buffer.from(key, 'hex')),
        );
        for (const { url } of rows) this.#known.add(name, url);
      }
    }
  }

  async #unseen(candidates: readonly Candidate[]): Promise<{ candidate: Candidate; key: Buffer }[]> {
    const distinct = new Map<string, Candidate>();
    for (const candidate of candidates) {
      const name = nameOf(candidate);
      if (!distinct.has(name)) distinct.set(name, candidate);
    }
    const unseen: { candidate: Candidate; key: Buffer }[] = [];
    const groups = Map.groupBy(distinct.values(), ({ crawl, kind }) => namesOf(crawl, kind).join(' '));
    for (const ofGroup of groups.values()) {
      const [{ crawl, kind }] = ofGroup as [Candidate];
      let left = ofGroup.map((candidate) => ({ candidate, key: urlKey(candidate.link.canonical) }));
      for (const name of namesOf(crawl, kind)) {
        const keys = left.map(({ key }) => key);
        const known = keys.length === 0 ? [] : await this.#seen.known(name, keys);
        for (const [at, { candidate }] of left.entries())
          if (known[at] === true) this.#known.add(name, candidate.link.url);
        left = left.filter((_, at) => known[at] !== true);
      }
      unseen.push(...left);
    }
    return unseen;
  }
}

/**
 * The names by which the caches know what is seen of a crawl. What is met only as what a page needs may become a page
 * where a link names it, and what is kept out only as a page may be needed by one, so each has a name of its own. The
 * latter is seen under these settings alone: once it is fetched as a file, links that other settings take make it a page.
 */
const asRequisite = (seenAs: string): string => `${seenAs}:requisites`;
const asLeftOut = (seenAs: string, version: number): string => `${seenAs}:left-out:${String(version)}`;

/** There may be URLs that are no pages, and that pages need: to be shown, or to be rendered. */
const hasFiles = ({ config, renders }: OpenCrawl): boolean => config.requisites || renders;

/** Names by which a URL may be known if it is met as this. */
const namesOf = (crawl: OpenCrawl, kind: Candidate['kind']): readonly string[] =>
  kind === 'requisite'
    ? [asRequisite(crawl.seenAs)]
    : [crawl.seenAs, ...(hasFiles(crawl) ? [asLeftOut(crawl.seenAs, crawl.version)] : [])];

/** The name by which a row is known from now on. */
function nameAs(seenAs: string, { kind, turns, reason, config_version: version }: AdmissionRow): string {
  if (kind === storedKinds.requisite) return asRequisite(seenAs);
  const isLeftOut = turns === true && reason !== null && pageReasons.includes(reason);
  return isLeftOut ? asLeftOut(seenAs, version) : seenAs;
}

/** A URL of a crawl, once as what a page needs and once as anything else: the rules for both differ. */
const nameOf = (candidate: Candidate): string =>
  `${urlOf(candidate)}${candidate.kind === 'requisite' ? ' needed' : ''}`;

/** Leaves each URL once. What is met both as a page and as what a page needs is a page, if that is to be fetched. */
function oneEach<T extends { readonly candidate: Candidate; readonly verdict: object | null }>(
  judged: readonly T[],
): T[] {
  const needed = new Map<string, T>();
  for (const each of judged) if (each.candidate.kind === 'requisite') needed.set(urlOf(each.candidate), each);
  if (needed.size === 0) return [...judged];
  const others = judged.filter((each) => {
    if (each.candidate.kind === 'requisite') return false;
    const name = urlOf(each.candidate);
    if (each.verdict !== null && needed.get(name)?.verdict === null) return false;
    needed.delete(name);
    return true;
  });
  return [...others, ...needed.values()];
}

const urlOf = ({ crawl, link }: Candidate): string => `${String(crawl.id)} ${link.canonical}`;

/** Origins of those whose score depends on how far their host is trusted. */
const scoredHosts = (candidates: readonly Candidate[]): string[] =>
  candidates.flatMap(({ priority, crawl, link }) =>
    priority === null && crawl.weights.trusted > 0 ? [link.host] : [],
  );

const promised = ({ crawl, link, promise }: Candidate): number => promise ?? promiseOf(crawl, link.url);

/** What is suspected (domain/traps/watch.ts) comes after whatever else waits at its host. */
function placeOf(candidate: Candidate, score: number): number {
  const { crawl, link, kind, seed } = candidate;
  const isSuspect = kind === 'page' && !seed && crawl.quarantine?.suspects(link) === true;
  return isSuspect ? Math.min(score, 1) - lastBy : score;
}

/** A URL that is found is linked to once: by the page that it was found on. */
function firstScore(
  candidate: Candidate,
  hostIds: ReadonlyMap<string, number>,
  ranks: ReadonlyMap<string, number>,
  qualities: ReadonlyMap<string, number>,
): number {
  const { crawl, link, parent, depth, parentPriority, lastmod = null } = candidate;
  const internal = parent !== null && parent.hostId === hostIds.get(link.host);
  const counted = { inboundHosts: parent === null || internal ? 0 : 1, inboundPages: internal ? 1 : 0 };
  const place = ranks.get(link.host) ?? null;
  const quality = qualities.get(link.host) ?? 1;
  const scored = { ...link, depth, parentPriority, lastmod, ...counted, relevance: promised(candidate) };
  return scoreOf(scored, crawl, place, quality, Date.now()).score;
}

/**
 * Verdicts by candidate. A sitemap that robots.txt names has none: it is read wherever it lies. The pages that a
 * sitemap names are judged one by one.
 */
async function verdictsOn(candidates: readonly Candidate[]): Promise<ReadonlyMap<Candidate, ScopeVerdict>> {
  const verdicts = new Map<Candidate, ScopeVerdict>();
  const ruled = candidates.filter(({ kind, parent }) => kind === 'page' || parent !== null);
  for (const [crawl, ofCrawl] of Map.groupBy(ruled, (candidate) => candidate.crawl)) {
    const answers = await crawl.judge(ofCrawl);
    for (const [at, candidate] of ofCrawl.entries()) {
      const answer = answers[at];
      if (answer !== undefined) verdicts.set(candidate, answer);
    }
  }
  return verdicts;
}

/** 'outside': gets no row in the frontier; an object: stored as excluded; null: to be fetched. */
function verdictOf(
  { refusal }: Candidate,
  verdict: ScopeVerdict | undefined,
): 'outside' | NonNullable<Candidate['refusal']> | null {
  if (verdict === undefined) return refusal ?? null;
  switch (verdict.verdict) {
    case 'admit':
      return refusal ?? null;
    case 'outside':
      return 'outside';
    case 'excluded':
      return { reason: verdict.reason, detail: verdict.detail };
  }
}

/** What the verdicts on its shapes say of a URL. A seed was asked for, and what is no page brings none by itself. */
const quarantineOf = ({ crawl, link, kind, seed }: Candidate): UrlVerdict | null =>
  seed || kind === 'sitemap' || kind === 'requisite' ? null : (crawl.quarantine?.verdict(link) ?? null);

const trapOf = ({
  id,
  shape,
}: UrlVerdict & { readonly kind: 'held' }): NonNullable<Candidate['refusal']> => ({
  reason: 'trap',
  detail: quarantineDetail(id, shape),
});

function optOutOf(link: CanonicalUrl, listed: ReadonlySet<string>): NonNullable<Candidate['refusal']> | null {
  const domain = coveringDomain(hostName(link.host), listed);
  return domain === null ? null : { reason: optOutReason, detail: optOutDetail(domain) };
}

function missing(origin: string): never {
  throw new Error(`no host row for ${origin}`);
}
