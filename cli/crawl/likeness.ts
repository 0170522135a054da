/** Another crawl as the model of a new one (`--like`): its settings and its good seeds. */
import { crawlView } from '../../contracts/http/crawls.ts';
import { seedList } from '../../contracts/http/seeds.ts';
import { maxRequestBytes } from '../../contracts/http/shared.ts';
import type { Api } from '../api/api.ts';
import { CommandError } from '../ending.ts';
import { readRequest, type CrawlOptions, type CrawlRequest } from './request.ts';

/** As `readRequest`, with the crawl that `--like` names as the model; its seeds count if no others are given. */
export async function readRequestLike(
  api: Api,
  urls: readonly string[],
  options: CrawlOptions,
  allowedPrivate: readonly string[],
): Promise<CrawlRequest> {
  const hasSeeds = urls.length > 0 || options.seeds !== undefined;
  const model = await likenessOf(api, options.like ?? '', !hasSeeds);
  return readRequest(urls, options, allowedPrivate, model);
}

/** @param withSeeds false: the caller has other seeds. @throws CommandError */
async function likenessOf(api: Api, id: string, withSeeds: boolean): Promise<Record<string, unknown>> {
  const { config, label } = await api.get(`/v1/crawls/${id}`, crawlView);
  const settings = { ...config, ...(label !== null && { label }) };
  if (!withSeeds) return settings;
  const seeds: string[] = [];
  let bytes = 0;
  const query = { state: 'good', limit: 1_000 };
  for await (const { url } of api.list(`/v1/crawls/${id}/seeds`, seedList.shape.items.element, query)) {
    bytes += Buffer.byteLength(url) + 3;
    if (bytes > maxRequestBytes)
      throw new CommandError(
        `Crawl ${id} has more seeds than one request can carry. Start the new crawl with a few URLs, and add the other seeds with orbweaver seeds add.`,
      );
    seeds.push(url);
  }
  return { ...settings, seeds };
}
