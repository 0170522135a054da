/** Why a URL was fetched, left out or waits; why a crawl is slow or not finished. */
import { z } from 'zod';
import { crawlTimeView } from '../../contracts/http/crawl-time.ts';
import { explanation } from '../../contracts/http/explain.ts';
import { outageText } from '../../domain/outage.ts';
import { shortened } from '../bounds.ts';
import { crawlId, pageUrl } from '../inputs.ts';
import { tool } from '../tool.ts';

export const explain = tool({
  name: 'explain',
  title: 'Explain a URL or a crawl',
  description:
    'With url: every decision that a crawl made about the URL, or would make: why it was fetched, left out, given up or waits, and until when. Without url: why the crawl is slow or not finished, which hosts hold it up, and when it will be over.',
  input: z.strictObject({ crawlId, url: pageUrl.optional() }),
  asks: ['GET /v1/crawls/{crawlId}/explain', 'GET /v1/crawls/{crawlId}/time'],
  does: 'reads',
  run: async ({ crawlId: id, url }, { ask }) => {
    const path = { crawlId: id };
    if (url === undefined) {
      const { state, summary, causes, hosts, eta, outages } = await ask(
        'GET /v1/crawls/{crawlId}/time',
        crawlTimeView,
        { path },
      );
      return {
        // The summary names hosts and quotes their errors.
        says: [
          `Why crawl ${id} takes its time; secondsLeft null: never, unless somebody acts, or not known.`,
          ...outages.map(outageText),
        ],
        facts: { crawlId: id, state, causes, endsAt: eta?.at ?? null, unfinishedHosts: hosts.unfinished },
        web: [
          {
            summary,
            causes: causes.map(({ cause, share, means }) => ({ cause, share, means })),
            hosts: shortened(
              hosts.items.map(({ origin, left, because, until, secondsLeft }) => ({
                origin,
                left,
                because,
                until,
                secondsLeft,
              })),
            ),
            eta: shortened(eta),
          },
        ],
      };
    }
    const found = await ask(
      'GET /v1/crawls/{crawlId}/explain',
      explanation.pick({
        url: true,
        summary: true,
        decisions: true,
        record: true,
        attempts: true,
        next: true,
      }),
      { path, query: { url } },
    );
    const { record, next } = found;
    return {
      says: [
        'What crawl ' +
          id +
          ' makes of the URL: the answer, then each decision in order (pass, stop, wait or note).',
        ...(record === null ? ['The crawl has never met this URL: this is what it would do.'] : []),
      ],
      facts: {
        crawlId: id,
        state: record?.state ?? null,
        reason: record?.reason ?? null,
        status: record?.status ?? null,
        nextAt: next?.at ?? null,
      },
      web: [
        shortened({
          url: found.url,
          summary: found.summary,
          decisions: found.decisions.map(({ step, effect, because }) => `${effect}: ${step}: ${because}`),
          attempts: found.attempts,
          next: next?.because ?? null,
        }) as object,
      ],
    };
  },
});
