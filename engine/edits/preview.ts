/** What an edit would do to a crawl's frontier (G6): the walk of apply.ts, without changing anything. */
import type { CrawlConfig } from '../../contracts/crawl.ts';
import type { EditPreview } from '../../contracts/http/edits.ts';
import { urlKey } from '../../contracts/url-key.ts';
import type { LinkFacts } from '../../domain/scope.ts';
import type { ExcludedReason } from '../../domain/url-reason.ts';
import type { CanonicalUrl } from '../../domain/url.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import {
  hostsAtLimit,
  lifeAfter,
  limitedUrls,
  pagesToReread,
  urlsToJudge,
  type RuledUrl,
} from '../../storage/edits/index.ts';
import { knownUrls } from '../../storage/frontier/index.ts';
import { withSession } from '../../storage/sessions/index.ts';
import { placeOf } from '../admission/candidates.ts';
import {
  admitsLimited,
  cutByLimit,
  judgeAgain,
  judgeEach,
  reached,
  roomAt,
  rulesOf,
  type Rules,
} from './judgement.ts';
import { storedBatches, type StoredLink } from './stored-links.ts';

const urlBatch = 5_000;
const hostBatch = 1_000;
const pageBatch = 20;
/** Links judged in one step. */
const linkBatch = 2_000;
/** Most rules and hosts that are counted one by one, and most that are listed. */
const told = 10_000;
const listed = 100;
/** Most links that are remembered so that each counts once: some 30 MB. */
const linksTold = 300_000;

/** @param budgetMs after this time it returns what it has counted so far, with `complete` false */
export async function previewEdit(
  pool: Pool,
  crawl: { readonly id: string; readonly config: CrawlConfig },
  wanted: CrawlConfig,
  budgetMs: number,
): Promise<EditPreview> {
  const until = performance.now() + budgetMs;
  const under = await lifeAfter(pool, crawl.id, crawl.config, wanted);
  const ends = under.life === 'ends' ? under.by : null;
  const rules = rulesOf(pool, crawl.id, await withSession(pool, crawl.id, wanted), ends !== null);
  const effect = new Effect(ends !== null);
  let whole =
    (await walkUrls(pool, crawl.id, rules, effect, until)) &&
    (ends !== null ||
      (await walkHosts(pool, crawl.id, { limit: wanted.maxPagesPerHost, rules }, effect, until)));
  let links: number | null = null;
  if (whole && ends === null && crawl.config.scope !== wanted.scope) {
    const found = await walkLinks(pool, crawl.id, rules, until);
    ({ links } = found);
    whole = found.whole;
  }
  return { ...effect.told(), links, ends, goesOn: under.life === 'goes-on', complete: whole };
}

async function walkUrls(
  pool: Pool,
  crawlId: string,
  rules: Rules,
  effect: Effect,
  until: number,
): Promise<boolean> {
  for (let hostId = 0, key = ''; ;) {
    const rows = await urlsToJudge(pool, crawlId, hostId, key, rules.movable, urlBatch);
    const last = rows.at(-1);
    if (last === undefined) return true;
    ({ host_id: hostId, key } = last);
    const isOver = (): boolean => performance.now() > until;
    const moves = await judgeEach(await reached(rows, rules), (each) => judgeAgain(each, rules), isOver);
    for (const [at, moved] of moves.entries()) {
      const row = rows[at];
      if (row !== undefined) effect.note(row, moved);
    }
    if (isOver()) return false;
  }
}

async function walkHosts(
  pool: Pool,
  crawlId: string,
  { limit, rules }: { readonly limit: number; readonly rules: Rules },
  effect: Effect,
  until: number,
): Promise<boolean> {
  for (let hostId = 0; ;) {
    const hosts = await hostsAtLimit(pool, crawlId, hostId, hostBatch);
    const last = hosts.at(-1);
    if (last === undefined) return true;
    for (const host of hosts) {
      const room = roomAt(host, limit);
      if (room === 0) continue;
      const { filled, whole } = await fillHost(pool, crawlId, host.host_id, room, rules, until);
      effect.noteFilled(host.origin, filled);
      if (!whole) return false;
    }
    hostId = last.host_id;
    if (performance.now() > until) return false;
  }
}

/** How much of the room at a host would be filled by URLs that the rules admit. */
async function fillHost(
  pool: Pool,
  crawlId: string,
  hostId: number,
  room: number,
  rules: Rules,
  until: number,
): Promise<{ readonly filled: number; readonly whole: boolean }> {
  let filled = 0;
  for (let key = ''; filled < room;) {
    const rows = await limitedUrls(pool, crawlId, hostId, key, urlBatch);
    const last = rows.at(-1);
    if (last === undefined) break;
    ({ key } = last);
    const isOver = (): boolean => performance.now() > until;
    const admits = await judgeEach(await reached(rows, rules), (each) => admitsLimited(each, rules), isOver);
    filled = Math.min(room, filled + admits.filter((admitted) => admitted).length);
    if (isOver()) return { filled, whole: filled === room };
  }
  return { filled, whole: true };
}

