/**
 * One round: a page from its start to the end of its time, in a context of its own, of which nothing is left.
 *
 * Its time is virtual: it stands while something is asked for, and jumps from timer to timer else. The page gets it in
 * steps. After each step a frame is drawn, which is when the page learns what is in sight; the first steps are short,
 * since most pages are done within a second.
 */
import type { PageToRender, Round } from '../contracts/rendering.ts';
import { unlessOver } from './devtools.ts';
import type { Session } from './devtools.ts';
import type { Browser } from './launch.ts';
import { drawFrame } from './picture.ts';
import { prepare, prepareWithin } from './prepare.ts';
import { nothingRead, readPage } from './read-page.ts';
import type { Clock } from './read-page.ts';
import { Requests } from './requests.ts';
import { Workers } from './workers.ts';

/** Milliseconds of the page's time, `renderLimits.pageMs` together. */
const steps = [100, 150, 250, 500, 1_000, 1_000, 1_000, 2_000, 2_000];
/**
 * How much of its time by the clock the page has to itself, the rest being for reading what is there; milliseconds between
 * two looks.
 */
const runShare = 0.8;
const lookMs = 500;
/** How many times its time a page may wait for the processor. */
export const patience = 3;

/** What `find` of the page has thrown. */
interface Fault {
  readonly fault: unknown;
}
type End = 'settled' | 'cut' | 'crashed' | Fault;

/**
 * @param signal ends the round early
 * @param wallMs milliseconds by the clock for the whole
 */
export async function renderRound(
  browser: Browser,
  page: PageToRender,
  signal: AbortSignal,
  wallMs: number,
): Promise<Round | Fault> {
  const clock = { began: performance.now(), wallMs };
  const root = browser.devtools.session();
  const { browserContextId } = await root.send('Target.createBrowserContext', { disposeOnDetach: true });
  const sessions: string[] = [];
  try {
    return await inContext(browser, browserContextId, page, signal, clock, sessions);
  } finally {
    // A process of the page that hangs ends with the context.
    await root.send('Target.disposeBrowserContext', { browserContextId }).catch(unlessOver);
    for (const id of sessions) browser.devtools.endSession(id);
  }
}

async function inContext(
  browser: Browser,
  browserContextId: string,
  page: PageToRender,
  signal: AbortSignal,
  clock: Clock,
  sessions: string[],
): Promise<Round | Fault> {
  const { devtools } = browser;
  const root = devtools.session();
  const { targetId } = await root.send('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
    ...(browser.drawsWhenTold && { enableBeginFrameControl: true }),
  });
  const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
  const session = devtools.session(sessionId);
  const { promise: over, resolve: end } = Promise.withResolvers<End>();
  const { promise: crashed, resolve: crash } = Promise.withResolvers<null>();
  const requests = new Requests(page, targetId, end);
  const workers = new Workers();
  let stepDone = (): void => undefined;

  const listenTo = (of: Session, id: string, isPage: boolean): void => {
    sessions.push(id);
    devtools.listen(id, {
      'Fetch.requestPaused': (paused) => requests.paused(of, paused),
      'Network.requestWillBeSent': (begun) => requests.begins(begun),
      // A worker has its script then; the end of it is told when the script has run.
      'Network.responseReceived': ({ requestId }) => {
        if (!isPage) requests.ends(requestId);
      },
      'Network.loadingFinished': ({ requestId }) => requests.ends(requestId),
      'Network.loadingFailed': ({ requestId }) => requests.ends(requestId),
      'Network.webSocketCreated': () => requests.refuse('WebSocket'),
      'Page.frameAttached': ({ frameId }) => requests.frameMade(frameId),
      'Page.windowOpen': ({ url }) => requests.navigates(url),
      // The page's script answers those that it can; what is left asks whether the page may be left.
      'Page.javascriptDialogOpening': () =>
        void of.send('Page.handleJavaScriptDialog', { accept: true }).catch(unlessOver),
      'Emulation.virtualTimeBudgetExpired': () => stepDone(),
      'Inspector.targetCrashed': () => {
        end('crashed');
        crash(null);
      },
      'Target.attachedToTarget': ({ sessionId: idWithin, targetInfo }) => {
        const within = devtools.session(idWithin);
        listenTo(within, idWithin, false);
        const ready = prepareWithin(within, targetInfo.type).catch(unlessOver);
        if (targetInfo.type === 'worker') workers.begun(within, ready);
      },
    });
  };
  listenTo(session, sessionId, true);
  const endLimit = await limitTime(browser, clock, () => end('cut'));
  const abort = () => end('cut');
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();

  let pageMs = 0;
  const run = async (): Promise<End> => {
    await prepare(browser, session, browserContextId);
    const went = session.send('Page.navigate', { url: page.url });
    went.catch(unlessOver);
    for (const step of steps) {
      const { promise: done, resolve } = Promise.withResolvers<undefined>();
      stepDone = () => resolve(undefined);
      await session.send('Emulation.setVirtualTimePolicy', {
        policy: 'pauseIfNetworkFetchesPending',
        budget: step,
        maxVirtualTimeTaskStarvationCount: 10_000,
      });
      await done;
      await workers.wait();
      await requests.idle();
      await drawFrame(browser, session);
      pageMs += step;
    }
    // An answer that is no page is no DOM either: nothing was shown.
    return (await went).errorText === undefined ? 'settled' : 'crashed';
  };
  try {
    const running = run();
    // Heard below, or too late to matter.
    running.catch(() => undefined);
    const outcome = await Promise.race([over, running]).catch(crashUnlessOurs);
    if (typeof outcome === 'object') return outcome;
    const read =
      outcome === 'crashed' ? nothingRead : await readPage(browser, session, page, outcome, crashed, clock);
    return {
      outcome: read === null ? 'crashed' : outcome,
      ...(read ?? nothingRead),
      ...requests.told(),
      pageMs,
      wallMs: performance.now() - clock.began,
    };
  } finally {
    endLimit();
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Ends the page when its time is over. A busy machine may give the browser no processor for seconds, which says nothing of
 * the page: so its time is not over before it has had half of it, or has waited three times as long.
 * @returns what stops this
 */
async function limitTime(browser: Browser, { began, wallMs }: Clock, end: () => void): Promise<() => void> {
  const before = await browser.processorMs();
  const look = async (): Promise<void> => {
    const had = (await browser.processorMs()) - before;
    const waited = performance.now() - began;
    if (had >= (runShare * wallMs) / 2 || waited >= patience * runShare * wallMs) end();
    else timer = setTimeout(() => void look(), lookMs);
  };
  let timer = setTimeout(() => void look(), runShare * wallMs);
  return () => clearTimeout(timer);
}

function crashUnlessOurs(error: unknown): End {
  unlessOver(error);
  return 'crashed';
}
