/** Links of stored pages come in pieces (engine/edits/stored-links.ts), however many the pages have. */
import { expect, it } from 'vitest';
import { storedBatches } from '../../engine/edits/stored-links.ts';
import { packOutlinks } from '../../storage/pages/index.ts';
import type { StoredLinks } from '../../storage/edits/index.ts';

const origin = 'https://a.example';

it('come so many at a time, and no page is looked at before its turn', () => {
  let looked = 0;
  const pages = function* (): Generator<StoredLinks> {
    for (let page = 1; page <= 5; page++) {
      looked = page;
      const links = Array.from({ length: 300 }, (_, at) => `${origin}/${String(page)}/${String(at)}`);
      yield { host_id: 1, key: '00', origin, depth: 0, priority: 1, outlinks: packOutlinks(origin, links) };
    }
  };
  const batches: number[] = [];
  const urls = new Set<string>();
  for (const batch of storedBatches(pages(), 200)) {
    batches.push(batch.length);
    for (const { link } of batch) urls.add(link.url);
    expect(looked).toBe(Math.min(5, Math.ceil((batches.length * 200) / 300)));
  }
  expect(batches).toEqual([200, 200, 200, 200, 200, 200, 200, 100]);
  expect(urls.size).toBe(1_500);
});
