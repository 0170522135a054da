/** `sitemaps`: the sitemaps of a crawl, and what is wrong with them. */
import { sitemapList, type SitemapView } from '../../contracts/http/sitemaps.ts';
import { grouped } from '../../domain/counted.ts';
import { withApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { writeList, type Shown } from '../output/table.ts';

export type SitemapOptions = VerbOptions & { readonly state?: string };

const numberOr = (count: number | null): string => (count === null ? '' : grouped(count));

const shown: Shown<SitemapView> = {
  heads: ['state', 'format', 'pages', 'sitemaps', 'new', 'faults', 'url', 'what'],
  row: ({ state, format, pages, sitemaps, newUrls, faultCount, url, faults: [first], why, status }) => [
    ...[state, format ?? ''],
    ...[pages, sitemaps, newUrls].map(numberOr),
    ...[faultCount === 0 ? '' : grouped(faultCount), url],
    first === undefined
      ? (why ?? (state === 'redirect' ? `status ${String(status)}` : ''))
      : `line ${String(first.line)}: ${first.what}`,
  ],
  none: 'The crawl has no such sitemaps.',
};

export async function listSitemaps(crawl: string, options: SitemapOptions): Promise<ExitCode> {
  const query = { limit: 1_000, state: options.state };
  const item = sitemapList.shape.items.element;
  await withApi(options, (api) =>
    writeList(api.list(`/v1/crawls/${crawl}/sitemaps`, item, query), options.json === true, shown),
  );
  return exitCodes.ok;
}
