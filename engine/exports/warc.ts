/** The pages of a crawl as an archive (WARC/1.1): see engine/archive-export.ts. */
import { firstRecord, membersOf, packed } from '../archive-export.ts';
import type { SegmentFormat } from '../../storage/archive/index.ts';
import { whole, type ExportForm, type Making } from './form.ts';

export const warc = (format: SegmentFormat): ExportForm => {
  const begin = async ({ draft, software }: Making): Promise<void> => {
    if (draft.length(whole) === 0) await draft.append(whole, await packed(firstRecord(software), format));
  };
  return {
    pages: 200,
    needs: [],
    async add(making, pages) {
      const { draft, pool, archive, crawlId } = making;
      await begin(making);
      for await (const { packed: member } of membersOf(pool, archive, crawlId, pages, format))
        await draft.append(whole, member);
      return null;
    },
    end: begin,
  };
};
