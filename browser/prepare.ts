/** What must hold before a page, or what it starts, runs its first script. */
import { pageScript } from './page-script.ts';
import type { Session } from './devtools.ts';
import type { Browser } from './launch.ts';

/** The instant at which every page begins, in seconds. */
const beginsAt = Date.UTC(2_026, 0, 1) / 1_000;
/** Tall, so that lists fill that load more where people scroll. */
const window = { width: 1_280, height: 12_000, deviceScaleFactor: 1, mobile: false };

/** All that must hold before the page's first request, and the clock, which begins to stand. */
export async function prepare(browser: Browser, session: Session, browserContextId: string): Promise<void> {
  await Promise.all([
    browser.devtools.session().send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }),
    session.send('Page.enable', {}),
    session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
    session.send('Inspector.enable'),
    session.send('Network.setUserAgentOverride', { userAgent: browser.userAgent }),
    session.send('Emulation.setDeviceMetricsOverride', window),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: pageScript }),
    session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
  ]);
  // The first of these calls decides when the page's time begins; later ones are not heard.
  await session.send('Emulation.setVirtualTimePolicy', { policy: 'pause', initialVirtualTime: beginsAt });
}

/**
 * A worker of the page, or a frame that the browser has put into another process; it waits until this is done. The
 * requests of workers are told to the page's session. A worker has not got its functions yet that the page's script would
 * replace: it has the same clock and numbers of Math.random() as the page, and its own of `crypto`.
 */
export async function prepareWithin(session: Session, type: string): Promise<void> {
  const commands: Promise<unknown>[] = [
    session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
  ];
  if (type === 'iframe')
    commands.push(
      session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
      session.send('Page.enable', {}),
      session.send('Page.addScriptToEvaluateOnNewDocument', { source: pageScript }),
    );
  await Promise.allSettled(commands);
  await session.send('Runtime.runIfWaitingForDebugger');
}
