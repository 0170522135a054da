/** What a URL is worth when it is found for the first time: it is linked to once, by the page that it was found on. */
import { expect, it } from 'vitest';
import { defaultCrawlConfig } from '../../contracts/crawl.ts';
import { weightsOf } from '../../domain/priority/score.ts';
import { canonicalize } from '../../domain/url.ts';
import { Admission } from '../../engine/admission/admission.ts';
import { candidate } from '../../engine/admission/candidates.ts';
import type { OpenCrawl } from '../../engine/books/crawl-book.ts';
import { MemorySeenCache } from '../../storage/seen/index.ts';

const books = {
  hosts: {
    idsOf: () =>
      Promise.resolve(
        new Map([
          ['https://a.example', 1],
          ['https://b.example', 2],
        ]),
      ),
  },
  optOuts: { current: () => Promise.resolve(new Set()) },
  ranks: { placesOf: () => Promise.resolve(new Map()) },
  qualities: { of: () => Promise.resolve(new Map()) },
  crawls: {},
} as unknown as ConstructorParameters<typeof Admission>[1];

it.each([
  ['from its own host', 'internal', 'https://a.example/x', 0.125],
  ['from its own host', 'inbound', 'https://a.example/x', 0],
  ['from another host', 'inbound', 'https://b.example/x', 0.125],
  ['from another host', 'internal', 'https://b.example/x', 0],
] as const)('a link %s counts for the weight of %s links to %s: %d', async (_, weight, url, wanted) => {
  const crawl = {
    ...{ id: 1, version: 1, seenAs: '1', config: defaultCrawlConfig, topic: null, quarantine: null },
    ...{ weights: weightsOf({ [weight]: 1 }, false), trusted: new Set() },
    judge: (links: readonly unknown[]) => Promise.resolve(links.map(() => ({ verdict: 'admit' }))),
  } as unknown as OpenCrawl;
  const link = canonicalize(url);
  if (!link.ok) throw new Error(link.rejected);
  const page = { host_id: 1, key: '00', depth: 0, priority: 1 };
  const admission = new Admission({ seen: new MemorySeenCache(1_000), wakeHosts: () => undefined }, books);
  const found = [candidate(crawl, link.value, { in: 'page', page })];
  const [row] = (await admission.judge(found)).admissions;
  expect(row?.priority).toBeCloseTo(wanted, 2);
});
