/** Ways of a crawl's workflow that a crawl of a small web does not take. */
import type { ControlActivities, WatchResult } from '../../../contracts/activities.ts';
import {
  cancelCrawlUpdate,
  crawlWorkflowId,
  pauseCrawlUpdate,
  reopenCrawlSignal,
  resumeCrawlUpdate,
} from '../../../contracts/workflows.ts';
import type { NumberedStands } from '../../../domain/crawl-life.ts';
import { until } from '../../support/until.ts';
import { always, gate, inTurn, longHistory, type Answers, type Script, type Stage } from './stage.ts';

const stands = (
  state: NumberedStands['state'],
  cause: NumberedStands['cause'] = null,
): NumberedStands & { glance: null } => ({
  ...{ state, cause, reason: cause, revision: 0, glance: null },
});
const running = stands('running');
const watched = (verdict: WatchResult['verdict']): WatchResult => ({ verdict, met: '' });
const never = new Promise<WatchResult>(() => undefined);
const crawl = (name: string, id: string): Pick<Script, 'name' | 'workflowId' | 'input'> => ({
  ...{ name, workflowId: crawlWorkflowId(id), input: { crawlId: id } },
});
/** Does as it was asked. */
const obey: ControlActivities['setCrawlState'] = ({ crawlId: _, ...next }) => Promise.resolve(next);
const usual: Answers = {
  wakeSchedulers: always(undefined),
  drainCrawl: always(undefined),
  setCrawlState: obey,
  closeAccounts: always(undefined),
};

const seeding = gate(stands('seeding'));
const accounts = gate(undefined);
let pauses = 0;
const pausedEarly: Script = {
  ...crawl('crawl-paused-early', '11'),
  answers: {
    ...usual,
    lookAtCrawl: () => seeding.answer,
    closeAccounts: () => accounts.answer,
    // Postgres is away when the running crawl is paused: the second pause, tried twice.
    setCrawlState: (asked) =>
      asked.state === 'paused' && ++pauses === 2 ? Promise.reject(new Error('away')) : obey(asked),
    watchCrawl: () => never,
    settleCrawl: always(stands('cancelled', 'cancelled')),
  },
  async act({ handle, called, ended }) {
    await called('lookAtCrawl');
    const paused = handle.executeUpdate(pauseCrawlUpdate, { args: ['to be recorded'] });
    await handle.query('progress');
    seeding.open();
    // A pause is answered before the accounts of the hosts are closed, and the crawl goes on after that.
    await paused;
    await called('closeAccounts');
    const resumed = handle.executeUpdate(resumeCrawlUpdate);
    await handle.query('progress');
    accounts.open();
    await resumed;
    await called('watchCrawl');
    await handle.executeUpdate(pauseCrawlUpdate, { args: [null] });
    await called('closeAccounts', 2);
    await until('the crawl rests', async () => {
      const { pendingActivities, pendingWorkflowTask } = (await handle.describe()).raw;
      return (pendingActivities ?? []).length === 0 && !pendingWorkflowTask;
    });
    await handle.executeUpdate(cancelCrawlUpdate, { args: [null] });
    await ended();
  },
};

const resuming = gate(running);
const askedMeanwhile: Script = {
  ...crawl('crawl-asked-meanwhile', '16'),
  answers: {
    ...usual,
    lookAtCrawl: always(stands('paused', 'asked')),
    setCrawlState: (asked) => (asked.state === 'running' ? resuming.answer : obey(asked)),
    watchCrawl: () => never,
    settleCrawl: always(stands('cancelled', 'cancelled')),
  },
  async act({ handle, called, ended }) {
    await called('closeAccounts');
    const resumed = handle.executeUpdate(resumeCrawlUpdate);
    await called('setCrawlState', 2);
    const answered: string[] = [];
    const paused = handle
      .executeUpdate(pauseCrawlUpdate, { args: [null] })
      .finally(() => answered.push('pause'));
    for (let looks = 0; looks < 5; looks++) await handle.query('progress');
    if (answered.length > 0) throw new Error('the pause is answered while the crawl is still being resumed');
    resuming.open();
    await Promise.all([resumed, paused]);
    await called('closeAccounts', 2);
    await handle.executeUpdate(resumeCrawlUpdate);
    await called('watchCrawl');
    // A crawl that runs is resumed: its watch begins anew.
    await handle.executeUpdate(resumeCrawlUpdate);
    await called('watchCrawl', 2);
    await handle.executeUpdate(cancelCrawlUpdate, { args: [null] });
    await ended();
  },
};

