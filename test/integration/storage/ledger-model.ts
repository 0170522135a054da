/** What may be done to a frontier, each on Postgres and on a model that says what every URL's state must be then. */
import { storedStages, type StoredStage } from '../../../domain/stage.ts';
import fc from 'fast-check';
import { expect } from 'vitest';
import { mayMove, type UrlState } from '../../../domain/ledger.ts';
import { hostCausedClasses, restingClass, type DeadLetterClass } from '../../../domain/dead-letter.ts';
import type { UrlReason } from '../../../domain/url-reason.ts';
import { type ResultRow, excludeQueued, reclaimUrls, returnUrls } from '../../../storage/frontier/index.ts';
import { dropHost, parkHost, unparkHost } from '../../../storage/hosts/index.ts';
import {
  redriveBatch,
  type LetterCursor,
  type LetterFilter,
  type RedrivenBatch,
} from '../../../storage/letters/index.ts';
import { releaseLease, takeLease } from '../../../storage/leases/index.ts';
import { bodiesInStage, requeueLostBodies } from '../../../storage/pages/index.ts';
import { createDedup } from '../../../engine/reading/dedup.ts';
import { leaseEnded } from '../../support/database/index.ts';
import { admission, leased, result, type Frontier } from './frontier.ts';
import { nobodyRenders } from './unread.ts';

interface Modelled {
  state: UrlState;
  stage: StoredStage;
  token: number | null;
  attempts: number;
  reclaims: number;
  /** Why it is queued again, or null. */
  reason: UrlReason | null;
  /** Class of its dead letter, or null. */
  letter: UrlReason | null;
}

/** Hosts 0–2 and crawls 0–1 of one run; URLs are numbered within both. */
export class Model {
  readonly frontier: Frontier;
  readonly urls = new Map<string, Modelled>();
  readonly hosts: readonly number[];
  readonly crawls: readonly number[];
  readonly tokens = new Map<number, number>();

  constructor(frontier: Frontier, hosts: readonly number[], crawls: readonly number[]) {
    this.frontier = frontier;
    this.hosts = hosts;
    this.crawls = crawls;
  }

  id(host: number, crawl: number, key: string): string {
    return `${String(host)} ${String(crawl)} ${key}`;
  }

  of(host: number): Modelled[] {
    return [...this.urls].filter(([id]) => id.startsWith(`${String(host)} `)).map(([, url]) => url);
  }

  move(url: Modelled, to: UrlState): void {
    // What the statements do must also be a move by the rules.
    expect(mayMove(url.state, to), `${url.state} → ${to}`).toBe(true);
    url.state = to;
  }
}

type Place = Awaited<ReturnType<typeof leased>>[number];

interface Operation {
  readonly name: string;
  run(model: Model): Promise<void>;
}

export const at = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
};

export const admit = (
  host: number,
  crawl: number,
  numbers: readonly number[],
  excluded: boolean,
): Operation => ({
  name: `admit ${String(numbers.length)}${excluded ? ' excluded' : ''}`,
  run: async (model) => {
    const [h, c] = [at(model.hosts, host), at(model.crawls, crawl)];
    const rows = numbers.map((number) =>
      admission(h, c, `https://x.example/${String(number)}`, { reason: excluded ? 'pattern' : null }),
    );
    const { admitted } = await model.frontier.writer.write({ admissions: rows });
    let fresh = 0;
    for (const { key } of rows) {
      const id = model.id(h, c, key);
      if (model.urls.has(id)) continue;
      fresh++;
      const state = excluded ? 'excluded' : 'queued';
      model.urls.set(id, {
        state,
        stage: 0,
        token: null,
        attempts: 0,
        reclaims: 0,
        reason: null,
        letter: null,
      });
    }
    expect(admitted).toBe(fresh);
  },
});

/** Takes the host's lease where it is free, and URLs under it; then commits what `outcomes` say, some of it under a lost lease. */
export const slice = (
  host: number,
  limit: number,
  outcomes: readonly Outcome[],
  crash: boolean,
): Operation => ({
  name: `slice of ${String(limit)}: ${outcomes.join(' ')}${crash ? ' crash' : ''}`,
  run: async (model) => {
    const h = at(model.hosts, host);
    const [lease] = await takeLease(model.frontier.pool, String(h), 600_000);
    if (lease === undefined) throw new Error('the lease is taken');
    await reclaim(model, h, lease.token);
    const places = await leased(model.frontier.pool, h, lease.token, limit);
    for (const place of places) {
      const url = modelled(model, place);
      model.move(url, 'leased');
      url.token = lease.token;
    }
    const committed = outcomes.slice(0, places.length);
    await commit(model, places, committed);
    if (crash) {
      await leaseEnded(model.frontier.pool, h);
      return;
    }
    const back = await returnUrls(model.frontier.pool, String(h), lease.token);
    expect(back).toHaveLength(places.length - committed.length);
    for (const place of places.slice(committed.length)) free(modelled(model, place), model, 'queued');
    await releaseLease(model.frontier.pool, h, lease.token, {
      waitMs: 0,
      paceMs: 0,
      failures: 0,
      lastError: null,
      visit: null,
    });
  },
});

