/** The order in which the whole crawler fetches the files of a folder, one request at a time. */
import type { CrawlConfig } from '../../contracts/crawl.ts';
import { startEmbedded } from '../../test/support/embedded.ts';
import { startNginx } from '../../test/support/nginx.ts';
import type { Web } from './graph.ts';
import type { Order } from './orders.ts';

/**
 * Ten times a polite pace, with slices of a second instead of ten: so a slice takes ten URLs, as at a delay of a second,
 * and a page is read before the next is asked for.
 */
const delaySeconds = 0.1;
const longestMs = 600_000;

export async function crawledOrder(
  { pages, seeds: [start = 0] }: Web,
  folder: string,
  priority: CrawlConfig['priority'],
): Promise<Order> {
  const nginx = await startNginx(folder);
  const embedded = await startEmbedded({ sliceSeconds: 1 });
  try {
    const { id } = await embedded.crawl({
      ...{ seeds: [nginx.origin + (pages[start]?.path ?? '/')], priority, delaySeconds },
      ...{ allowPrivate: ['127.0.0.0/8'], maxPages: Math.ceil(pages.length / 2) },
    });
    await embedded.ended(id, longestMs);
    const numbers = new Map(pages.map(({ path }, at) => [path, at]));
    return nginx.log().flatMap(({ url }) => numbers.get(new URL(url, nginx.origin).pathname) ?? []);
  } finally {
    await embedded.close();
    await nginx.stop();
  }
}
