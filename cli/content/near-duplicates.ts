/** `near-duplicates`: pages of a crawl with nearly the same text. */
import { nearDuplicateList, type NearDuplicateCluster } from '../../contracts/http/near-duplicates.ts';
import { withApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { grouped } from '../../domain/counted.ts';
import { writeList, type Shown } from '../output/table.ts';

const shown: Shown<NearDuplicateCluster> = {
  heads: ['pages', 'url', 'nearly the same'],
  row: ({ url, pages, alike }) => {
    const [first] = alike;
    const share = first === undefined ? '' : ` (${String(Math.round(first.likeness * 100))} %)`;
    const more = pages > 1 ? ` and ${grouped(pages - 1)} more` : '';
    return [grouped(pages), url, `${first?.url ?? ''}${share}${more}`];
  },
  none: 'No pages with nearly the same text were found. A crawl looks for them only with --near-duplicates yes.',
};

export async function nearDuplicates(crawl: string, options: VerbOptions): Promise<ExitCode> {
  const item = nearDuplicateList.shape.items.element;
  await withApi(options, (api) =>
    writeList(
      api.list(`/v1/crawls/${crawl}/near-duplicates`, item, { limit: 1_000 }),
      options.json === true,
      shown,
    ),
  );
  return exitCodes.ok;
}
