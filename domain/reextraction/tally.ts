/**
 * What a re-extraction has found so far: small, whatever the crawl has, since it is written with each step.
 *
 * Samples are the pages with the smallest keys. Keys are hashes of URLs, so that these are chosen evenly from the whole
 * crawl, and are the same ones however the work was cut into steps.
 */

/** Why a body was not read again. Its page keeps what it has. */
export type Unread =
  | 'missing'
  | 'damaged'
  | 'extractor-fault'
  | 'documentsTooLarge'
  | 'documentsTooSlow'
  | 'documentsTooMuchMemory'
  | 'brokenDocuments'
  | 'lockedDocuments'
  | 'rulesTooSlow'
  | 'rulesTooMuchMemory'
  | 'brokenRules';

/** A page by its host and its key (hex). */
export type SampledPage = readonly [hostId: number, key: string];

export interface Tally {
  /** Pages that the extractor reads as before. */
  readonly equal: number;
  readonly different: number;
  /** By field, pages in which it differs. */
  readonly fields: Readonly<Partial<Record<string, number>>>;
  readonly unread: Readonly<Partial<Record<Unread, number>>>;
  /** Links to follow that only the new extraction has, and those that only the old one had. */
  readonly linksFound: number;
  readonly linksGone: number;
  /** Some pages for each field, and for each reason under `unread.…`. */
  readonly samples: Readonly<Partial<Record<string, readonly SampledPage[]>>>;
}

export const emptyTally: Tally = {
  equal: 0,
  different: 0,
  fields: {},
  unread: {},
  linksFound: 0,
  linksGone: 0,
  samples: {},
};

/** What became of one page. */
export type Outcome =
  | { readonly page: SampledPage; readonly unread: Unread }
  | {
      readonly page: SampledPage;
      readonly unread: null;
      /** None: it is equal. */
      readonly fields: readonly string[];
      readonly linksFound: number;
      readonly linksGone: number;
    };

/** Samples that are kept for each field and reason. */
export const mostSamples = 20;

export function tallied(tally: Tally, outcomes: readonly Outcome[]): Tally {
  const fields = new Map(Object.entries(tally.fields));
  const unread = new Map(Object.entries(tally.unread));
  const samples = new Map(Object.entries(tally.samples).map(([name, pages]) => [name, [...(pages ?? [])]]));
  let { equal, different, linksFound, linksGone } = tally;
  const sample = (name: string, page: SampledPage): void => {
    samples.set(name, [...(samples.get(name) ?? []), page].sort(byKey).slice(0, mostSamples));
  };
  for (const outcome of outcomes) {
    const { page } = outcome;
    if (outcome.unread !== null) {
      unread.set(outcome.unread, (unread.get(outcome.unread) ?? 0) + 1);
      sample(`unread.${outcome.unread}`, page);
      continue;
    }
    if (outcome.fields.length === 0) equal += 1;
    else different += 1;
    linksFound += outcome.linksFound;
    linksGone += outcome.linksGone;
    for (const field of outcome.fields) {
      fields.set(field, (fields.get(field) ?? 0) + 1);
      sample(field, page);
    }
  }
  return {
    equal,
    different,
    linksFound,
    linksGone,
    fields: Object.fromEntries(fields),
    unread: Object.fromEntries(unread),
    samples: Object.fromEntries(samples),
  };
}

function byKey([host, key]: SampledPage, [otherHost, otherKey]: SampledPage): number {
  if (key !== otherKey) return key < otherKey ? -1 : 1;
  return host - otherHost;
}
