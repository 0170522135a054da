/** A crawl workflow that has the messages of the real one and nothing behind them. */
import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow';
import type { CrawlState } from '../../../contracts/crawl.ts';
import type { PauseCause } from '../../../domain/crawl-life.ts';
import { jobStateQuery, type JobInput, type RedriveView } from '../../../contracts/jobs.ts';
import {
  cancelCrawlUpdate,
  pauseCrawlUpdate,
  resumeCrawlUpdate,
  type CrawlInput,
  type CrawlView,
} from '../../../contracts/workflows.ts';

export async function crawl({ crawlId }: CrawlInput): Promise<string> {
  let view: CrawlView = { state: 'running', reason: null };
  const enter = (state: CrawlState, reason: string | null): CrawlView => (view = { state, reason });
  setHandler(pauseCrawlUpdate, (reason) => enter('paused', reason), {
    validator: (_reason: string | null, _cause?: PauseCause) => {
      if (view.state === 'paused') throw ApplicationFailure.nonRetryable('it is paused already');
    },
  });
  setHandler(resumeCrawlUpdate, () => enter('running', null));
  setHandler(cancelCrawlUpdate, (reason) => enter('cancelled', reason));
  await condition(() => view.state === 'cancelled');
  return crawlId;
}

/** A redrive: that of crawl 1 is done at once; others take for ever. */
export async function job({ id }: JobInput): Promise<RedriveView> {
  const view = { requeued: 5, atParked: 0, resting: 0, notBefore: null, barred: 0, unparked: false };
  setHandler(jobStateQuery, () => view);
  await condition(() => id === '1');
  return view;
}
