/** What a page looks like: a frame that is drawn, a picture, a print. */
import { setTimeout as after } from 'node:timers/promises';
import type { Session } from './devtools.ts';
import type { Browser } from './launch.ts';

/** Pixels: what people see without scrolling, and the most of a page that a picture shows. */
const ordinary = { width: 1_280, height: 800, deviceScaleFactor: 1, mobile: false };
const maxHeight = 12_000;
/** By the clock: three frames of an ordinary screen. */
const frameMs = 50;

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
  let { height } = ordinary;
  if (part === 'page') {
    const { cssContentSize } = await session.send('Page.getLayoutMetrics');
    height = Math.max(height, Math.min(maxHeight, Math.ceil(cssContentSize.height)));
  }
  await session.send('Emulation.setDeviceMetricsOverride', { ...ordinary, height });
  const data = browser.drawsWhenTold
    ? (await session.send('HeadlessExperimental.beginFrame', { screenshot: { format: 'png' } }))
        .screenshotData
    : (await session.send('Page.captureScreenshot', { format: 'png' })).data;
  return data === undefined ? undefined : Buffer.from(data, 'base64');
}

export async function printOf(session: Session): Promise<Uint8Array> {
  const { data } = await session.send('Page.printToPDF', { printBackground: true });
  return Buffer.from(data, 'base64');
}