let resumes = 0;
const allAtOnce: Script = {
  ...crawl('crawl-all-at-once', '18'),
  answers: {
    ...usual,
    lookAtCrawl: always(stands('paused', 'asked')),
    // Postgres is away when the crawl is resumed again, tried twice.
    setCrawlState: (asked) =>
      asked.state === 'running' && ++resumes === 2 ? Promise.reject(new Error('away')) : obey(asked),
    watchCrawl: () => never,
    settleCrawl: always(stands('cancelled', 'cancelled')),
  },
  async act({ handle, called, ended }) {
    await called('closeAccounts');
    await handle.executeUpdate(resumeCrawlUpdate);
    await called('watchCrawl');
    await handle.executeUpdate(pauseCrawlUpdate, { args: [null] });
    await called('closeAccounts', 2);
    await handle.executeUpdate(resumeCrawlUpdate);
    await called('watchCrawl', 2);
    await handle.executeUpdate(cancelCrawlUpdate, { args: [null] });
    await ended();
  },
};

/** Others change the state before the pause, and before the cancellation: there the crawl is over. */
const movedMeanwhile: Script = {
  ...crawl('crawl-moved-meanwhile', '17'),
  answers: {
    ...usual,
    lookAtCrawl: always(running),
    setCrawlState: inTurn<NumberedStands>(
      { ...running, revision: 1 },
      { ...stands('paused', 'asked'), revision: 2 },
      { ...stands('finished', 'complete'), revision: 4 },
    ),
    watchCrawl: () => never,
  },
  async act({ handle, called, ended }) {
    await called('watchCrawl');
    await handle.executeUpdate(pauseCrawlUpdate, { args: [null] });
    await called('closeAccounts');
    await handle.executeUpdate(cancelCrawlUpdate, { args: [null] });
    await ended();
  },
};

const over = gate(stands('finished', 'complete'));
const foundOver: Script = {
  ...crawl('crawl-found-over', '12'),
  answers: { ...usual, lookAtCrawl: () => over.answer },
  async act({ handle, called, ended }) {
    await called('lookAtCrawl');
    const refused = Promise.allSettled([
      handle.executeUpdate(pauseCrawlUpdate, { args: [null] }),
      handle.executeUpdate(resumeCrawlUpdate),
    ]);
    await handle.query('progress');
    await handle.query('progress');
    over.open();
    await refused;
    await ended();
  },
};

const [draining, comeBack, atLast] = [
  gate(stands('draining', 'limit:max-pages')),
  gate(stands('finished', 'complete')),
  gate(stands('finished', 'complete')),
];
const reopened: Script = {
  ...crawl('crawl-reopened', '13'),
  answers: {
    ...usual,
    lookAtCrawl: inTurn(draining.answer, running),
    // The settings were changed, and no limit is reached any more.
    setCrawlState: always(running),
    watchCrawl: inTurn(watched('moved'), { ...watched('going'), glance: null }, watched('complete')),
    settleCrawl: inTurn(running, comeBack.answer, atLast.answer),
  },
  async act({ handle, called, ended }) {
    await called('lookAtCrawl');
    const refused = handle.executeUpdate(pauseCrawlUpdate, { args: [null] }).catch(() => undefined);
    await handle.query('progress');
    draining.open();
    await refused;
    await called('settleCrawl', 2);
    await handle.signal(reopenCrawlSignal);
    await handle.query('progress');
    comeBack.open();
    await called('settleCrawl', 3);
    const asked = handle.executeUpdate(pauseCrawlUpdate, { args: [null] });
    await handle.query('progress');
    atLast.open();
    await asked;
    await ended();
  },
};

/** Makes a history long with signals that change nothing. */
async function lengthen({ handle }: Stage): Promise<void> {
  while ((await handle.describe()).historyLength < longHistory) await handle.signal(reopenCrawlSignal);
}

const long = gate(watched('going'));
const continued: Script = {
  ...crawl('crawl-continued', '14'),
  run: 'first',
  answers: { ...usual, lookAtCrawl: always(running), watchCrawl: inTurn(long.answer, never) },
  async act(stage) {
    await stage.called('watchCrawl');
    await lengthen(stage);
    long.open();
    await stage.called('watchCrawl', 2);
  },
};

const longAndOver = gate(watched('complete'));
const endedLong: Script = {
  ...crawl('crawl-ended-long', '15'),
  answers: {
    ...usual,
    lookAtCrawl: always(running),
    watchCrawl: () => longAndOver.answer,
    settleCrawl: always(stands('finished', 'complete')),
  },
  async act(stage) {
    await stage.called('watchCrawl');
    await lengthen(stage);
    longAndOver.open();
    await stage.ended();
  },
};

export const crawlScripts: readonly Script[] = [
  ...[pausedEarly, askedMeanwhile, allAtOnce, movedMeanwhile, foundOver, reopened, continued, endedLong],
];