const outcomes = [
  'page',
  'empty',
  'redirect',
  'gone',
  'failed',
  'refused',
  'again',
  'excluded',
  'late',
] as const;
type Outcome = (typeof outcomes)[number];
const rows: Readonly<Record<Outcome, [ResultRow['state'], Partial<ResultRow>]>> = {
  page: ['done', { stage: 1 }],
  empty: ['done', {}],
  redirect: ['done', { status: 301, reason: 'redirect' }],
  gone: ['dead', {}],
  failed: ['failed', { reason: 'client-error' }],
  refused: ['failed', { reason: 'forbidden', status: 403 }],
  again: ['queued', { attempted: true, reason: 'timeout' }],
  excluded: ['excluded', { reason: 'robots', answered: false, status: null }],
  // A result that comes after the lease was lost.
  late: ['done', {}],
};

async function commit(model: Model, places: readonly Place[], asked: readonly Outcome[]): Promise<void> {
  const results = asked.map((outcome, index) => {
    const place = at(places, index);
    const token = outcome === 'late' ? place.token + 1_000_000 : place.token;
    const [state, over] = rows[outcome];
    // Each page has a body of its own, so that none is a copy.
    const hash =
      outcome === 'page' ? { content_hash: String(place.host_id).padStart(32, '0') + place.key } : {};
    return result({ ...place, token }, state, { ...over, ...hash });
  });
  // Each in a write of its own, as slices do; they meet in one transaction.
  await Promise.all(results.map((row) => model.frontier.writer.write({ results: [row] })));
  // A late one changed nothing; so that it does not stay, it is committed after all.
  const late = asked.flatMap((outcome, index) =>
    outcome === 'late' ? [result(at(places, index), 'done')] : [],
  );
  await model.frontier.writer.write({ results: late });
  asked.forEach((outcome, index) => {
    const url = modelled(model, at(places, index));
    const [state, { stage = 0, attempted = false, reason = null }] = rows[outcome];
    free(url, model, state);
    url.stage = stage;
    url.reason = reason;
    if (attempted) url.attempts++;
    if (state === 'failed') url.letter = reason;
  });
}

async function reclaim(model: Model, host: number, token: number): Promise<void> {
  await reclaimUrls(model.frontier.pool, String(host), token);
  for (const crawl of model.crawls) {
    const left = [...model.urls]
      .filter(([id, { state }]) => id.startsWith(`${String(host)} ${String(crawl)} `) && state === 'leased')
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, url]) => url);
    left.forEach((url, place) => {
      // The first in line was in flight, as far as anybody can know.
      const poison = place === 0 && url.reclaims >= 5;
      free(url, model, poison ? 'failed' : 'queued');
      url.reason = poison ? 'poison' : null;
      if (place === 0) url.reclaims++;
      if (poison) url.letter = 'poison';
    });
  }
}

function free(url: Modelled, model: Model, to: UrlState): void {
  model.move(url, to);
  url.token = null;
}

function modelled(model: Model, place: Place): Modelled {
  const url = model.urls.get(model.id(place.host_id, place.crawl_id, place.key));
  if (url === undefined) throw new Error('a URL that was never admitted was leased');
  return url;
}

const advance = (host: number, lost: boolean): Operation => ({
  name: lost ? 'lose bodies' : 'read bodies',
  run: async (model) => {
    const h = at(model.hosts, host);
    const { pool, writer } = model.frontier;
    const turns = model.crawls.map((crawlId) => ({ crawlId, hostId: h, bodies: 1_000 }));
    const unjudged = await bodiesInStage(pool, turns, storedStages.dedup, null);
    const unread = await bodiesInStage(pool, turns, storedStages.extract, null);
    if (lost) {
      await requeueLostBodies(pool, String(h), JSON.stringify([...unjudged, ...unread]));
    } else {
      await createDedup({ pool, rendering: nobodyRenders }, () => Promise.resolve())(unjudged);
      await writer.write({
        stages: unread.map(({ crawl_id, key, content_id }) => ({
          ...{ host_id: h, crawl_id, key, from: 2, to: 0 },
          ...{ alias_host: null, alias_key: null, content_id },
        })),
        pages: unread.map(({ crawl_id, key, content_id }) => ({
          ...emptyPage,
          ...{ host_id: h, crawl_id, key, content_id },
        })),
      });
    }
    for (const url of model.of(h).filter(({ stage }) => stage > 0)) {
      if (lost) {
        model.move(url, 'queued');
        Object.assign(url, { stage: 0, reason: 'body-lost' });
      } else url.stage = url.stage === 1 ? 2 : 0;
    }
  },
});

