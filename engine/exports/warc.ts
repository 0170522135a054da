/** The pages of a crawl as an archive (WARC/1.1): see engine/archive-export.ts. */
import { archivedKinds } from '../../domain/url-kind.ts';
import { firstRecord, membersOf, packed, robotsOf } from '../archive-export.ts';
import type { SegmentFormat } from '../../storage/archive/index.ts';
import { whole, type ExportForm, type Making } from './form.ts';

export const warc = (format: SegmentFormat): ExportForm => {
  const begin = async ({ draft, software }: Making): Promise<void> => {
    if (draft.length(whole) === 0) await draft.append(whole, await packed(firstRecord(software), format));
  };
  return {
    pages: 200,
    needs: [],
    kinds: archivedKinds,
    async add(making, pages) {
      const { draft, pool, archive } = making;
      await begin(making);
      for await (const { packed: member } of membersOf(pool, archive, making, pages, format))
        await draft.append(whole, member);
      return null;
    },
    async end(making) {
      const { draft, pool, archive } = making;
      await begin(making);
      for await (const { packed: member } of robotsOf(pool, archive, making, format))
        await draft.append(whole, member);
    },
  };
};
