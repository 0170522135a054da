/** What a page looks like: a frame that is drawn, a picture, a print. */
import { setTimeout as after } from 'node:timers/promises';
import type { Session } from './devtools.ts';
import type { Browser } from './launch.ts';

/** Pixels: what people see without scrolling, and the most of a page that a picture shows. */
const ordinary = { width: 1_280, height: 800, deviceScaleFactor: 1, mobile: false };
const maxHeight = 12_000;
/** By the clock: three frames of an ordinary screen. */
const frameMs = 50;
const mostFrames = 5;

/** Styles and places are worked out, and observers of what is in sight are told. Nothing is painted. */
export async function drawFrame(browser: Browser, session: Session): Promise<void> {
  if (browser.drawsWhenTold) {
    await session.send('HeadlessExperimental.beginFrame', { noDisplayUpdates: true });
    return;
  }
  // It draws as a screen would have it: the next of its frames is waited for.
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'frames',
  });
  const drawn = session.send('Runtime.evaluate', {
    expression: 'new Promise((drawn) => requestAnimationFrame(() => drawn()))',
    contextId: executionContextId,
    awaitPromise: true,
  });
  // Now and then none comes while the page's time stands.
  await Promise.race([drawn, after(frameMs, null, { ref: false })]);
}

/** PNG; undefined: the browser has drawn nothing. */
export async function pictureOf(
  browser: Browser,
  session: Session,
  part: 'page' | 'window',
): Promise<Uint8Array | undefined> {
  await session.send('Emulation.setDeviceMetricsOverride', ordinary);
  if (part === 'page') {
    // A page is never less high than its window, which was a tall one.
    const { cssContentSize } = await session.send('Page.getLayoutMetrics');
    const height = Math.max(ordinary.height, Math.min(maxHeight, Math.ceil(cssContentSize.height)));
    await session.send('Emulation.setDeviceMetricsOverride', { ...ordinary, height });
  }
  if (!browser.drawsWhenTold) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }
  // The first frames after a change of size may come before there is something of that size to be drawn.
  for (let frame = 0; frame < mostFrames; frame++) {
    const { screenshotData: data } = await session.send('HeadlessExperimental.beginFrame', {
      screenshot: { format: 'png' },
    });
    if (data !== undefined) return Buffer.from(data, 'base64');
  }
  return undefined;
}

export async function printOf(session: Session): Promise<Uint8Array> {
  const { data } = await session.send('Page.printToPDF', { printBackground: true });
  return Buffer.from(data, 'base64');
}
