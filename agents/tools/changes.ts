/** Pages that changed from one fetch to the next. */
import { z } from 'zod';
import { changeList, type ChangeItem } from '../../contracts/http/changes.ts';
import { counted } from '../../domain/counted.ts';
import { partThatFits } from '../bounds.ts';
import { crawlId, cursor, limit } from '../inputs.ts';
import { tool } from '../tool.ts';

/** The route lists all changes in their order: so many are looked at in one call for those since a date. */
const [lookedAtOnce, mostLooks] = [1_000, 20];

export const changes = tool({
  name: 'changes',
  title: 'List changes of pages',
  description:
    'Lists the pages of a crawl that changed since they were fetched before, by this crawl or an earlier one, oldest first: which fields changed, and how many words came and went. For what is new on a site, crawl it again with the tool crawl and ask this of the new crawl.',
  input: z.strictObject({
    crawlId,
    // The pattern of an ISO date would be most of what a model reads of this tool.
    since: z
      .string()
      .max(40)
      .refine((text) => !Number.isNaN(Date.parse(text)), 'not a date such as 2031-01-01')
      .optional()
      .describe('Only changes that were seen since, such as 2031-01-01 or 2031-01-01T12:00:00Z.'),
    limit: limit(30),
    cursor,
  }),
  asks: ['GET /v1/crawls/{crawlId}/changes'],
  does: 'reads',
  run: async ({ crawlId: id, since, limit: most, cursor: after }, { ask }) => {
    const from = since === undefined ? -Infinity : Date.parse(since);
    const part = (at: string | undefined, asked: number) =>
      ask('GET /v1/crawls/{crawlId}/changes', changeList, {
        path: { crawlId: id },
        query: { limit: asked, cursor: at },
      });
    const isOld = ({ fetchedAt }: ChangeItem): boolean => Date.parse(fetchedAt) < from;
    // Parts that are all older than the date are passed over as a whole.
    let at = after;
    for (let looks = 0; since !== undefined && looks < mostLooks; looks++) {
      const { items, next, more } = await part(at, lookedAtOnce);
      if (!more || next === null || !items.every(isOld)) break;
      at = next;
    }
    const { items, answer } = await partThatFits(
      most,
      async (asked) => {
        const { items: all, ...rest } = await part(at, asked);
        return { ...rest, items: all.filter((item) => !isOld(item)) };
      },
      ({ url, fetchedAt, fetchedBefore, status, gone, fields, wordsAdded, wordsRemoved, minor }) => ({
        url,
        fetchedAt,
        fetchedBefore,
        status,
        gone,
        fields,
        wordsAdded,
        wordsRemoved,
        minor,
      }),
    );
    const { next, more, compared, forgotten, lost } = answer;
    return {
      says: [
        `${counted(items.length, 'change')} in this part; the crawl has compared ${counted(compared, 'answer')} so far.`,
        more
          ? `Further changes follow: ask again with the same since and cursor "${String(next)}".`
          : next === null
            ? 'No more changes follow.'
            : `No more changes so far, but the crawl goes on: ask later with cursor "${next}".`,
        ...(forgotten === 0 ? [] : [`${counted(forgotten, 'older change')} not in the list any more.`]),
        ...(lost === 0 ? [] : [`${counted(lost, 'answer')} could not be compared: a body is gone.`]),
      ],
      facts: { crawlId: id, next, more, compared, forgotten, lost },
      web: items,
    };
  },
});
