/** How long the rules of crawls may hold up a batch of bodies. */
import { expect, it } from 'vitest';
import { defaultCrawlConfig } from '../../contracts/crawl.ts';
import { pageRules } from '../../contracts/http/page-rules.ts';
import type { OpenCrawl } from '../../engine/books/crawl-book.ts';
import { RulesTurn } from '../../engine/reading/rules-turn.ts';
import type { StagedBody } from '../../storage/pages/index.ts';

const crawl = (id: number, rules: object | null): OpenCrawl =>
  ({
    id,
    config: { ...defaultCrawlConfig, rules: rules === null ? null : pageRules.parse(rules) },
  }) as OpenCrawl;
const page = { content_type: 'text/html', url: 'https://example.com/' } as StagedBody;
const body = Buffer.from('<p>7</p>');
const numbers = { fields: { p: { select: 'p', type: 'integer' } } };

it('of a crawl whose rules have had their time, pages come later; those of other crawls do not', async () => {
  const turn = new RulesTurn({ ofCrawlMs: 0.001, ofAllMs: 600_000 });
  const [first, second] = [crawl(1, numbers), crawl(2, numbers)];
  expect(turn.isLater(first)).toBe(false);
  expect(await turn.read(first, page, body)).toMatchObject({ fields: { p: 7 } });
  expect([turn.isLater(first), turn.isLater(second)]).toEqual([true, false]);
});

it('once all rules have had their time, only pages without rules go on', async () => {
  const turn = new RulesTurn({ ofCrawlMs: 600_000, ofAllMs: 0.001 });
  await turn.read(crawl(1, numbers), page, body);
  expect(turn.isLater(crawl(2, numbers))).toBe(true);
  for (const rules of [null, { links: { follow: ['ugc'] } }]) {
    expect(turn.isLater(crawl(3, rules))).toBe(false);
    expect(await turn.read(crawl(3, rules), page, body)).toBeNull();
  }
});