/** Counts links of stored pages that are not in the frontier and that the settings admit. */
async function walkLinks(
  pool: Pool,
  crawlId: string,
  { judge, within }: Rules,
  until: number,
): Promise<{ readonly links: number; readonly whole: boolean }> {
  const met = new Set<string>();
  let links = 0;
  for (let hostId = 0, pageKey = ''; ;) {
    const pages = await pagesToReread(pool, crawlId, hostId, pageKey, pageBatch);
    const last = pages.at(-1);
    if (last === undefined) return { links, whole: true };
    ({ host_id: hostId, key: pageKey } = last);
    for (const stored of storedBatches(pages, linkBatch)) {
      const fresh = new Map<string, CanonicalUrl>();
      const inside = await within(stored.map(({ link }) => link));
      const admits = await judgeEach(
        stored.map((each, at) => ({ ...each, inside: inside[at] === true })),
        (each) => judge(each.link, linkFacts(each)).verdict === 'admit',
        () => performance.now() > until,
      );
      for (const { link } of stored.filter((_, at) => admits[at] === true)) {
        const key = urlKey(link.canonical).toString('hex');
        if (!met.has(key)) fresh.set(key, link);
      }
      const places = [...fresh].map(([key, link]) => ({ origin: link.host, key }));
      const known = await knownUrls(pool, crawlId, JSON.stringify(places));
      for (const key of fresh.keys()) met.add(key);
      links += fresh.size - known.length;
      if (performance.now() > until || met.size > linksTold) return { links, whole: false };
    }
  }
}

const linkFacts = ({ page, inside }: StoredLink & Pick<LinkFacts, 'inside'>): LinkFacts => ({
  depth: placeOf({ in: 'page', page }).depth,
  seed: false,
  inside,
});

type Moved = ReturnType<typeof judgeAgain>;
interface Counts {
  excluded: number;
  readmitted: number;
}

class Effect {
  readonly #ends: boolean;
  #judged = 0;
  #queued = 0;
  readonly #sum: Counts = { excluded: 0, readmitted: 0 };
  readonly #rules = new Map<
    string,
    Counts & { readonly reason: ExcludedReason; readonly rule: string | null }
  >();
  readonly #hosts = new Map<string, Counts>();

  /** @param ends the edit ends the crawl: whatever is queued is excluded */
  constructor(ends: boolean) {
    this.#ends = ends;
  }

  note(row: RuledUrl, byRules: Moved): void {
    const moved = this.#ends ? cutByLimit(row, byRules) : byRules;
    this.#judged++;
    if (row.state === 'queued') this.#queued++;
    if (moved === null || moved.was === moved.state) return;
    // For a URL that is queued again, the rule is the one that had kept it out.
    const by = moved.state === 'excluded' ? moved : row;
    if (by.state !== 'excluded') return;
    const rule = namesRule.has(by.reason) ? by.detail : null;
    this.#add(row.origin, by.reason, rule, by === moved ? 'excluded' : 'readmitted', 1);
  }

  /** Counts URLs that would be queued again at a host where the limit had kept them out. */
  noteFilled(origin: string, urls: number): void {
    if (urls > 0) this.#add(origin, 'host-limit', null, 'readmitted', urls);
  }

  #add(origin: string, reason: ExcludedReason, rule: string | null, field: keyof Counts, urls: number): void {
    this.#sum[field] += urls;
    count(this.#rules, `${reason} ${rule ?? ''}`, { reason, rule }, field, urls);
    count(this.#hosts, origin, {}, field, urls);
  }

  told(): Omit<EditPreview, 'links' | 'ends' | 'goesOn' | 'complete'> {
    return {
      judged: this.#judged,
      queued: this.#queued,
      ...this.#sum,
      byRule: most([...this.#rules.values()]),
      byHost: most([...this.#hosts].map(([origin, counts]) => ({ origin, ...counts }))),
    };
  }
}

/** Reasons with a rule as their detail. The details of other reasons name the URL's own depth, length or host. */
const namesRule: ReadonlySet<ExcludedReason> = new Set(['domain', 'pattern', 'not-included', 'content-type']);

function count<T extends object>(
  into: Map<string, Counts & T>,
  name: string,
  fields: T,
  field: keyof Counts,
  urls: number,
): void {
  const entry = into.get(name) ?? { excluded: 0, readmitted: 0, ...fields };
  if (into.size < told || into.has(name)) into.set(name, entry);
  entry[field] += urls;
}

const most = <T extends Counts>(entries: readonly T[]): T[] =>
  entries.toSorted((a, b) => b.excluded + b.readmitted - (a.excluded + a.readmitted)).slice(0, listed);