const emptyPage = {
  title: null,
  description: null,
  language: null,
  charset: 'utf-8',
  words: 0,
  links: 0,
  canonical: null,
  noindex: false,
  nofollow: false,
  text_hash: null,
  meta: null,
  fields: null,
  outlinks: '',
  counters: [],
} as const;

const park = (host: number): Operation => ({
  name: 'park',
  run: async (model) => {
    const h = at(model.hosts, host);
    const [parked] = await parkHost(model.frontier.pool, String(h), 'timeout: spent', ['timeout']);
    const tried = model
      .of(h)
      .filter(({ state, attempts, reason }) => state === 'queued' && attempts > 0 && reason === 'timeout');
    expect(parked?.buried).toBe(tried.length);
    for (const url of tried) {
      model.move(url, 'failed');
      url.letter = url.reason;
    }
  },
});

const unpark = (host: number): Operation => ({
  name: 'unpark',
  run: async (model) => {
    const h = at(model.hosts, host);
    await unparkHost(model.frontier.pool, String(h));
    for (const letterClass of hostCausedClasses) {
      const filter = { crawlId: null, hostId: String(h), class: letterClass, key: null };
      expect(await redriveAll(model, filter)).toBe(backToQueue(model, model.of(h), letterClass));
    }
  },
});

/** Queues what are letters of a class (null: any that does not rest) in the model; answers how many. */
function backToQueue(model: Model, urls: readonly Modelled[], letterClass: DeadLetterClass | null): number {
  const letters = urls.filter(
    ({ letter }) =>
      letter !== null && letter !== restingClass && (letterClass === null || letter === letterClass),
  );
  for (const url of letters) {
    model.move(url, 'queued');
    Object.assign(url, { letter: null, reason: null, attempts: 0, reclaims: 0 });
  }
  return letters.length;
}

/** In batches of three, so that cursors are followed. */
async function redriveAll({ frontier }: Model, filter: LetterFilter): Promise<number> {
  let queued = 0;
  let after: LetterCursor | null = null;
  do {
    const batch: RedrivenBatch = await redriveBatch(frontier.pool, filter, after, 3);
    queued += batch.requeued;
    after = batch.next;
  } while (after !== null);
  return queued;
}

const redrive = (crawl: number, host: number | null, letterClass: DeadLetterClass | null): Operation => ({
  name: `re-drive ${letterClass ?? 'all'}${host === null ? '' : ' of a host'}`,
  run: async (model) => {
    const c = at(model.crawls, crawl);
    const h = host === null ? null : at(model.hosts, host);
    const urls = [...model.urls]
      .filter(([id]) => id.split(' ')[1] === String(c) && (h === null || id.startsWith(`${String(h)} `)))
      .map(([, url]) => url);
    const hostId = h === null ? null : String(h);
    const filter = { crawlId: String(c), hostId, class: letterClass, key: null };
    expect(await redriveAll(model, filter)).toBe(backToQueue(model, urls, letterClass));
  },
});

const drop = (host: number): Operation => ({
  name: 'drop',
  run: async (model) => {
    const h = at(model.hosts, host);
    await dropHost(model.frontier.pool, String(h), 'an operator said so', 1_000);
    for (const url of model.of(h).filter(({ state }) => state === 'queued')) model.move(url, 'excluded');
  },
});

const exclude = (crawl: number): Operation => ({
  name: 'exclude',
  run: async (model) => {
    const c = at(model.crawls, crawl);
    await excludeQueued(model.frontier.pool, c, 'max-pages', 1_000);
    for (const host of model.hosts) {
      for (const [id, url] of model.urls) {
        if (id.startsWith(`${String(host)} ${String(c)} `) && url.state === 'queued')
          model.move(url, 'excluded');
      }
    }
  },
});

const small = fc.nat({ max: 2 });
const numbers = fc.uniqueArray(fc.nat({ max: 30 }), { minLength: 1, maxLength: 12 });
export const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .tuple(small, small, numbers, fc.nat({ max: 5 }))
      .map(([h, c, n, x]) => admit(h, c, n, x === 0)),
  },
  {
    weight: 10,
    arbitrary: fc
      .tuple(
        small,
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.constantFrom(...outcomes), { maxLength: 8 }),
        fc.nat({ max: 3 }),
      )
      .map(([h, limit, asked, x]) => slice(h, limit, asked, x === 0)),
  },
  { weight: 2, arbitrary: fc.tuple(small, fc.nat({ max: 3 })).map(([h, x]) => advance(h, x === 0)) },
  { weight: 2, arbitrary: small.map(park) },
  { weight: 2, arbitrary: small.map(unpark) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        small,
        fc.option(small),
        fc.option(fc.constantFrom('timeout', 'client-error', 'forbidden', 'poison')),
      )
      .map(([c, h, letterClass]) => redrive(c, h, letterClass)),
  },
  { weight: 1, arbitrary: small.map(drop) },
  { weight: 1, arbitrary: small.map(exclude) },
);
