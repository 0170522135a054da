/** An ordinary browser with a network: it opens a page, scrolls to its end, and waits until nothing happens any more. */
import type { Browser } from 'playwright-core';

/** Longer than any timer of the web for rendering. */
const quietMs = 2_000;
const mostLooks = 20;

/** Shadow trees in the declarative form, frames of the page's own site as what they show. */
export const domText = `(() => {
  const htmlOf = (root) => root.getHTML({ serializableShadowRoots: true });
  for (const place of document.querySelectorAll('[data-frame]')) place.remove();
  for (const frame of document.querySelectorAll('iframe')) {
    const inside = frame.contentDocument;
    if (inside === null || inside.body === null) continue;
    for (const link of inside.querySelectorAll('a[href]')) link.setAttribute('href', link.href);
    const place = document.createElement('div');
    place.setAttribute('data-frame', inside.URL);
    place.innerHTML = htmlOf(inside.body);
    frame.after(place);
  }
  const shell = document.documentElement.cloneNode(false).outerHTML;
  const end = shell.lastIndexOf('</');
  const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  return type + shell.slice(0, end) + htmlOf(document.documentElement) + shell.slice(end);
})()`;

/** Before the scripts of pages: `domText` has all shadow trees then. */
export const serializable = `(() => {
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) { return attach.call(this, { ...init, serializable: true }); };
})()`;

/** A window at a time, as people do. */
export const scrollDown = `(async () => {
  for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight) {
    scrollTo(0, top);
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  }
})()`;

export async function openOnline(browser: Browser, url: string): Promise<string> {
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC' });
  try {
    await context.addInitScript(serializable);
    const page = await context.newPage();
    let requests = 0;
    page.on('request', () => requests++);
    await page.goto(url);
    let before = '';
    for (let look = 0; look < mostLooks; look++) {
      await page.evaluate(scrollDown);
      const now = `${String(requests)} ${await page.evaluate<string>('document.documentElement.outerHTML')}`;
      if (now === before) break;
      before = now;
      await page.waitForTimeout(quietMs);
    }
    return await page.evaluate<string>(domText);
  } finally {
    await context.close();
  }
}
