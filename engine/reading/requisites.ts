/**
 * What pages need to be shown, as URLs of the frontier of a kind of their own. No page is read from them: of a style sheet
 * the sheets, pictures and fonts that it names are taken, of anything else nothing.
 */
import { noRequisites, requisitesOf, type Requisites } from '../../content/requisites.ts';
import { cutBy, type Cut } from '../../domain/limits.ts';
import { requisiteLevel, type StagedBody } from '../../storage/pages/index.ts';
import type { Admission } from '../admission/admission.ts';
import { type Candidates, candidatesOf } from '../admission/candidates.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Dependencies } from '../dependencies.ts';

/** Most that one page or style sheet may need. */
const mostOfOne = 500;
/** Style sheets that import one another, counted from the page: a server may make up one more for ever. */
const mostLevels = 4;

/** @param crawl one without the setting needs nothing */
export const neededBy = (staged: StagedBody, { config }: OpenCrawl, body: Uint8Array): Requisites =>
  config.requisites ? requisitesOf(body, staged.content_type, staged.url, mostOfOne) : noRequisites;

/** Those that are not known to be in the frontier. */
export const requisiteCandidates = (
  admission: Pick<Admission, 'knows'>,
  page: StagedBody,
  crawl: OpenCrawl,
  { urls }: Requisites,
): Candidates => {
  const unknown = urls.filter((url) => !admission.knows(crawl, url, 'requisite'));
  return candidatesOf(crawl, unknown, () => ({ in: 'requisite', page }));
};

/** Admits what a style sheet needs. Can be called again after a crash. @returns what was cut */
export async function admitFromSheet(
  { pool, writer, admission }: Pick<Dependencies, 'pool' | 'writer' | 'admission'>,
  sheet: StagedBody,
  crawl: OpenCrawl,
  body: Uint8Array,
): Promise<Cut> {
  const needed = neededBy(sheet, crawl, body);
  const [row] = await requisiteLevel(pool, sheet.host_id, sheet.crawl_id, sheet.key);
  const isDeep = (row?.level ?? 0) >= mostLevels;
  if (isDeep) return cutBy(needed.cut, { requisites: needed.urls.length });
  const { candidates, longUrls } = requisiteCandidates(admission, sheet, crawl, needed);
  await admission.store(writer, candidates);
  return cutBy(needed.cut, { longUrls });
}
