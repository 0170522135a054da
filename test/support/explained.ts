/** Where it is known why a crawl took its time, nothing of it may be left unexplained (domain/time-lost.ts). */
import { expect } from 'vitest';
import type { CrawlTimeView } from '../../contracts/http/crawl-time.ts';

export function expectExplained(time: CrawlTimeView): void {
  const named = time.causes.find(({ cause }) => cause === 'unexplained');
  expect(named, 'time that no cause explains').toBeUndefined();
  for (const { origin, cause } of time.hosts.items) expect([origin, cause]).not.toContain('unexplained');
}
